// Determinants and inverses: by minors up to 4 rows, by elimination beyond.
#include "frontend/sema/builtins/VectorCall.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

#include <functional>
#include <numeric>

namespace sextant::sema {

using hir::Type;
using Numbers = std::vector<unsigned>;

/// Larger matrices, by elimination with pivots: the library's.
static Value eliminate(VectorCall &c) {
  std::vector<ExprRef> items;
  if (!commonType(c.cx, items, c.self.items, c.at, true))
    return Value();
  const Type type = items[0]->type;
  Value wide = c.self;
  for (size_t i = 0; i < items.size(); ++i) // halves are too coarse to eliminate in
    wide.items[i] =
        Value::scalar(isSmallReal(type) ? makeCast(items[i], Type::F32, c.at) : items[i]);
  Value result = callLibrary(c.cx, "math", "_" + c.name, {std::move(wide)}, c.at);
  if (!isSmallReal(type) || result.isPoison())
    return result;
  const bool isMatrix = c.name == "inverse";
  return castTo(c.cx, result, ElementType{type, c.self.rows, c.self.cols, isMatrix, false}, c.at);
}

/// The determinant of some rows and columns, by expansion along the first row.
static Value minorOf(VectorCall &c, const Numbers &rows, const Numbers &cols) {
  const unsigned n = c.self.cols;
  if (rows.empty())
    return Value::exactInt(1);
  if (rows.size() == 1)
    return c.self.items[rows[0] * n + cols[0]];
  Value total;
  const Numbers rest(rows.begin() + 1, rows.end());
  for (size_t k = 0; k < cols.size(); ++k) {
    Numbers others = cols;
    others.erase(others.begin() + long(k));
    Value term = c.mul(c.self.items[rows[0] * n + cols[k]], minorOf(c, rest, others));
    total = k == 0 ? term : k % 2 ? c.sub(total, term) : c.add(total, term);
  }
  return c.stable(std::move(total));
}

static bool isSquare(VectorCall &c) {
  if (!c.self.vector && c.self.rows == c.self.cols && c.self.rows <= 12)
    return true;
  error(c.cx, c.at, Problem::NotSquareOrTooLarge,
        "`" + c.name + "` needs a square matrix of at most 12 rows");
  return false;
}

static Numbers allOf(unsigned count) {
  Numbers all(count);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

static Value smallDeterminant(VectorCall &c) {
  const Numbers all = allOf(c.self.rows);
  return c.stable(minorOf(c, all, all));
}

Value determinantOf(VectorCall &c) {
  if (!isSquare(c))
    return Value();
  return c.self.rows > 4 ? eliminate(c) : smallDeterminant(c);
}

Value inverseOf(VectorCall &c) {
  if (!isSquare(c))
    return Value();
  const unsigned n = c.self.rows;
  if (n > 4)
    return eliminate(c);
  Value det = smallDeterminant(c);
  if (det.isPoison())
    return det;
  Value reciprocal = c.stable(c.div(Value::exactInt(1), det));
  std::vector<Value> items;
  for (unsigned r = 0; r < n; ++r)
    for (unsigned col = 0; col < n; ++col) {
      Numbers rows = allOf(n), cols = rows;
      rows.erase(rows.begin() + col);
      cols.erase(cols.begin() + r);
      Value cofactor = c.mul(minorOf(c, rows, cols), reciprocal);
      items.push_back((r + col) % 2 ? unary(c.cx, ast::UnaryOp::Neg, cofactor, c.at) : cofactor);
    }
  return Value::matrix(n, n, false, std::move(items));
}

} // namespace sextant::sema
