#include "frontend/sema/eval/Tiles.h"
#include "frontend/sema/Builtin.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>

namespace sextant::sema {

bool isTile(const Value &value) {
  return value.kind == Value::Struct && value.type.structure->isTile;
}

bool isTile(const Place &place) {
  return place.kind == Place::Local && place.structure && place.structure->isTile;
}

//===--- Parts of arrays ---------------------------------------------------===//

/// Reads an index with slices. Returns the indices before the last two as a tuple, then the bounds
/// of the slices and, for a column, its number. Returns nullopt after an error.
static std::optional<std::vector<Value>> partOf(Context &cx, const Value &array,
                                                const std::vector<Value> &index, bool isColumn,
                                                SourceRange at) {
  const std::string name = "`" + array.array->name + "`";
  auto refuse = [&](std::string message, std::string fix) {
    return error(cx, at, Problem::SliceOfArray, std::move(message), std::move(fix));
  };
  const size_t count = index.size();
  if (count != array.array->shape.size())
    return refuse(name + " has " + std::to_string(array.array->shape.size()) +
                      " dimensions, but is indexed with " + std::to_string(count) + " indices",
                  "");
  const bool fits = count >= 2 && index[count - 2].kind == Value::Slice &&
                    (index[count - 1].kind == Value::Slice) != isColumn &&
                    std::none_of(index.begin(), index.end() - 2,
                                 [](const Value &one) { return one.kind == Value::Slice; });
  if (!fits)
    return refuse(name + " is an array: only tiles take slices of arrays",
                  "loop over the elements; of a tile, write `tile[:] = a[r0:r1, c0:c1]`, "
                  "`a[r0:r1, c0:c1] = tile` or `column = a[r0:r1, c]`");
  if (beginsElsewhere(array))
    return refuse("tiles count elements from 0, but " + name + " begins at " +
                      spell(array.array->first[0]),
                  "declare it without `offset`");
  if (array.array->structure || array.array->element.matrix)
    return refuse("the elements of " + name + " are not single numbers",
                  "tiles take slices of arrays of numbers");
  std::vector<Value> part = {Value::tuple({index.begin(), index.end() - 2})};
  for (const Value &one : {index[count - 2], index[count - 1]}) {
    if (one.kind != Value::Slice) {
      part.push_back(one);
      continue;
    }
    const bool isWhole = one.items[0].kind != Value::None && one.items[1].kind != Value::None;
    if (!isWhole || one.items[2].kind != Value::None)
      return refuse("a slice of an array needs its begin and its end, and no step",
                    "write it as `row0:row1`");
    for (const Value &bound : {one.items[0], one.items[1]})
      if (const std::optional<Exact> known = knownInt(bound); known && *known < 0)
        return refuse("a slice of an array begins and ends at 0 or later, not at " + spell(*known),
                      "count from the begin, as in `a.shape[0] - 1`");
    part.push_back(one.items[0]);
    part.push_back(one.items[1]);
  }
  return part;
}

/// How many of the tile's columns the array can have from the slice's begin on, as far as the build
/// knows it.
static Value columnsWithin(const Value &tile, const Value &array, const std::vector<Value> &part) {
  Exact columns = tile.items.front().rows; // the row of the thread
  const std::optional<Exact> begin = knownInt(part[part.size() - 2]);
  if (const auto extent = knownInt(array.array->shape.back()); extent && begin)
    columns = std::clamp<Exact>(*extent - *begin, 0, columns);
  return Value::exactInt(columns);
}

/// Reads an array's subscript with slices. Returns nullopt if the expression is not one, and poison
/// after an error.
static std::optional<std::pair<Value, std::vector<Value>>> slicedArray(Context &cx,
                                                                       const ast::Expr &expr) {
  auto *subscript = std::get_if<ast::Subscript>(&expr.node);
  if (!subscript || structAt(cx, *subscript->value))
    return std::nullopt;
  Value array = eval(cx, *subscript->value);
  if (array.kind != Value::Array)
    return std::nullopt;
  const Value index = eval(cx, *subscript->index);
  return std::pair(std::move(array), index.isPoison() ? std::vector<Value>() : indexList(index));
}

Value loadColumn(Context &cx, const Value &array, const std::vector<Value> &index, SourceRange at) {
  auto part = partOf(cx, array, index, /*isColumn=*/true, at);
  if (!part)
    return Value();
  part->insert(part->begin(), array);
  return callLibrary(cx, "tile", "_column", std::move(*part), at);
}

bool storeTile(Context &cx, const ast::Expr &target, const Value &tile, SourceRange at) {
  auto sliced = slicedArray(cx, target);
  if (!sliced)
    return false;
  if (sliced->second.empty())
    return true;
  auto part = partOf(cx, sliced->first, sliced->second, /*isColumn=*/false, at);
  if (!part)
    return true;
  part->push_back(columnsWithin(tile, sliced->first, *part));
  part->insert(part->begin(), {tile, sliced->first});
  callLibrary(cx, "tile", "_store", std::move(*part), at);
  return true;
}

//===--- Tiles -------------------------------------------------------------===//

bool assignsTile(Context &cx, const ast::Assign &node) {
  auto *subscript = std::get_if<ast::Subscript>(&node.targets[0]->node);
  const auto type = subscript ? structAt(cx, *subscript->value) : nullptr;
  return type && type->isTile;
}

void assignTile(Context &cx, const ast::Assign &node, SourceRange at) {
  const auto &subscript = std::get<ast::Subscript>(node.targets[0]->node);
  const Value index = eval(cx, *subscript.index);
  auto place = evalPlace(cx, *subscript.value, true);
  if (!place || index.isPoison())
    return;
  const bool isWhole =
      index.kind == Value::Slice && std::all_of(index.items.begin(), index.items.end(),
                                                [](auto &v) { return v.kind == Value::None; });
  if (!isWhole || node.targets.size() > 1) {
    error(cx, at, Problem::TileAssignedInPart, "a tile is assigned as a whole",
          "write `tile[:] = a[r0:r1, c0:c1]`");
    return;
  }
  if (auto sliced = slicedArray(cx, *node.value)) {
    if (sliced->second.empty())
      return;
    auto part = partOf(cx, sliced->first, sliced->second, /*isColumn=*/false, node.value->at);
    if (!part)
      return;
    const Value old = readPlace(cx, *place, at);
    part->push_back(columnsWithin(old, sliced->first, *part));
    part->insert(part->begin(), {old, sliced->first});
    writePlace(cx, *place, callLibrary(cx, "tile", "_loaded", std::move(*part), at), at);
    return;
  }
  const Value value = eval(cx, *node.value);
  if (value.isPoison())
    return;
  if (!isTile(value)) {
    error(cx, node.value->at, Problem::TileAssignedInPart,
          "a tile takes a part of an array or another tile, not " + describe(value),
          "write `tile[:] = a[r0:r1, c0:c1]`");
    return;
  }
  writePlace(cx, *place, value, at);
}

void changeTile(Context &cx, const Place &place, const ast::AugAssign &node, SourceRange at) {
  auto *call = std::get_if<ast::Call>(&node.value->node);
  const Value callee = call ? eval(cx, *call->callee) : Value::none();
  const bool isOuter =
      callee.kind == Value::Builtin && callee.builtin->name == std::string_view("qd.outer");
  const bool subtracts = node.op == ast::BinaryOp::Sub;
  if (callee.isPoison())
    return;
  if (!isOuter || call->args.size() != 2 || !call->keywords.empty() ||
      (!subtracts && node.op != ast::BinaryOp::Add)) {
    error(cx, at, Problem::TileChangedOtherwise,
          "a tile is changed by outer products of two numbers of each thread",
          "write `tile -= qd.outer(a, b)`");
    return;
  }
  const Value a = eval(cx, *call->args[0]), b = eval(cx, *call->args[1]);
  if (a.isPoison() || b.isPoison())
    return;
  if (!a.isNumber() || !b.isNumber()) {
    error(cx, at, Problem::TileChangedOtherwise,
          "the outer product for a tile takes two numbers, not " + describe(a.isNumber() ? b : a),
          "each thread gives its element of the vectors");
    return;
  }
  writePlace(cx, place,
             callLibrary(cx, "tile", "_plus_outer",
                         {readPlace(cx, place, at), Value::exactInt(subtracts ? -1 : 1), a, b}, at),
             at);
}

} // namespace sextant::sema
