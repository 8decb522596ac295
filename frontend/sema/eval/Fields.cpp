#include "frontend/sema/eval/Fields.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Interleave.h"
#include "frontend/sema/eval/Levels.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>

namespace sextant::sema {

using hir::Type;

bool layoutOf(Context &cx, const Value &value, int ndim, std::vector<unsigned> &layout,
              SourceRange at) {
  layout.clear();
  if (value.kind == Value::None)
    return true;
  for (const Value &axis : indexList(value)) {
    const auto k = exactInt(cx, axis, at, "an axis of a layout");
    if (!k)
      return false;
    layout.push_back(unsigned(*k));
  }
  std::vector<unsigned> sorted = layout;
  std::sort(sorted.begin(), sorted.end());
  bool isPermutation = ndim < 0 || layout.size() == size_t(ndim);
  for (unsigned k = 0; k < sorted.size(); ++k)
    isPermutation &= sorted[k] == k;
  if (!isPermutation)
    return error(cx, at, Problem::LayoutWrong, "a layout names each axis once, the outermost first",
                 "write `layout=(1, 0)` to store a matrix column by column");
  if (std::is_sorted(layout.begin(), layout.end()))
    layout.clear();
  return true;
}

static bool isSameShape(const ArrayRef &field, const std::vector<Value> &shape) {
  return std::ranges::equal(field.shape, shape, [](const Value &a, const Value &b) {
    return b.kind == Value::Int && a.integer == b.integer;
  });
}

bool shapeField(Context &cx, ArrayRef &field, const Value &shape, SourceRange at) {
  constexpr Exact mostScalars = Exact(1) << 48; // the module format's limit
  field.isUnplaced = false;
  if (!field.levels.empty()) {
    if (isSameShape(field, indexList(shape)))
      return true;
    return error(cx, at, Problem::LayoutWrong,
                 "the extents of the layout are not those of the field",
                 "give the field the shape that the levels multiply to");
  }
  for (const std::shared_ptr<ArrayRef> &member : field.members)
    if (!shapeField(cx, *member, shape, at))
      return false;
  Exact total = field.whole ? field.whole->element.count() : field.element.count();
  for (const Value &extent : indexList(shape)) {
    auto n = exactInt(cx, extent, at, "the shape of a field");
    if (!n)
      return false;
    if (*n < 1)
      return error(cx, at, Problem::FieldExtentNotPositive,
                   "a field has at least one element along each axis, but this extent is " +
                       spell(*n));
    total = std::min(total * *n, 2 * mostScalars);
    if (total > mostScalars)
      return error(cx, at, Problem::FieldTooLarge,
                   "this field has more than " + spell(mostScalars) + " scalars",
                   "split it into several fields, or pass the data as an ndarray");
    field.shape.push_back(Value::exactInt(*n));
  }
  if (field.whole && field.structure)
    field.whole->shape = field.shape;
  return true;
}

bool offsetField(Context &cx, ArrayRef &field, const Value &offset, SourceRange at) {
  if (offset.kind == Value::None)
    return true;
  auto fail = [&](std::string message, std::string fix) {
    return error(cx, at, Problem::FieldOffsetWrong, std::move(message), std::move(fix));
  };
  if (field.isUnplaced)
    return fail("a field with an `offset` needs its `shape` beside it",
                "give the shape here, or the offset to `place`");
  const std::vector<Value> list = indexList(offset);
  if (list.size() != field.shape.size())
    return fail("the field has " + std::to_string(field.shape.size()) +
                    (field.shape.size() == 1 ? " dimension" : " dimensions") +
                    ", but its `offset` has " + std::to_string(list.size()),
                "give one number for each axis");
  std::vector<Exact> first;
  for (size_t k = 0; k < list.size(); ++k) {
    const auto index = exactInt(cx, list[k], at, "the offset of a field");
    if (!index)
      return false;
    if (*index < minOf(Type::I32) || *index + field.shape[k].integer - 1 > maxOf(Type::I32))
      return fail("indices from " + spell(*index) + " on are not those of an i32",
                  "choose an offset nearer to 0");
    first.push_back(*index);
  }
  field.first = std::move(first);
  for (const std::shared_ptr<ArrayRef> &member : field.members)
    if (!offsetField(cx, *member, offset, at))
      return false;
  return (!field.gradient || offsetField(cx, *field.gradient, offset, at)) &&
         (!field.tangent || offsetField(cx, *field.tangent, offset, at));
}

void nameStruct(TypeValue &type, const std::string &name) {
  if (!type.structure->definition &&
      type.structure->name == noName) // doStructType made it to be changed
    std::const_pointer_cast<StructType>(type.structure)->name = name;
}

void nameArray(ArrayRef &array, const std::string &name) {
  array.name = name;
  for (size_t k = 0; k < array.members.size(); ++k)
    nameArray(*array.members[k], name + "." + array.structure->members[k].name);
  if (array.whole && (array.structure || !array.levels.empty()))
    array.whole->name = name; // the outermost struct is the last to name it
  if (array.gradient)         // and its gradient's members
    nameArray(*array.gradient, name + ".grad");
  if (array.tangent)
    nameArray(*array.tangent, name + ".dual");
}

void linkMembers(ArrayRef &array, ArrayOf which) {
  for (size_t k = 0; k < array.members.size(); ++k) {
    (*array.members[k]).*which = (array.*which)->members[k];
    linkMembers(*array.members[k], which);
  }
}

/// Gives a field, and those of its members, the order of axes that its layout says. Returns false
/// after an error.
static bool orderAxes(Context &cx, ArrayRef &field, const Value &layout, SourceRange at) {
  if (layout.kind == Value::None)
    return true;
  if (field.isUnplaced)
    return error(cx, at, Problem::LayoutWrong, "a field with a layout needs its `shape`",
                 "give the shape here, not by `place`");
  for (const std::shared_ptr<ArrayRef> &member : field.members)
    if (!orderAxes(cx, *member, layout, at))
      return false;
  return layoutOf(cx, layout, int(field.shape.size()), field.layout, at);
}

/// The field whose elements lie at these levels, and those of its members.
static std::shared_ptr<ArrayRef> scatteredField(const TypeValue &element, const Levels &levels,
                                                int ndim, SourceRange at) {
  auto array = std::make_shared<ArrayRef>();
  array->space = ArrayRef::Field;
  array->at = at;
  if (element.kind != TypeValue::Struct) {
    array->element = wholeType(element.element).element;
    array->shape = {Value::exactInt(scalarsOf(levels.levels, element.element))};
    return levelsOver(element.element, levels.levels, ndim, array);
  }
  array->structure = element.structure;
  for (size_t k = 0; k < levels.members.size(); ++k)
    array->members.push_back(
        scatteredField(element.structure->members[k].type, levels.members[k], ndim, at));
  return array;
}

/// Fields are values of module constants: `x = qd.field(qd.f32, shape=(4, 4))`. A field of structs
/// is a field for each member, so that neighbouring threads read neighbouring numbers.
static Value fieldOf(Context &cx, const TypeValue &element, const Value *shape, SourceRange at,
                     const Value &layout) {
  if (isLevelsLayout(layout)) {
    Levels levels;
    if (!levelsOf(cx, layout, element.structure.get(), shape ? int(indexList(*shape).size()) : -1,
                  levels, at))
      return Value();
    const Value field =
        Value::ofArray(scatteredField(element, levels, int(indexList(*shape).size()), at));
    return shapeField(cx, *field.array, *shape, at) ? field : Value();
  }
  const bool isOnePiece = isRecord(element) && isInterleavedLayout(layout);
  if (const auto vectors = isOnePiece
                               ? interleavedElement(cx, *element.structure, /*isField=*/true, at)
                               : std::nullopt) {
    auto whole = std::make_shared<ArrayRef>();
    whole->space = ArrayRef::Field;
    whole->element = *vectors;
    whole->at = at;
    whole->isUnplaced = true;
    const Value field = Value::ofArray(interleavedOver(element.structure, whole));
    return shape && !shapeField(cx, *field.array, *shape, at) ? Value() : field;
  }
  auto array = std::make_shared<ArrayRef>();
  array->space = ArrayRef::Field;
  array->element = element.element;
  array->at = at;
  array->isUnplaced = true;
  if (element.kind == TypeValue::Struct) {
    array->structure = element.structure;
    for (const StructMember &member : element.structure->members) {
      if (!member.problem.empty())
        return error(cx, at, Problem::MemberWithoutValue,
                     "a field of `" + element.structure->name +
                         "` cannot be made: of its member `" + member.name + "`, " + member.problem,
                     member.fix);
      Value part = fieldOf(cx, member.type, nullptr, at, Value::none());
      if (part.isPoison())
        return part;
      array->members.push_back(std::move(part.array));
    }
  }
  if (shape && !shapeField(cx, *array, *shape, at))
    return Value();
  if (layout.kind != Value::Str && !orderAxes(cx, *array, layout, at))
    return Value();
  return Value::ofArray(std::move(array));
}

Value makeField(Context &cx, const TypeValue &element, const FieldCall &call, SourceRange at) {
  const Value *shape = call.shape.kind == Value::None ? nullptr : &call.shape;
  Value field = fieldOf(cx, element, shape, at, call.layout);
  if (field.isPoison())
    return field;
  for (const auto &[isAsked, which] : {std::pair(call.needsGradient, &ArrayRef::gradient),
                                       std::pair(call.needsTangent, &ArrayRef::tangent)})
    if (isAsked) {
      (*field.array).*which = fieldOf(cx, element, shape, at, call.layout).array;
      linkMembers(*field.array, which);
    }
  return offsetField(cx, *field.array, call.offset, at) ? field : Value();
}

} // namespace sextant::sema
