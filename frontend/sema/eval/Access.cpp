// Reads and writes places, and takes components of values.
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Slices.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/tasks/Launch.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>

namespace sextant::sema {

using hir::Type;

/// The variable whose components these are, one after the other, as a buffer that can be indexed.
static std::optional<hir::BufferRef> variableOf(Context &cx, const std::vector<Value> &items) {
  std::optional<unsigned> first;
  for (size_t k = 0; k < items.size(); ++k) {
    auto *read = items[k].kind == Value::Scalar ? std::get_if<hir::LocalRead>(&items[k].expr->node)
                                                : nullptr;
    if (!read || (first && read->local != *first + k))
      return std::nullopt;
    first = first.value_or(read->local);
  }
  if (!first || !cx.draft.variables.count(*first) ||
      cx.draft.componentsAt(*first).count != items.size())
    return std::nullopt;
  return hir::BufferRef{hir::BufferRef::Variable, *first};
}

Value readPlace(Context &cx, const Place &place, SourceRange at, bool isVolatile,
                hir::Cache cache) {
  if (place.kind == Place::Whole) {
    Value v = Value::of(Value::Array);
    v.array = place.array;
    return v;
  }
  if (place.kind == Place::Items && place.parts.empty())
    return Value::tuple(place.items);
  if (place.kind == Place::Items || place.kind == Place::Record || place.kind == Place::Several) {
    std::vector<Value> items;
    for (const Place &part : place.parts)
      items.push_back(readPlace(cx, part, at, isVolatile, cache));
    if (place.kind == Place::Items)
      return Value::tuple(std::move(items));
    if (place.kind == Place::Record)
      return Value::ofStruct(place.structure, std::move(items));
    return Value::matrix(place.element.rows, place.element.cols, place.element.vector,
                         std::move(items));
  }
  if (place.kind == Place::Local) {
    const Value &value = localValue(place);
    return place.path.empty() ? value : indexMatrix(cx, value, place.path, at);
  }
  if (cx.isHost())
    return error(cx, at, Problem::ArrayReadOnHost, "arrays cannot be read when kernels are built");
  std::vector<Value> items;
  unsigned count = place.element.count();
  if (!budget(cx, at, count))
    return Value();
  ExprRef base = place.index;
  if (count > 1)
    base = stable(cx, Value::scalar(base), at).expr;
  if (cx.waiting && !isVolatile && cx.waitedFor != hir::FenceScope::Device)
    cx.waitedFor = place.buffer.kind == hir::BufferRef::Shared ? hir::FenceScope::Block
                                                               : hir::FenceScope::Device;
  isVolatile |= cx.waiting; // which leaves nothing to the caches
  if (isVolatile)
    cache = hir::Cache::All;
  for (unsigned k = 0; k < count; ++k) {
    ExprRef index =
        makeBinary(hir::BinaryOp::Add, base, makeInt(k, base->type, at), base->type, at);
    ExprRef load =
        makeExpr(place.element.type,
                 hir::Load{place.buffer, take(cx, std::move(index)), isVolatile, cache}, at);
    items.push_back(temp(cx, guarded(cx, place.guard, std::move(load)), at, "v"));
  }
  if (!place.element.matrix)
    return items[0];
  return Value::matrix(place.element.rows, place.element.cols, place.element.vector,
                       std::move(items));
}

void writePlace(Context &cx, const Place &place, const Value &value, SourceRange at,
                hir::Cache cache) {
  if (value.isPoison())
    return;
  if (place.kind == Place::Whole) {
    error(cx, at, Problem::WholeArrayAssigned, "a whole array cannot be assigned",
          "assign its elements in a loop");
    return;
  }
  if (place.kind == Place::Items) {
    if (place.variable && place.members.empty())
      return assignVariable(cx, place.variable, value, at);
    if (place.variable && !place.variable->alias)
      return assignLeaves(cx, localValue(place), value, place.variable, at);
    if (!place.parts.empty() && value.isCompound() && value.items.size() == place.parts.size()) {
      const Value from = snapshot(cx, value, at);
      for (size_t k = 0; k < place.parts.size(); ++k)
        writePlace(cx, place.parts[k], from.items[k], at, cache);
      return;
    }
    error(cx, at, Problem::TupleItemAssigned, "the items of a tuple or list cannot be assigned",
          "make it a vector, with `qd.Vector([...])`");
    return;
  }
  if (place.kind == Place::Several) {
    warnLossy(cx, value, place.element.type, at);
    Value cast = snapshot(cx, castTo(cx, value, place.element, at), at);
    for (size_t k = 0; k < place.parts.size() && !cast.isPoison(); ++k)
      writePlace(cx, place.parts[k], cast.items[k], at, cache);
    return;
  }
  if (place.kind == Place::Record) {
    const Value cast = snapshot(cx, castToStruct(cx, value, place.structure, at), at);
    for (size_t k = 0; k < place.parts.size() && !cast.isPoison(); ++k)
      writePlace(cx, place.parts[k], cast.items[k], at, cache);
    return;
  }
  if (place.kind == Place::Local) {
    VariablePtr variable = place.variable;
    if (place.path.empty() && place.members.empty())
      return assignVariable(cx, variable, value, at);
    if (variable->alias || variable->readOnly) {
      const Value &whole = variable->value;
      const bool isPassed = whole.kind == Value::Struct && !isRecord(whole.type);
      error(cx, at, Problem::NameNotChangeable, "`" + variable->name + "` cannot be changed here",
            isPassed ? "its members are what the launch passes or the build names; change the "
                       "elements of its arrays"
                     : "copy it into a variable of its own first");
      return;
    }
    variable->known.reset();
    const Value &matrix = localValue(place);
    warnLossy(cx, value, matrix, at);
    if (place.path.empty())
      return assignLeaves(cx, matrix, value, variable, at);
    Value scalar = stable(cx, value, at);
    std::vector<Exact> at2(place.path.size());
    bool allKnown = true;
    for (size_t k = 0; k < place.path.size(); ++k) {
      const std::optional<Exact> known = knownInt(place.path[k]);
      allKnown &= known.has_value();
      at2[k] = known.value_or(0);
    }
    if (allKnown) {
      size_t k = size_t(at2[0]) * (at2.size() == 2 ? matrix.cols : 1) +
                 (at2.size() == 2 ? size_t(at2[1]) : 0);
      assignLeaves(cx, matrix.items[k], scalar, variable, at);
      return;
    }
    std::vector<Value> path = place.path;
    checkComponents(cx, path, matrix.rows, matrix.cols, matrix.vector, at);
    ExprRef linear = componentNumber(cx, path, matrix.cols, at);
    if (!linear)
      return;
    linear = makeCast(linear, Type::I32, at);
    linear = stable(cx, Value::scalar(linear), at).expr;
    ExprRef fresh = convert(cx, scalar, matrix.items[0].expr->type, at);
    if (fresh)
      emit(cx, at,
           hir::Store{*variableOf(cx, matrix.items), take(cx, std::move(linear)),
                      take(cx, std::move(fresh)), false});
    return;
  }
  // Memory.
  warnLossy(cx, value, place.element.type, at);
  Value cast = castTo(cx, value, place.element, at);
  if (cast.isPoison())
    return;
  if (!place.element.matrix) {
    emitGuarded(
        cx, place.guard, at,
        {place.buffer, take(cx, place.index), take(cx, std::move(cast.expr)), false, cache});
    return;
  }
  ExprRef base = stable(cx, Value::scalar(place.index), at).expr;
  for (unsigned k = 0; k < place.element.count(); ++k) {
    ExprRef index =
        makeBinary(hir::BinaryOp::Add, base, makeInt(k, base->type, at), base->type, at);
    emitGuarded(cx, place.guard, at,
                {place.buffer, take(cx, std::move(index)), take(cx, std::move(cast.items[k].expr)),
                 false, cache});
  }
}

/// A slice of a vector, a matrix or a tuple.
static Value sliceOf(Context &cx, const Value &whole, const std::vector<Value> &index,
                     SourceRange at) {
  const bool isMatrix = whole.kind == Value::Matrix;
  std::vector<unsigned> extents = {isMatrix ? whole.rows : unsigned(whole.items.size())};
  if (isMatrix && !whole.vector)
    extents.push_back(whole.cols);
  const std::optional<Picked> picked = pick(cx, index, extents, at);
  if (!picked)
    return Value();
  std::vector<Value> items;
  for (const std::vector<Value> &one : picked->indices) {
    items.push_back(indexMatrix(cx, whole, one, at));
    if (items.back().isPoison())
      return Value();
  }
  if (isMatrix)
    return Value::matrix(picked->rows, picked->cols, picked->vector, std::move(items));
  Value list = Value::tuple(std::move(items));
  list.isList = whole.isList;
  return list;
}

/// Components of a value: constant indices select directly. Run-time indices are loads from a
/// variable (hir::placeVariables says how), or choices: among few items that are no variable's, and
/// among those of an argument, of which each thread would have to make a copy.
Value indexMatrix(Context &cx, const Value &matrix, std::vector<Value> index, SourceRange at) {
  if (matrix.isPoison())
    return matrix;
  bool isMatrix = matrix.kind == Value::Matrix;
  unsigned dims = isMatrix && !matrix.vector ? 2 : 1;
  if (index.empty() || index.size() > dims)
    return error(cx, at, Problem::VectorIndexCountWrong,
                 describe(matrix) + " takes " + std::to_string(dims) +
                     (dims == 1 ? " index" : " indices") + ", not " + std::to_string(index.size()));
  for (const Value &i : index)
    if (i.isPoison())
      return Value();
  if (hasSlice(index))
    return sliceOf(cx, matrix, index, at);
  Exact extents[2] = {isMatrix ? Exact(matrix.rows) : Exact(matrix.items.size()),
                      isMatrix ? Exact(matrix.cols) : 1};
  Exact at2[2] = {0, 0};
  bool allKnown = true;
  for (size_t k = 0; k < index.size(); ++k) {
    const std::optional<Exact> known = knownInt(index[k]);
    allKnown &= known.has_value();
    if (!known)
      continue;
    at2[k] = *known;
    if (at2[k] < 0 && !isMatrix)
      at2[k] += extents[k]; // tuples index as in Python
    if (at2[k] < 0 || at2[k] >= extents[k])
      return error(cx, at, Problem::IndexOutsideVector,
                   "the index " + spell(at2[k]) + " is outside of " + describe(matrix) + " of " +
                       spell(extents[k]));
  }
  if (allKnown) {
    if (dims == 2 && index.size() == 1) { // a row
      std::vector<Value> row(matrix.items.begin() + long(at2[0]) * matrix.cols,
                             matrix.items.begin() + long(at2[0] + 1) * matrix.cols);
      return Value::matrix(matrix.cols, 1, true, std::move(row));
    }
    return matrix.items[size_t(at2[0]) * (dims == 2 ? matrix.cols : 1) + size_t(at2[1])];
  }
  if (dims == 2 && index.size() == 1)
    return error(cx, at, Problem::RowPickedAtRunTime,
                 "a row of a matrix cannot be picked at run time", "give both indices");
  if (matrix.items.empty())
    return error(cx, at, Problem::IndexOutsideVector,
                 describe(matrix) + " without items cannot be indexed");
  for (const Value &item : matrix.items)
    if (!item.isNumber())
      return error(cx, at, Problem::TupleIndexedAtRunTime,
                   "a tuple that holds " + describe(item) + " cannot be indexed at run time",
                   "loop over it, as in `for item in qd.static(items)`, and compare the item's "
                   "number with the index");
  if (!budget(cx, at, matrix.items.size()))
    return Value();
  checkComponents(cx, index, unsigned(extents[0]), matrix.cols, dims == 1, at);
  ExprRef linear = componentNumber(cx, index, matrix.cols, at);
  if (!linear)
    return Value();
  linear = makeCast(linear, Type::I32, at);
  linear = stable(cx, Value::scalar(linear), at).expr;
  std::vector<ExprRef> items;
  if (!commonType(cx, items, matrix.items, at))
    return Value();
  if (!cx.isHost()) {
    std::optional<hir::BufferRef> variable = variableOf(cx, matrix.items);
    const bool isArgument = std::all_of(items.begin(), items.end(), [](const ExprRef &item) {
      return std::holds_alternative<hir::ParamRead>(item->node);
    });
    if (!variable && items.size() > hir::mostChoices && !isArgument) {
      std::vector<Value> scalars;
      for (const ExprRef &item : items)
        scalars.push_back(Value::scalar(item));
      const Value table =
          Value::matrix(unsigned(items.size()), 1, /*vector=*/true, std::move(scalars));
      const Value leaves = newVariableLeaves(cx, "table", table, at);
      assignLeaves(cx, leaves, table, nullptr, at);
      variable = variableOf(cx, leaves.items);
    }
    if (variable) {
      const Type type = items.front()->type;
      hir::Load load{*variable, take(cx, std::move(linear)), false};
      return stable(cx, Value::scalar(makeExpr(type, std::move(load), at)), at);
    }
  }
  ExprRef result = items.back();
  for (size_t k = items.size() - 1; k-- > 0;) {
    ExprRef hit =
        makeBinary(hir::BinaryOp::Eq, linear, makeInt(Exact(k), Type::I32, at), Type::Bool, at);
    result = makeSelect(std::move(hit), items[k], std::move(result), at);
  }
  return stable(cx, Value::scalar(std::move(result)), at);
}

} // namespace sextant::sema
