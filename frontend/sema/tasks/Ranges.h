// Computes exactly how many iterations a range has, whatever its types are: at compile time, as an
// expression of the host, and as one of the device. A count has the unsigned type of the index's
// width, which is wide enough: only the distance from end to end of an i32, in steps of one, takes
// all 32 bits.
#pragma once

#include "frontend/sema/Value.h"

#include <optional>

namespace sextant::sema {

/// The arguments of Python's `range`. They are integers, each Int or Scalar.
struct Range {
  Value begin, end, step = Value::exactInt(1);
};

/// i32, or i64 if a bound or the step may not fit.
hir::Type indexTypeOf(const Range &range, hir::Type defaultInt);

/// A loop's dimensions, each as a range, in order from the outermost.
size_t dimensionsOf(const Value &range);
Range dimension(const Value &range, size_t number);
std::vector<unsigned> axesOf(const Value &range);

/// The number of iterations between constants.
std::optional<Exact> constantCount(const Range &range);

/// The expression of a bound in the index's type. A u64 beyond it wraps.
ExprRef boundOf(const Value &bound, hir::Type index, SourceRange at);
/// The number of iterations, which is 0 for a step of 0. The expression names the bounds more than
/// once.
ExprRef countOf(const Range &range, hir::Type index, SourceRange at);
/// The same as a `type`, if there are known to be iterations and they fit: it takes fewer
/// operations.
ExprRef countOfSome(const Range &range, hir::Type index, hir::Type type, SourceRange at);
/// The index of iteration `number`, which has the index's type.
ExprRef indexAt(const Range &range, ExprRef number, hir::Type index, SourceRange at);

/// Appends an integer expression over constants and arguments, as the loader evaluates it: exactly.
/// Returns false for other expressions.
bool toLaunch(const hir::Expr &expr, hir::LaunchExpr &out);
bool toLaunch(const Value &integer, hir::LaunchExpr &out);
/// The same for the distance from begin to end in steps, which is negative or 0 if nothing runs.
bool countToLaunch(const Range &range, hir::LaunchExpr &out);

} // namespace sextant::sema
