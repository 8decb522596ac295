#include "frontend/sema/eval/Levels.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>

namespace sextant::sema {

bool isLevelsLayout(const Value &layout) {
  if (layout.kind == Value::Dict)
    return true;
  return layout.kind == Value::Tuple && !layout.items.empty() &&
         layout.items[0].kind == Value::Tuple;
}

static bool fail(Context &cx, SourceRange at, std::string message) {
  return error(
      cx, at, Problem::LayoutWrong, std::move(message),
      "write `layout=((0, 4, 10), (1, 5, 2))`: for each level of memory, the outermost first, "
      "its axis, its extent, and the scalars from one index to the next");
}

/// The levels of one axis multiply to its extent. All positions are within 48 bits. An array
/// without axes has one level, of one element.
static bool readLevels(Context &cx, const Value &layout, int ndim, std::vector<Level> &levels,
                       SourceRange at) {
  constexpr Exact mostScalars = Exact(1) << 48;
  if (layout.kind != Value::Tuple || ndim < 0)
    return fail(cx, at, "a layout with levels needs the number of dimensions");
  const unsigned axes = unsigned(std::max(ndim, 1));
  std::vector<bool> hasLevel(axes, false);
  Exact last = 0;
  for (const Value &item : layout.items) {
    if (item.kind != Value::Tuple || item.items.size() != 3)
      return fail(cx, at, "a level of a layout has three numbers");
    const auto axis = exactInt(cx, item.items[0], at, "the axis of a level");
    const auto extent = axis ? exactInt(cx, item.items[1], at, "the extent of a level") : axis;
    const auto stride = extent ? exactInt(cx, item.items[2], at, "the stride of a level") : extent;
    if (!stride)
      return false;
    if (*axis < 0 || *axis >= axes || (ndim == 0 && *extent != 1))
      return fail(cx, at, "there is no axis " + spell(*axis) + " among " + std::to_string(ndim));
    if (*extent < 1 || *stride < 1 || *extent > mostScalars || *stride > mostScalars ||
        (last += (*extent - 1) * *stride) > mostScalars)
      return fail(cx, at, "a level has an extent and a stride from 1 to 2^48");
    hasLevel[size_t(*axis)] = true;
    levels.push_back({unsigned(*axis), *extent, *stride});
  }
  if (std::ranges::find(hasLevel, false) != hasLevel.end())
    return fail(cx, at, "each axis has a level");
  std::vector<Level> inner = levels;
  std::ranges::sort(inner, {}, &Level::stride);
  Exact within = 0; // where the last element of the levels inside begins
  for (const Level &level : inner) {
    if (level.extent > 1 && level.stride <= within)
      return fail(cx, at,
                  "elements of a layout have memory of their own, and the level of stride " +
                      spell(Exact(level.stride)) + " comes back to that of another one");
    within += (level.extent - 1) * level.stride;
  }
  return true;
}

bool levelsOf(Context &cx, const Value &layout, const StructType *structure, int ndim,
              Levels &levels, SourceRange at) {
  if (!structure)
    return readLevels(cx, layout, ndim, levels.levels, at);
  if (layout.kind != Value::Dict || layout.items.size() != 2 * structure->members.size())
    return fail(cx, at, "the layout of structs is a dictionary with all members");
  levels.members.resize(structure->members.size());
  for (size_t k = 0; k + 1 < layout.items.size(); k += 2) {
    const Value &name = layout.items[k];
    const auto member = name.kind == Value::Str ? structure->find(name.text) : std::nullopt;
    if (!member)
      return fail(cx, at, "a layout of `" + structure->name + "` names what is not a member");
    const TypeValue &type = structure->members[*member].type;
    if (!levelsOf(cx, layout.items[k + 1],
                  type.kind == TypeValue::Struct ? type.structure.get() : nullptr, ndim,
                  levels.members[*member], at))
      return false;
  }
  return true;
}

TypeValue wholeType(const ElementType &element) {
  TypeValue type;
  type.kind = TypeValue::NdArray;
  type.element.type = element.type;
  type.ndim = 1;
  return type;
}

Exact scalarsOf(const std::vector<Level> &levels, const ElementType &element) {
  Exact last = 0;
  for (const Level &level : levels)
    last += (level.extent - 1) * level.stride;
  return last + element.count();
}

std::shared_ptr<ArrayRef> levelsOver(const ElementType &element, const std::vector<Level> &levels,
                                     int ndim, const std::shared_ptr<ArrayRef> &whole) {
  auto array = std::make_shared<ArrayRef>();
  array->space = whole->space;
  array->name = whole->name;
  array->at = whole->at;
  array->element = element;
  array->whole = whole;
  array->stride = 1; // positions are of scalars
  array->levels = levels;
  array->shape.assign(size_t(ndim), Value::exactInt(1));
  for (const Level &level : levels)
    if (level.axis < array->shape.size())
      array->shape[level.axis].integer *= level.extent;
  return array;
}

bool hasLevels(const ArrayRef &array) {
  return !array.levels.empty() ||
         std::ranges::any_of(array.members, [](const auto &member) { return hasLevels(*member); });
}

} // namespace sextant::sema
