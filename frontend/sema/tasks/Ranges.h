// How many iterations a range has, exactly and whatever its types: at compile time, as an
// expression of the host, and as one of the device. A count is of the unsigned type of the
// index's width, which holds it where the index does: only the distance from end to end of an
// i32, in steps of one, takes all 32 bits.
#pragma once

#include "frontend/sema/values/Value.h"

#include <optional>

namespace sextant::sema {

/// What Python's `range` takes. Integers, each Int or Scalar.
struct Range {
  Value begin, end, step = Value::exactInt(1);
};

/// i32, or i64 where a bound or the step need not fit.
hir::Type indexTypeOf(const Range &range, hir::Type defaultInt);
hir::Type unsignedOf(hir::Type type);

/// A loop's dimensions, each as a range, and their order from the outermost.
size_t dimensionsOf(const Value &range);
Range dimension(const Value &range, size_t number);
std::vector<unsigned> axesOf(const Value &range);

/// The constant that a bound is.
std::optional<Exact> constantOf(const Value &integer);
/// Of constants.
std::optional<Exact> constantCount(const Range &range);

/// The expression of a bound in the index's type. What an u64 has beyond it wraps.
ExprRef boundOf(const Value &bound, hir::Type index, SourceRange at);
/// The iterations, 0 also for a step of 0. The bounds are named more than once.
ExprRef countOf(const Range &range, hir::Type index, SourceRange at);
/// The same as an i32, where it is known that there are some and that they fit: it takes fewer
/// operations.
ExprRef countOfSome(const Range &range, hir::Type index, SourceRange at);
/// The index of iteration `number`, which has the index's type.
ExprRef indexAt(const Range &range, ExprRef number, hir::Type index, SourceRange at);

/// Appends an integer expression over constants and arguments, as the loader evaluates it:
/// exactly. False: it is something else.
bool toLaunch(const hir::Expr &expr, hir::LaunchExpr &out);
bool toLaunch(const Value &integer, hir::LaunchExpr &out);
/// Likewise the distance from begin to end in steps: negative or 0 where nothing runs.
bool countToLaunch(const Range &range, hir::LaunchExpr &out);
/// Whether the loader has the stack that it needs.
bool isLaunchable(const hir::LaunchExpr &launch);

} // namespace sextant::sema
