// Vectors, and matrices, which are vectors of their rows: how they are made, and their functions.
#include "tests/fuzz/Machine.h"

namespace fuzz {

/// A vector, or of vectors a matrix: all numbers get their common type, or the one that is asked
/// for.
Val Machine::vectorOf(std::vector<Val> items, std::optional<Scalar> type, const Mask &mask) {
  Val vector;
  vector.kind = Val::List;
  vector.items = std::move(items);
  std::optional<Scalar> common = type;
  eachLeaf(vector, [&](const Val &leaf) {
    if (!leaf.isNumber())
      throw Unsupported("a vector of what is not a number");
    if (!type)
      common = common ? promote(*common, typeOf(leaf)) : typeOf(leaf);
  });
  if (vector.items.empty() || !common)
    throw Unsupported("a vector of nothing");
  vector = cast(vector, *common, mask);
  vector.isVector = true;
  for (Val &row : vector.items) {
    row.isVector = row.kind == Val::List;
    if (!sameShape(row, vector.items[0]))
      throw Unsupported("rows of different sizes");
  }
  return vector;
}

static Val transposed(const Val &matrix) {
  Val result = matrix;
  result.items.clear();
  for (size_t j = 0; j < matrix.items.at(0).items.size(); ++j) {
    Val row = matrix.items[0];
    row.items.clear();
    for (const Val &from : matrix.items)
      row.items.push_back(from.items.at(j));
    result.items.push_back(row);
  }
  return result;
}

/// `qd.Vector(…)` and what `qd.Vector` and `qd.Matrix` have.
Val Machine::makeMatrix(std::string_view name, std::vector<Val> &arguments,
                        std::optional<Scalar> type, const Mask &mask) {
  if ((name == "Vector" || name == "Matrix") && !arguments.empty() &&
      arguments[0].kind == Val::List) {
    if (arguments.size() == 2 && arguments[1].isType(false))
      type = arguments[1].type;
    return vectorOf(arguments[0].items, type, mask);
  }
  if ((name == "Matrix.rows" || name == "Matrix.cols") && arguments.size() == 1 &&
      arguments[0].kind == Val::List) {
    const Val rows = vectorOf(arguments[0].items, type, mask);
    return name == "Matrix.rows" ? rows : transposed(rows);
  }
  const auto filled = [&](size_t rows, size_t columns, auto value) {
    std::vector<Val> result;
    for (size_t i = 0; i < rows; ++i) {
      Val row;
      row.kind = Val::List;
      for (size_t j = 0; j < columns; ++j)
        row.items.push_back(constant(value(i, j)));
      result.push_back(columns ? row : constant(value(i, 0)));
    }
    return vectorOf(result, arguments.at(0).type, mask);
  };
  if (arguments.size() >= 2 && arguments[0].isType(false)) {
    const auto rows = size_t(constantInt(arguments[1]));
    const size_t columns = arguments.size() > 2        ? size_t(constantInt(arguments[2]))
                           : name == "Matrix.identity" ? rows
                                                       : 0;
    if (name == "Matrix.identity")
      return filled(rows, rows, [](size_t i, size_t j) { return i == j; });
    if (name.ends_with(".zero") || name.ends_with(".one"))
      return filled(rows, columns, [&](size_t, size_t) { return name.ends_with(".one"); });
  }
  throw Unsupported("qd." + std::string(name));
}

/// `vector(n, dtype)`, `matrix(n, m, dtype)`.
Val Machine::vectorType(std::string_view name, const std::vector<Val> &arguments) {
  const size_t extents = name == "vector" ? 1 : 2;
  if (arguments.size() < extents + 1 || !arguments[extents].isType(false))
    throw Unsupported("this type of a vector");
  Val type = arguments[extents];
  for (size_t i = extents; i-- > 0;) {
    Val outer;
    outer.kind = Val::Type;
    outer.isVector = true;
    outer.items.assign(size_t(constantInt(arguments[i])), type);
    type = std::move(outer);
  }
  return type;
}

Val Machine::sumOf(const std::vector<Val> &items, const Mask &mask) {
  Val sum = items.at(0);
  for (size_t i = 1; i < items.size(); ++i)
    sum = compute(Op::Add, sum, items[i], mask);
  return sum;
}

/// `a @ b`: of matrices, or of a matrix and a vector.
Val Machine::product(const Val &a, const Val &b, const Mask &mask) {
  if (!a.isVector || !b.isVector || a.items[0].kind != Val::List)
    throw Unsupported("@ of what is not a matrix");
  const bool isVector = b.items[0].kind != Val::List;
  Val columns;
  columns.items = {b};
  if (!isVector)
    columns = transposed(b);
  Val result = a;
  for (Val &row : result.items) {
    if (row.items.size() != b.items.size())
      throw Unsupported("@ of other extents");
    Val out = row;
    out.items.clear();
    for (const Val &column : columns.items) {
      std::vector<Val> products;
      for (size_t k = 0; k < row.items.size(); ++k)
        products.push_back(compute(Op::Mul, row.items[k], column.items[k], mask));
      out.items.push_back(sumOf(products, mask));
    }
    row = isVector ? Val(out.items[0]) : out;
  }
  return result;
}

/// A function of vectors, `v.name(…)` or `qd.name(v, …)`.
Val Machine::matrixCall(std::string_view name, const std::vector<Val> &arguments,
                        const Mask &mask) {
  const Val &self = arguments.at(0);
  if (self.kind != Val::List || !self.isVector)
    throw Unsupported("a function of a vector of what is not one");
  std::vector<Val> all;
  eachLeaf(self, [&](const Val &leaf) { all.push_back(leaf); });
  const bool isMatrix = self.items[0].kind == Val::List;
  if (arguments.size() == 1) {
    if (name == "sum")
      return sumOf(all, mask);
    if (name == "min" || name == "max") {
      Val result = all[0];
      for (size_t i = 1; i < all.size(); ++i)
        result = compute(name == "max" ? Op::Max : Op::Min, result, all[i], mask);
      return result;
    }
    if (name == "norm_sqr") {
      for (Val &item : all)
        item = compute(Op::Mul, item, item, mask);
      return sumOf(all, mask);
    }
    if (isMatrix && name == "transpose")
      return transposed(self);
    if (isMatrix && name == "trace") {
      std::vector<Val> diagonal;
      for (size_t i = 0; i < self.items.size(); ++i)
        diagonal.push_back(self.items[i].items.at(i));
      return sumOf(diagonal, mask);
    }
  }
  if (arguments.size() == 2 && !isMatrix && arguments[1].isVector &&
      !arguments[1].items[0].isTree()) {
    const std::vector<Val> &other = arguments[1].items;
    const auto times = [&](size_t i, size_t j) {
      return compute(Op::Mul, all.at(i), other.at(j), mask);
    };
    if (name == "dot" && all.size() == other.size()) {
      std::vector<Val> products;
      for (size_t i = 0; i < all.size(); ++i)
        products.push_back(times(i, i));
      return sumOf(products, mask);
    }
    if (name == "cross" && all.size() == 3 && other.size() == 3) {
      std::vector<Val> items;
      for (size_t i = 0; i < 3; ++i)
        items.push_back(compute(Op::Sub, times((i + 1) % 3, (i + 2) % 3),
                                times((i + 2) % 3, (i + 1) % 3), mask));
      return vectorOf(items, std::nullopt, mask);
    }
    if (name == "outer_product") {
      std::vector<Val> rows;
      for (size_t i = 0; i < all.size(); ++i) {
        std::vector<Val> row;
        for (size_t j = 0; j < other.size(); ++j)
          row.push_back(times(i, j));
        rows.push_back(vectorOf(row, std::nullopt, mask));
      }
      return vectorOf(rows, std::nullopt, mask);
    }
  }
  throw Unsupported("the function " + std::string(name) + " of a vector");
}

} // namespace fuzz
