// Finds elements of arrays: from indices to positions in memory.
#include "frontend/sema/eval/Levels.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Slices.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/spelling/Texts.h"

#include <algorithm>

namespace sextant::sema {

using hir::Type;

static hir::BufferRef placeOf(Context &cx, const std::shared_ptr<ArrayRef> &array) {
  if (array->whole)
    return placeOf(cx, array->whole);
  if (array->space != ArrayRef::Field)
    return array->buffer;
  auto [it, fresh] = cx.fieldParams.try_emplace(array.get(), 0);
  if (fresh) {
    hir::HiddenBuffer hidden;
    hidden.role = hir::HiddenBuffer::Field;
    hidden.name = array->name;
    hidden.file = array->at.file;
    hidden.type = array->element.type;
    hidden.rows = array->element.rows;
    hidden.cols = array->element.cols;
    hidden.structure = array->elements;
    hidden.count = array->element.count();
    for (size_t level = 0; level < array->shape.size(); ++level) { // as the host finds it
      const Value &extent = array->shape[array->axisAt(level)];
      hidden.shape.push_back(int64_t(extent.integer));
      hidden.count *= uint64_t(extent.integer);
    }
    it->second = cx.draft.addHidden(std::move(hidden));
    cx.keepAlive.push_back(array);
  }
  return {hir::BufferRef::Param, it->second};
}

/// Where an array lies. A kernel's derivative has the array's gradient, or its tangent, too. That
/// of an argument is made for the derivative in question, and that of a field is the program's.
static hir::BufferRef bufferOf(Context &cx, const std::shared_ptr<ArrayRef> &array) {
  const hir::BufferRef place = placeOf(cx, array);
  if (cx.derivative != Derivative::None && place.kind == hir::BufferRef::Param) {
    const bool isTangent = cx.derivative == Derivative::Forward && array->space == ArrayRef::Field;
    if (const auto &derivative = isTangent ? array->tangent : array->gradient)
      cx.draft.gradients[place.index] = placeOf(cx, derivative).index;
    else if (array->whole)
      bufferOf(cx, array->whole);
    if (array->before)
      cx.draft.before[place.index] = placeOf(cx, array->before).index;
  }
  return place;
}

static void refuseIndex(Context &cx, const Value &value, SourceRange at, Fix fix = {}) {
  error(cx, at, Problem::IndexNotInteger, "an index has to be an integer, not " + describe(value),
        std::move(fix));
}

bool areIntegers(Context &cx, const Value &index, const ast::Expr &text) {
  if (index.isNumber() && index.kind != Value::Matrix) {
    if (index.kind != Value::Float && (index.kind != Value::Scalar || !isFloat(index.expr->type)))
      return true;
    refuseIndex(cx, index, text.at,
                Fix("cast it, as in `int(...)`", calledWith("int", text.at), true));
    return false;
  }
  const auto *texts = std::get_if<ast::TupleExpr>(&text.node);
  for (size_t k = 0; texts && k < index.items.size(); ++k)
    if (texts->elements.size() == index.items.size() &&
        !areIntegers(cx, index.items[k], *texts->elements[k]))
      return false;
  return true;
}

/// Evaluates an index as I32 or I64. Returns null after an error.
ExprRef indexScalar(Context &cx, const Value &value, SourceRange at) {
  if (value.isPoison())
    return nullptr;
  if (value.kind == Value::Int)
    return value.integer >= minOf(Type::I32) && value.integer <= maxOf(Type::I32)
               ? makeInt(value.integer, Type::I32, at)
               : convert(cx, value, Type::I64, at);
  if (value.kind == Value::Bool)
    return makeInt(value.integer, Type::I32, at);
  if (value.kind == Value::Scalar && !isFloat(value.expr->type))
    return makeCast(value.expr, bitWidth(value.expr->type) == 64 ? Type::I64 : Type::I32, at);
  refuseIndex(cx, value, at, value.isNumber() ? "cast it, as in `int(...)`" : "");
  return nullptr;
}

ExprRef componentNumber(Context &cx, const std::vector<Value> &index, unsigned cols,
                        SourceRange at) {
  ExprRef row = indexScalar(cx, index[0], at);
  if (!row || index.size() == 1)
    return row;
  ExprRef column = indexScalar(cx, index[1], at);
  if (!column)
    return nullptr;
  row = makeBinary(hir::BinaryOp::Mul, makeCast(row, Type::I32, at), makeInt(cols, Type::I32, at),
                   Type::I32, at);
  return makeBinary(hir::BinaryOp::Add, row, makeCast(column, Type::I32, at), Type::I32, at);
}

std::vector<Value> indexList(const Value &index) {
  if (index.kind == Value::None)
    return {};
  if (index.kind == Value::Tuple || index.kind == Value::Matrix) {
    std::vector<Value> out; // an inner vector or tuple is spliced
    for (const Value &item : index.items) {
      if (item.kind == Value::Tuple || item.kind == Value::Matrix)
        out.insert(out.end(), item.items.begin(), item.items.end());
      else if (item.kind != Value::None)
        out.push_back(item);
    }
    return out;
  }
  return {index};
}

namespace {
/// The position of an element, counted in elements, and the guard of the access.
struct Position {
  ExprRef linear, guard;
};
} // namespace

/// The type in which positions are computed, where no index is wider. The sizes of fields and of
/// shared arrays are known.
static Type positionType(Context &cx, const ArrayRef &array) {
  if (!array.levels.empty())
    return positionType(cx, *array.whole);
  if (array.space == ArrayRef::Argument)
    return cx.options.largeArrays ? Type::I64 : Type::I32;
  for (const std::shared_ptr<ArrayRef> &member : array.members)
    if (positionType(cx, *member) == Type::I64)
      return Type::I64;
  Exact scalars = (array.whole ? array.whole->element : array.element).count();
  for (const Value &extent : array.shape)
    scalars *= extent.integer;
  return scalars > maxOf(Type::I32) ? Type::I64 : Type::I32;
}

/// The scalar at which an element begins: the sum over all levels. Where an axis has several, each
/// takes its digit of the index.
static ExprRef atLevels(Context &cx, const ArrayRef &array, std::vector<ExprRef> indices, Type type,
                        SourceRange at) {
  for (ExprRef &index : indices)
    index = stable(cx, Value::scalar(makeCast(std::move(index), type, at)), at).expr;
  ExprRef sum = makeInt(0, type, at);
  for (auto level = array.levels.begin(); level != array.levels.end() && !indices.empty();
       ++level) {
    Exact inner = 1; // elements along the axis in one step of this level
    for (auto deeper = level + 1; deeper != array.levels.end(); ++deeper)
      inner *= deeper->axis == level->axis ? deeper->extent : 1;
    const Exact all = array.shape[level->axis].integer;
    ExprRef digit = indices[level->axis];
    if (inner > 1)
      digit = makePosition(hir::BinaryOp::FloorDiv, digit, makeInt(inner, type, at), at);
    if (inner * level->extent < all)
      digit = makePosition(hir::BinaryOp::Mod, digit, makeInt(level->extent, type, at), at);
    digit = makePosition(hir::BinaryOp::Mul, digit, makeInt(level->stride, type, at), at);
    sum = makePosition(hir::BinaryOp::Add, std::move(sum), std::move(digit), at);
  }
  return sum;
}

/// Returns the index of the nearest element; 0 of an array without elements.
static Value nearestIndex(Context &cx, const Value &index, const Value &extent, SourceRange at) {
  if (index.isExact() && index.integer <= 0)
    return Value::exactInt(0);
  ExprRef e = index.kind == Value::Scalar ? index.expr : indexScalar(cx, index, at);
  ExprRef size = indexScalar(cx, extent, at);
  if (!e || !size)
    return Value();
  const bool isWide = bitWidth(e->type) == 64 || bitWidth(size->type) == 64;
  const Type type = isWide ? Type::I64 : Type::I32;
  const Type compared = isUnsigned(e->type) ? unsignedOf(type) : type;
  const auto bounded = [&](hir::BinaryOp op, ExprRef a, ExprRef b) {
    const Type common = a->type;
    return makeBinary(op, std::move(a), std::move(b), common, at);
  };
  ExprRef last =
      bounded(hir::BinaryOp::Sub, makeCast(std::move(size), type, at), makeInt(1, type, at));
  last = bounded(hir::BinaryOp::Max, std::move(last), makeInt(0, type, at));
  e = bounded(hir::BinaryOp::Min, makeCast(e, compared, at),
              makeCast(std::move(last), compared, at));
  if (isSigned(compared))
    e = bounded(hir::BinaryOp::Max, std::move(e), makeInt(0, type, at));
  return Value::scalar(makeCast(std::move(e), type, at));
}

/// Returns false after an error: the array does not take these indices.
static bool takesIndices(Context &cx, const ArrayRef &array, const std::vector<Value> &list,
                         SourceRange at) {
  const size_t axes = array.shape.size();
  if (array.isUnplaced) { // in a list, where no statement places it by its name
    return error(cx, at, Problem::FieldWithoutShape,
                 "this field has no `shape`, and no name by which a statement could place it",
                 "write `shape=...`");
  }
  if (list.size() != axes)
    return error(cx, at, Problem::IndexCountWrong,
                 "`" + array.name + "` has " + countText(axes, "dimension") +
                     ", but is indexed with " + std::to_string(list.size()) +
                     (list.size() == 1 ? " index" : " indices"),
                 axes == 0 ? "write `" + array.name + "[None]`" : "",
                 {{array.at, "`" + array.name + "` is declared here"}});
  if (hasSlice(list))
    return error(cx, at, Problem::SliceOfArray,
                 "`" + array.name + "` is an array: only tiles take slices of arrays",
                 "loop over the elements");
  return true;
}

/// Returns false after an error: the index is known to be outside of the array.
static bool takesIndex(Context &cx, const ArrayRef &array, size_t axis, const hir::Expr &index,
                       SourceRange at, Access access) {
  const Exact first = firstIndex(array, axis);
  const Value &extent = array.shape[axis];
  Exact constant = 0;
  if (!constInt(index, constant) ||
      (constant >= first && (extent.kind != Value::Int || constant - first < extent.integer)))
    return true;
  const std::string message =
      "the index " + spell(constant) + " is outside of `" + array.name + "`" +
      (first ? ", whose indices are " + spell(first) + " to " + spell(first + extent.integer - 1)
       : extent.kind == Value::Int ? ", whose extent is " + spell(extent.integer)
                                   : ": indices count from 0");
  if (access != Access::Read || !cx.options.outsideReads || array.space != ArrayRef::Field)
    return error(cx, at, Problem::IndexOutsideExtent, message);
  warn(cx, at, Warning::OutsideRead, Problem::IndexOutsideExtent,
       message + ": it reads the memory there");
  return true;
}

/// The index along an axis, counted from 0 in the array's memory. Adds the test to the guard of the
/// access. Null after an error.
static ExprRef axisIndex(Context &cx, const ArrayRef &array, size_t axis, Value index,
                         ExprRef &guard, SourceRange at, Access access) {
  const Value &extent = array.shape[axis];
  ExprRef e = indexScalar(cx, index, at);
  if (!e)
    return nullptr;
  if (array.clamps) {
    index = nearestIndex(cx, index, extent, at);
    e = indexScalar(cx, index, at);
  }
  if (access != Access::Address && !takesIndex(cx, array, axis, *e, at, access))
    return nullptr;
  const Exact first = firstIndex(array, axis);
  if (cx.options.checks && access != Access::Address && !cx.isHost()) {
    // The tested value must be the used one, even if the variable changes in between.
    index = snapshot(cx, index, at);
    e = indexScalar(cx, index, at);
    guard = both(guard,
                 checkIndex(cx, index.kind == Value::Scalar ? index.expr : e, extent, at, "index ",
                            " is out of bounds: axis " + std::to_string(axis) + " of '" +
                                array.name + "' " +
                                (first ? "begins at " + spell(first) + " and " : "") + "has size ",
                            first),
                 at);
  }
  if (first) // an index that is outside may wrap
    e = makeBinary(hir::BinaryOp::Sub, e, makeInt(first, e->type, at), e->type, at);
  if (array.begin) {
    if (array.begin->type == Type::I64)
      e = makeCast(std::move(e), Type::I64, at);
    e = makePosition(hir::BinaryOp::Add, e, makeCast(array.begin, e->type, at), at);
  }
  return e;
}

static std::optional<Position> positionOf(Context &cx, const ArrayRef &array,
                                          const std::vector<Value> &list, SourceRange at,
                                          Access access) {
  if (!takesIndices(cx, array, list, at))
    return std::nullopt;
  std::vector<ExprRef> indices;
  const Type least = positionType(cx, array);
  Type type = least;
  ExprRef guard;
  for (size_t k = 0; k < list.size(); ++k) {
    indices.push_back(axisIndex(cx, array, k, list[k], guard, at, access));
    if (!indices.back())
      return std::nullopt;
    if (indices.back()->type == Type::I64)
      type = Type::I64;
  }
  if (!array.levels.empty())
    return Position{atLevels(cx, array, std::move(indices), type, at), std::move(guard)};
  ExprRef linear = makeInt(0, type, at);
  for (size_t level = 0; level < indices.size(); ++level) {
    const size_t k = array.axisAt(level);
    if (level > 0) {
      ExprRef extent = makeCast(convert(cx, array.shape[k], least, at), type, at);
      linear = makePosition(hir::BinaryOp::Mul, std::move(linear), std::move(extent), at);
    }
    linear = makePosition(hir::BinaryOp::Add, std::move(linear),
                          makeCast(std::move(indices[k]), type, at), at);
  }
  return Position{std::move(linear), std::move(guard)};
}

static Place placeAt(Context &cx, const std::shared_ptr<ArrayRef> &array, const Position &position,
                     SourceRange at) {
  Place place;
  place.array = array;
  place.at = at;
  if (array->structure) {
    place.kind = Place::Record;
    place.structure = array->structure;
    for (const std::shared_ptr<ArrayRef> &member : array->members)
      place.parts.push_back(placeAt(cx, member, position, at));
    return place;
  }
  place.kind = Place::Memory;
  place.buffer = bufferOf(cx, array);
  place.element = array->element;
  place.guard = position.guard;
  const Type type = position.linear->type;
  const unsigned stride = array->whole ? array->stride : array->element.count();
  place.index = makePosition(hir::BinaryOp::Mul, position.linear, makeInt(stride, type, at), at);
  place.index = makePosition(hir::BinaryOp::Add, std::move(place.index),
                             makeInt(array->offset, type, at), at);
  return place;
}

/// A struct whose members have positions of their own.
static std::optional<Place> memberPlaces(Context &cx, const std::shared_ptr<ArrayRef> &array,
                                         std::vector<Value> index, SourceRange at, Access access) {
  for (Value &item : index)
    item = snapshot(cx, item, at);
  Place place;
  place.array = array;
  place.at = at;
  place.kind = Place::Record;
  place.structure = array->structure;
  for (const std::shared_ptr<ArrayRef> &member : array->members) {
    std::optional<Place> part = elementPlace(cx, member, Value::tuple(index), at, access);
    if (!part)
      return std::nullopt;
    place.parts.push_back(std::move(*part));
  }
  return place;
}

std::optional<Place> elementPlace(Context &cx, const std::shared_ptr<ArrayRef> &array,
                                  const Value &index, SourceRange at, Access access) {
  if (index.isPoison())
    return std::nullopt;
  if (array->structure && hasLevels(*array))
    return memberPlaces(cx, array, indexList(index), at, access);
  std::optional<Position> position = positionOf(cx, *array, indexList(index), at, access);
  if (!position)
    return std::nullopt;
  if (array->structure) // all members are at one position
    position->linear = stable(cx, Value::scalar(position->linear), at).expr;
  return placeAt(cx, array, *position, at);
}

} // namespace sextant::sema
