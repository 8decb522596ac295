// Determinants and inverses: by minors up to 4 rows, by elimination beyond.
#include "frontend/sema/builtins/Arithmetic.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/eval/Derivatives.h"
#include "frontend/sema/eval/Functions.h"

#include <numeric>

namespace sextant::sema {

using hir::Type;
using Numbers = std::vector<unsigned>;

/// Larger matrices, by elimination with pivots: the library's.
static Value eliminate(Context &cx, const Value &m, const char *function, SourceRange at) {
  std::vector<ExprRef> items;
  if (!commonType(cx, items, m.items, at, true))
    return Value();
  const Type type = items[0]->type;
  Value wide = m;
  for (size_t i = 0; i < items.size(); ++i) // halves are too coarse to eliminate in
    wide.items[i] = Value::scalar(isSmallReal(type) ? makeCast(items[i], Type::F32, at) : items[i]);
  Value result = callLibrary(cx, "math", function, {std::move(wide)}, at);
  return isSmallReal(type) && !result.isPoison() ? castItems(cx, result, type, at) : result;
}

/// The determinant of some rows and columns, by expansion along the first row.
static Value minorOf(const Arithmetic &math, const Value &m, const Numbers &rows,
                     const Numbers &cols) {
  const unsigned n = m.cols;
  if (rows.empty())
    return Value::exactInt(1);
  if (rows.size() == 1)
    return m.items[rows[0] * n + cols[0]];
  Value total;
  const Numbers rest(rows.begin() + 1, rows.end());
  for (size_t k = 0; k < cols.size(); ++k) {
    Numbers others = cols;
    others.erase(others.begin() + long(k));
    Value term = math.mul(m.items[rows[0] * n + cols[k]], minorOf(math, m, rest, others));
    total = k == 0 ? term : k % 2 ? math.sub(total, term) : math.add(total, term);
  }
  return math.stable(std::move(total));
}

static Numbers allOf(unsigned count) {
  Numbers all(count);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

static Value smallDeterminant(const Arithmetic &math, const Value &m) {
  const Numbers all = allOf(m.rows);
  return math.stable(minorOf(math, m, all, all));
}

Value doDeterminant(Context &cx, CallSite &site) {
  const Value &m = site.args[0];
  return m.rows > 4 ? eliminate(cx, m, "_determinant", site.at)
                    : smallDeterminant({cx, site.at}, m);
}

Value doInverse(Context &cx, CallSite &site) {
  const Arithmetic math{cx, site.at};
  const unsigned n = site.args[0].rows;
  if (n > 4)
    return eliminate(cx, site.args[0], "_inverse", site.at);
  const Value m = stopGradient(cx, site.args[0], site.at);
  Value det = smallDeterminant(math, m);
  if (det.isPoison())
    return det;
  const Value reciprocal = math.stable(math.div(Value::exactInt(1), det));
  std::vector<Value> items;
  for (unsigned r = 0; r < n; ++r)
    for (unsigned col = 0; col < n; ++col) {
      Numbers rows = allOf(n), cols = rows;
      rows.erase(rows.begin() + col);
      cols.erase(cols.begin() + r);
      Value cofactor = math.mul(minorOf(math, m, rows, cols), reciprocal);
      items.push_back((r + col) % 2 ? unary(cx, ast::UnaryOp::Neg, cofactor, site.at) : cofactor);
    }
  Value result = Value::matrix(n, n, false, std::move(items));
  return cx.derivative == Derivative::None
             ? result
             : callLibrary(cx, "math", "_inverse_of", {site.args[0], std::move(result)}, site.at);
}

} // namespace sextant::sema
