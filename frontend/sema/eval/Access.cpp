// Reads and writes places, and takes components of values.
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Slices.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>

namespace sextant::sema {

using hir::Type;

const Value &localValue(const Place &place) {
  const Value *value = place.variable->known ? &*place.variable->known : &place.variable->value;
  for (size_t k : place.members)
    value = &value->items[k];
  return *value;
}

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
  if (place.kind == Place::Whole)
    return Value::ofArray(place.array);
  if (place.kind == Place::Known)
    return place.items[0];
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

/// Stores to a component of a vector or matrix in a variable.
static void writeComponent(Context &cx, const Place &place, const Value &value, SourceRange at) {
  const Value &matrix = localValue(place);
  const Value scalar = stable(cx, value, at);
  std::vector<Exact> index(place.path.size());
  bool isKnown = true;
  for (size_t k = 0; k < place.path.size(); ++k) {
    const std::optional<Exact> known = knownInt(place.path[k]);
    isKnown &= known.has_value();
    index[k] = known.value_or(0);
  }
  if (isKnown) {
    const size_t k =
        index.size() == 2 ? size_t(index[0]) * matrix.cols + size_t(index[1]) : size_t(index[0]);
    return assignLeaves(cx, matrix.items[k], scalar, place.variable, at);
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
}

static void writeLocal(Context &cx, const Place &place, const Value &value, SourceRange at) {
  const VariablePtr &variable = place.variable;
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
  const Value &whole = localValue(place);
  warnLossy(cx, value, whole, at);
  if (place.path.empty())
    return assignLeaves(cx, whole, value, variable, at);
  writeComponent(cx, place, value, at);
}

static void writeMemory(Context &cx, const Place &place, const Value &value, SourceRange at,
                        hir::Cache cache) {
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

/// Stores the items of a value to the parts of a place.
static void writeParts(Context &cx, const Place &place, const Value &value, SourceRange at,
                       hir::Cache cache) {
  for (size_t k = 0; k < place.parts.size() && !value.isPoison(); ++k)
    if (place.parts[k].kind == Place::Whole)
      keepKnown(cx, readPlace(cx, place.parts[k], at), value.items[k], "this", at);
    else
      writePlace(cx, place.parts[k], value.items[k], at, cache);
}

/// Stores to a tuple.
static void writeItems(Context &cx, const Place &place, const Value &value, SourceRange at,
                       hir::Cache cache) {
  if (place.variable && place.members.empty())
    return assignVariable(cx, place.variable, value, at);
  if (place.variable && !place.variable->alias)
    return assignLeaves(cx, localValue(place), value, place.variable, at);
  if (!place.parts.empty() && value.isCompound() && value.items.size() == place.parts.size())
    return writeParts(cx, place, snapshot(cx, value, at), at, cache);
  error(cx, at, Problem::TupleItemAssigned, "the items of a tuple or list cannot be assigned",
        "make it a vector, with `qd.Vector([...])`");
}

void writePlace(Context &cx, const Place &place, const Value &value, SourceRange at,
                hir::Cache cache) {
  if (value.isPoison())
    return;
  switch (place.kind) {
  case Place::Whole:
    error(cx, at, Problem::WholeArrayAssigned, "a whole array cannot be assigned",
          "assign its elements in a loop");
    return;
  case Place::Known:
    keepKnown(cx, place.items[0], value, "this", at);
    return;
  case Place::Items:
    return writeItems(cx, place, value, at, cache);
  case Place::Several:
    warnLossy(cx, value, place.element.type, at);
    return writeParts(cx, place, snapshot(cx, castTo(cx, value, place.element, at), at), at, cache);
  case Place::Record:
    return writeParts(cx, place, snapshot(cx, castToStruct(cx, value, place.structure, at), at), at,
                      cache);
  case Place::Local:
    return writeLocal(cx, place, value, at);
  case Place::None:
  case Place::Memory:
    return writeMemory(cx, place, value, at, cache);
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

namespace {
/// The indices of a component, as far as they are known. A tuple has one column.
struct Component {
  Exact extents[2], index[2] = {0, 0};
  bool isKnown = true;
};
} // namespace

/// Returns nullopt after an error: a known index is outside.
static std::optional<Component> componentOf(Context &cx, const Value &matrix,
                                            const std::vector<Value> &index, SourceRange at) {
  const bool isMatrix = matrix.kind == Value::Matrix;
  Component component;
  component.extents[0] = isMatrix ? Exact(matrix.rows) : Exact(matrix.items.size());
  component.extents[1] = isMatrix ? Exact(matrix.cols) : 1;
  for (size_t k = 0; k < index.size(); ++k) {
    const std::optional<Exact> known = knownInt(index[k]);
    component.isKnown &= known.has_value();
    if (!known)
      continue;
    Exact &own = component.index[k];
    own = *known;
    if (own < 0 && !isMatrix)
      own += component.extents[k]; // tuples index as in Python
    if (own < 0 || own >= component.extents[k])
      return error(cx, at, Problem::IndexOutsideVector,
                   "the index " + spell(own) + " is outside of " + describe(matrix) + " of " +
                       spell(component.extents[k]));
  }
  return component;
}

/// Returns false after an error: the value's items cannot be picked at run time.
static bool canPick(Context &cx, const Value &matrix, bool isRow, SourceRange at) {
  if (isRow)
    error(cx, at, Problem::RowPickedAtRunTime, "a row of a matrix cannot be picked at run time",
          "give both indices");
  else if (matrix.items.empty())
    error(cx, at, Problem::IndexOutsideVector,
          describe(matrix) + " without items cannot be indexed");
  else if (const auto other = std::ranges::find_if_not(matrix.items, &Value::isNumber);
           other != matrix.items.end())
    error(cx, at, Problem::TupleIndexedAtRunTime,
          "a tuple that holds " + describe(*other) + " cannot be indexed at run time",
          "loop over it, as in `for item in qd.static(items)`, and compare the item's "
          "number with the index");
  else
    return budget(cx, at, matrix.items.size());
  return false;
}

/// The variable from which the items can be loaded; absent where they are chosen among. Many items
/// that are not a variable's become one.
static std::optional<hir::BufferRef> tableOf(Context &cx, const Value &matrix,
                                             const std::vector<ExprRef> &items, SourceRange at) {
  if (cx.isHost())
    return std::nullopt;
  const std::optional<hir::BufferRef> variable = variableOf(cx, matrix.items);
  const bool isArgument = std::all_of(items.begin(), items.end(), [](const ExprRef &item) {
    return std::holds_alternative<hir::ParamRead>(item->node);
  });
  if (variable || items.size() <= hir::mostChoices || isArgument)
    return variable;
  std::vector<Value> scalars;
  for (const ExprRef &item : items)
    scalars.push_back(Value::scalar(item));
  const Value table = Value::matrix(unsigned(items.size()), 1, /*vector=*/true, std::move(scalars));
  const Value leaves = newVariableLeaves(cx, "table", table, at);
  assignLeaves(cx, leaves, table, nullptr, at);
  return variableOf(cx, leaves.items);
}

/// Returns the item whose number is known only at run time. It is a load from a variable
/// (hir::placeVariables says how), or a choice: among few items that do not belong to a variable,
/// and among those of an argument, which each thread would have to copy.
static Value pickAtRunTime(Context &cx, const Value &matrix, ExprRef number, SourceRange at) {
  number = makeCast(number, Type::I32, at);
  number = stable(cx, Value::scalar(number), at).expr;
  std::vector<ExprRef> items;
  if (!commonType(cx, items, matrix.items, at))
    return Value();
  if (const std::optional<hir::BufferRef> table = tableOf(cx, matrix, items, at)) {
    const Type type = items.front()->type;
    hir::Load load{*table, take(cx, std::move(number)), false};
    return stable(cx, Value::scalar(makeExpr(type, std::move(load), at)), at);
  }
  ExprRef result = items.back();
  for (size_t k = items.size() - 1; k-- > 0;) {
    ExprRef hit =
        makeBinary(hir::BinaryOp::Eq, number, makeInt(Exact(k), Type::I32, at), Type::Bool, at);
    result = makeSelect(std::move(hit), items[k], std::move(result), at);
  }
  return stable(cx, Value::scalar(std::move(result)), at);
}

/// Components of a value. Constant indices select directly.
Value indexMatrix(Context &cx, const Value &matrix, std::vector<Value> index, SourceRange at) {
  if (matrix.isPoison())
    return matrix;
  const unsigned dims = matrix.kind == Value::Matrix && !matrix.vector ? 2 : 1;
  if (index.empty() || index.size() > dims)
    return error(cx, at, Problem::VectorIndexCountWrong,
                 describe(matrix) + " takes " + std::to_string(dims) +
                     (dims == 1 ? " index" : " indices") + ", not " + std::to_string(index.size()));
  for (const Value &i : index)
    if (i.isPoison())
      return Value();
  if (hasSlice(index))
    return sliceOf(cx, matrix, index, at);
  const std::optional<Component> component = componentOf(cx, matrix, index, at);
  if (!component)
    return Value();
  const auto [row, column] = component->index;
  const bool isRow = dims == 2 && index.size() == 1;
  if (component->isKnown && isRow) {
    const auto first = matrix.items.begin() + long(row) * matrix.cols;
    return Value::matrix(matrix.cols, 1, true, std::vector<Value>(first, first + matrix.cols));
  }
  if (component->isKnown)
    return matrix.items[size_t(row) * (dims == 2 ? matrix.cols : 1) + size_t(column)];
  if (!canPick(cx, matrix, isRow, at))
    return Value();
  checkComponents(cx, index, unsigned(component->extents[0]), matrix.cols, dims == 1, at);
  ExprRef number = componentNumber(cx, index, matrix.cols, at);
  return number ? pickAtRunTime(cx, matrix, std::move(number), at) : Value();
}

} // namespace sextant::sema
