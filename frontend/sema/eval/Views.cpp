#include "frontend/sema/eval/Views.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/tasks/Launch.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

namespace sextant::sema {

using hir::BinaryOp;
using hir::Type;

/// Another array of the same memory.
static std::shared_ptr<ArrayRef> over(const std::shared_ptr<ArrayRef> &array) {
  auto copy = std::make_shared<ArrayRef>(*array);
  copy->gradient = copy->before = copy->tangent = nullptr;
  if (!array->whole && !array->structure) {
    copy->whole = array;
    copy->stride = array->element.count();
  }
  for (std::shared_ptr<ArrayRef> &member : copy->members)
    member = over(member);
  return copy;
}

std::shared_ptr<ArrayRef> countedFrom0(const std::shared_ptr<ArrayRef> &array) {
  if (array->first.empty())
    return array;
  auto copy = over(array);
  copy->first.clear();
  for (std::shared_ptr<ArrayRef> &member : copy->members)
    member = countedFrom0(member);
  return copy;
}

/// Makes an array the elements from `begin` on.
static void shorten(ArrayRef &array, const ExprRef &begin, const Value &size, SourceRange at) {
  array.isView = true;
  array.shape = {size};
  array.begin = !array.begin
                    ? begin
                    : makeBinary(BinaryOp::Add,
                                 makeCast(array.begin, promote(array.begin->type, begin->type), at),
                                 makeCast(begin, promote(array.begin->type, begin->type), at),
                                 promote(array.begin->type, begin->type), at);
  for (const std::shared_ptr<ArrayRef> &member : array.members)
    shorten(*member, begin, size, at);
}

/// A bound that later assignments do not change. Launches compute it for loops where they can.
static Value bound(Context &cx, const Value &value, SourceRange at) {
  ExprRef index = indexScalar(cx, value, at); // null after an error
  if (value.kind == Value::Int || !index)
    return index ? value : Value();
  Value scalar = Value::scalar(std::move(index));
  const bool stays = cx.topLevel && staysExpression(*scalar.expr);
  return stays ? scalar : snapshot(cx, std::move(scalar), at);
}

/// Reports a view that is known to be outside of its array.
static bool isOutside(Context &cx, const ArrayRef &array, const Value &offset, const Value &size,
                      SourceRange at) {
  const std::optional<Exact> begin = knownInt(offset), count = knownInt(size),
                             extent = knownInt(array.shape[0]);
  const bool isBad = (begin && *begin < 0) || (count && *count < 0) ||
                     (extent && begin.value_or(0) + count.value_or(0) > *extent);
  if (isBad)
    error(cx, at, Problem::ViewOutsideArray,
          "a view of " + (count ? spell(*count) : "some") + " elements from " +
              (begin ? spell(*begin) : "an index") + " on is outside of `" + array.name + "`" +
              (extent ? ", whose extent is " + spell(*extent) : ""),
          "both are 0 or more, and the view ends where the array ends, or before");
  return isBad;
}

Value viewOf(Context &cx, const std::shared_ptr<ArrayRef> &array, const Value &offset,
             const Value &size, SourceRange at) {
  Value begin = bound(cx, offset, at), count = bound(cx, size, at);
  if (begin.isPoison() || count.isPoison() || isOutside(cx, *array, begin, count, at))
    return Value();
  const bool isKnown = begin.kind == Value::Int && count.kind == Value::Int;
  if (cx.options.checks && !(isKnown && array->shape[0].kind == Value::Int)) {
    // A view that is outside has no elements, so that no access leaves the array.
    ExprRef ok = checkView(cx, begin, count, *array, at);
    ExprRef whole = indexScalar(cx, count, at), none = makeInt(0, whole->type, at);
    count = temp(cx, makeSelect(ok, std::move(whole), std::move(none)), at, "size");
  }
  Value view = Value::ofArray(over(array));
  ExprRef first = indexScalar(cx, begin, at);
  if (!first)
    return Value();
  shorten(*view.array, first, count, at);
  return view;
}

Value sliceOfView(Context &cx, const std::shared_ptr<ArrayRef> &array, const Value &slice,
                  SourceRange at) {
  if (slice.items[2].kind != Value::None)
    return error(cx, at, Problem::SliceOfArray, "a slice of a view has no step",
                 "index the view in the loop, as in `view[2 * i]`");
  for (const Value *one : {&slice.items[0], &slice.items[1]})
    if (const std::optional<Exact> known = knownInt(*one); known && *known < 0)
      return error(cx, at, Problem::SliceOfArray,
                   "a slice of a view begins and ends at 0 or later, not at " + spell(*known),
                   "count from the begin, as in `view.size - 1`");
  const Value begin = slice.items[0].kind == Value::None ? Value::exactInt(0) : slice.items[0];
  Value end = slice.items[1].kind == Value::None ? array->shape[0] : slice.items[1];
  Value from = bound(cx, begin, at);
  end = bound(cx, end, at);
  if (from.isPoison() || end.isPoison())
    return Value();
  return viewOf(cx, array, from, binary(cx, ast::BinaryOp::Sub, end, from, at), at);
}

} // namespace sextant::sema
