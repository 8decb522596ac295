// Places that can be assigned: variables and their components, elements of arrays.
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/tasks/Checks.h"
#include "frontend/sema/tasks/Launch.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>

namespace sextant::sema {

static bool isShared(Context &cx, const Variable &variable);
static hir::BufferRef bufferOf(Context &cx, const std::shared_ptr<ArrayRef> &array);
static std::optional<Place> componentPlaces(Context &cx, const Place &whole,
                                            const std::vector<std::vector<Value>> &indices,
                                            SourceRange at);
static std::optional<Place> placeOf(Context &cx, const Value &value, SourceRange at);
static ExprRef indexScalar(Context &cx, const Value &value, SourceRange at);

using hir::Type;

hir::BufferRef bufferOf(Context &cx, const std::shared_ptr<ArrayRef> &array) {
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
    hidden.count = array->element.count();
    for (const Value &extent : array->shape) {
      hidden.shape.push_back(int64_t(extent.integer));
      hidden.count *= uint64_t(extent.integer);
    }
    it->second = cx.draft.addHidden(std::move(hidden));
    cx.keepAlive.push_back(array);
  }
  return {hir::BufferRef::Param, it->second};
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
  error(cx, at, Problem::IndexNotInteger, "an index has to be an integer, not " + describe(value),
        value.isNumber() ? "cast it, as in `qd.i32(...)`" : "");
  return nullptr;
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

std::optional<Place> elementPlace(Context &cx, const std::shared_ptr<ArrayRef> &array,
                                  const Value &index, SourceRange at) {
  if (index.isPoison())
    return std::nullopt;
  std::vector<Value> list = indexList(index);
  auto &shape = array->shape;
  if (list.size() != shape.size()) {
    error(cx, at, Problem::IndexCountWrong,
          "`" + array->name + "` has " + std::to_string(shape.size()) + " dimension" +
              (shape.size() == 1 ? "" : "s") + ", but is indexed with " +
              std::to_string(list.size()) + (list.size() == 1 ? " index" : " indices"),
          shape.empty() ? "write `" + array->name + "[None]`" : "");
    return std::nullopt;
  }
  std::vector<ExprRef> indices;
  Type type = Type::I32;
  ExprRef guard;
  for (size_t k = 0; k < list.size(); ++k) {
    ExprRef e = indexScalar(cx, list[k], at);
    if (!e)
      return std::nullopt;
    Exact constant = 0;
    if (constInt(*e, constant)) {
      if (constant < 0 || (shape[k].kind == Value::Int && constant >= shape[k].integer)) {
        error(cx, at, Problem::IndexOutsideExtent,
              "the index " + spell(constant) + " is outside of `" + array->name + "`" +
                  (shape[k].kind == Value::Int ? ", whose extent is " + spell(shape[k].integer)
                                               : ": indices count from 0"));
        return std::nullopt;
      }
    }
    if (cx.options.checks && !cx.isHost()) {
      // The tested value must be the used one, even if the variable changes in between.
      list[k] = snapshot(cx, list[k], at);
      e = indexScalar(cx, list[k], at);
      guard = both(guard,
                   checkIndex(cx, list[k].kind == Value::Scalar ? list[k].expr : e, shape[k], at,
                              "index ",
                              " is out of bounds: axis " + std::to_string(k) + " of '" +
                                  array->name + "' has size "),
                   at);
    }
    if (e->type == Type::I64)
      type = Type::I64;
    indices.push_back(std::move(e));
  }
  ExprRef linear = makeInt(0, type, at);
  for (size_t k = 0; k < indices.size(); ++k) {
    if (k > 0) {
      ExprRef extent = makeCast(convert(cx, shape[k], Type::I32, at), type, at);
      linear = makeBinary(hir::BinaryOp::Mul, std::move(linear), std::move(extent), type, at);
    }
    linear = makeBinary(hir::BinaryOp::Add, std::move(linear),
                        makeCast(std::move(indices[k]), type, at), type, at);
  }
  Place place;
  place.kind = Place::Memory;
  place.array = array;
  place.buffer = bufferOf(cx, array);
  place.element = array->element;
  place.guard = guard;
  place.at = at;
  place.index = makeBinary(hir::BinaryOp::Mul, std::move(linear),
                           makeInt(array->element.count(), type, at), type, at);
  return place;
}

/// Returns the components that `.x`, `.rgb` and so on name, in order; empty for other names.
std::vector<unsigned> swizzle(std::string_view name) {
  for (std::string_view set : {"xyzw", "rgba", "stpq"}) {
    if (name.size() > 4 || name.find_first_not_of(set) != std::string_view::npos)
      continue;
    std::vector<unsigned> components;
    for (char c : name)
      components.push_back(unsigned(set.find(c)));
    return components;
  }
  return {};
}

/// Several components of a vector. Each is a place of its own.
std::optional<Place> componentPlaces(Context &cx, const Place &whole,
                                     const std::vector<std::vector<Value>> &indices,
                                     SourceRange at) {
  Place place;
  place.kind = Place::Several;
  place.at = at;
  for (auto &index : indices) {
    auto part = componentPlace(cx, whole, index, at);
    if (!part)
      return std::nullopt;
    place.parts.push_back(std::move(*part));
  }
  place.element = {whole.element.type, unsigned(indices.size()), 1, true, true};
  return place;
}

/// True if the variable is in memory here: it belongs to the kernel, and many threads run.
bool isShared(Context &cx, const Variable &variable) {
  return cx.region != 0 && variable.region == 0 && !variable.alias && !variable.readOnly &&
         (variable.value.kind == Value::Scalar || variable.value.kind == Value::Matrix);
}

/// True if the threads of this parallel loop change it, so that each read is a read of memory.
bool isChanging(Context &cx, const Variable &variable) {
  return isShared(cx, variable) && variable.changedIn == cx.region;
}

/// The memory of a variable that the threads of a parallel loop share.
Place sharedPlace(Variable &variable, SourceRange at) {
  variable.known.reset();
  const Value &value = variable.value;
  const Value &first = value.kind == Value::Matrix ? value.items[0] : value;
  Place place;
  place.kind = Place::Memory;
  place.at = at;
  place.buffer = {hir::BufferRef::Carry, std::get<hir::LocalRead>(first.expr->node).local};
  place.index = makeInt(0, Type::I32, at);
  place.element.type = first.expr->type;
  if (value.kind == Value::Matrix) {
    place.element.matrix = true;
    place.element.vector = value.vector;
    place.element.rows = value.rows;
    place.element.cols = value.cols;
  }
  return place;
}

/// A component of a vector or matrix place.
std::optional<Place> componentPlace(Context &cx, Place place, std::vector<Value> index,
                                    SourceRange at) {
  ElementType &element = place.element;
  if (!element.matrix) {
    error(cx, at, Problem::IndexOfScalarElement,
          "this is a single " + spell(element.type) + " and has no components");
    return std::nullopt;
  }
  unsigned wanted = element.vector ? 1 : 2;
  if (index.size() == 1 && wanted == 2) { // a row
    std::vector<std::vector<Value>> row;
    for (unsigned c = 0; c < element.cols; ++c)
      row.push_back({index[0], Value::exactInt(c)});
    return componentPlaces(cx, place, row, at);
  }
  if (index.size() != wanted) {
    error(cx, at, Problem::ComponentIndexCountWrong,
          std::string("a ") + (element.vector ? "vector" : "matrix") + " takes " +
              std::to_string(wanted) + (wanted == 1 ? " index" : " indices") + " here, not " +
              std::to_string(index.size()));
    return std::nullopt;
  }
  for (size_t k = 0; k < index.size(); ++k) {
    if (index[k].isPoison())
      return std::nullopt;
    Exact constant = 0;
    bool known = index[k].kind == Value::Int;
    if (known)
      constant = index[k].integer;
    else if (index[k].kind == Value::Scalar)
      known = constInt(*index[k].expr, constant);
    unsigned extent = k == 0 ? element.rows : element.cols;
    if (known && (constant < 0 || constant >= extent)) {
      error(cx, at, Problem::ComponentOutside,
            "the component " + spell(constant) + " is outside of " + spell(element));
      return std::nullopt;
    }
  }
  if (place.kind == Place::Several) { // of several components, one
    auto k = exactInt(cx, index[0], at, "the component of a swizzle that is stored to");
    return k ? std::optional<Place>(place.parts[size_t(*k)]) : std::nullopt;
  }
  if (place.kind == Place::Local) {
    place.path = index;
  } else {
    place.guard =
        both(place.guard,
             checkComponents(cx, index, element.rows, element.cols, element.vector, at), at);
    ExprRef r = indexScalar(cx, index[0], at);
    if (!r)
      return std::nullopt;
    if (wanted == 2) {
      ExprRef c = indexScalar(cx, index[1], at);
      if (!c)
        return std::nullopt;
      r = makeBinary(hir::BinaryOp::Mul, makeCast(r, Type::I32, at),
                     makeInt(element.cols, Type::I32, at), Type::I32, at);
      r = makeBinary(hir::BinaryOp::Add, r, makeCast(c, Type::I32, at), Type::I32, at);
    }
    if (place.buffer.kind == hir::BufferRef::Carry && !place.guard && !asConst(*r)) {
      // Keeps the index of a variable's component from reaching other memory.
      r = stable(cx, Value::scalar(makeCast(r, Type::I32, at)), at).expr;
      ExprRef count = makeInt(element.count(), Type::U32, at);
      place.guard =
          makeBinary(hir::BinaryOp::Lt, makeCast(r, Type::U32, at), count, Type::Bool, at);
    }
    Type type = place.index->type;
    place.index = makeBinary(hir::BinaryOp::Add, place.index, makeCast(r, type, at), type, at);
  }
  element.rows = element.cols = 1;
  element.matrix = element.vector = false;
  return place;
}

/// Returns the place that an expression names, or nullopt after an error.
std::optional<Place> evalPlace(Context &cx, const ast::Expr &expr, bool forWrite) {
  if (auto *name = std::get_if<ast::Name>(&expr.node)) {
    if (auto variable = findVariable(cx, name->id);
        variable && !(variable->alias && variable->value.kind == Value::Array)) {
      Place place;
      if (isShared(cx, *variable))
        return sharedPlace(*variable, expr.at);
      place.kind = Place::Local;
      place.variable = variable;
      place.at = expr.at;
      const Value &value = variable->value;
      if (value.kind == Value::Tuple) {
        place.kind = Place::Items;
        place.items = value.items;
      } else if (value.kind == Value::Matrix) {
        place.element.matrix = true;
        place.element.vector = value.vector;
        place.element.rows = value.rows;
        place.element.cols = value.cols;
        place.element.type = value.items.empty() ? Type::I32 : typeOf(cx, value.items[0]);
      } else if (value.isNumber()) {
        place.element.type = typeOf(cx, value);
      }
      return place;
    }
  } else if (auto *subscript = std::get_if<ast::Subscript>(&expr.node)) {
    auto base = evalPlace(cx, *subscript->value, forWrite);
    if (!base)
      return std::nullopt;
    Value index = eval(cx, *subscript->index);
    if (index.isPoison())
      return std::nullopt;
    if (base->kind == Place::Items) {
      Value tuple = Value::tuple(std::move(base->items));
      Value item = indexMatrix(cx, tuple, indexList(index), expr.at);
      if (item.kind == Value::Scalar || item.isExact()) {
        error(cx, expr.at, Problem::TupleItemAssigned,
              "the items of a tuple or list cannot be assigned",
              "make it a vector, with `qd.Vector([...])`");
        return std::nullopt;
      }
      return placeOf(cx, item, expr.at);
    }
    if (base->kind == Place::Whole)
      return elementPlace(cx, base->array, stable(cx, std::move(index), expr.at), expr.at);
    return componentPlace(cx, std::move(*base), indexList(stable(cx, std::move(index), expr.at)),
                          expr.at);
  } else if (auto *attribute = std::get_if<ast::Attribute>(&expr.node)) {
    if (auto components = swizzle(attribute->name); !components.empty()) {
      const ast::Expr &inner = *attribute->value;
      bool isPlace = std::holds_alternative<ast::Subscript>(inner.node) ||
                     std::holds_alternative<ast::Attribute>(inner.node);
      if (auto *name = std::get_if<ast::Name>(&inner.node))
        isPlace = findVariable(cx, name->id) != nullptr;
      if (isPlace) {
        auto base = evalPlace(cx, inner, forWrite);
        if (!base)
          return std::nullopt;
        std::vector<std::vector<Value>> indices;
        for (unsigned k : components)
          indices.push_back({Value::exactInt(k)});
        if (components.size() == 1)
          return componentPlace(cx, std::move(*base), indices[0], expr.at);
        if (!base->element.vector) {
          error(cx, expr.at, Problem::SwizzleOfNoVector,
                "only a vector has components `." + std::string(attribute->name) + "`");
          return std::nullopt;
        }
        std::sort(components.begin(), components.end());
        if (std::adjacent_find(components.begin(), components.end()) != components.end()) {
          error(cx, expr.at, Problem::SwizzleRepeatsComponent,
                "`." + std::string(attribute->name) + "` names a component twice",
                "what is stored to names each component once");
          return std::nullopt;
        }
        return componentPlaces(cx, *base, indices, expr.at);
      }
    }
  }
  return placeOf(cx, eval(cx, expr), expr.at);
}

/// Returns the place that a value stands for: an array, or a tuple of arrays.
std::optional<Place> placeOf(Context &cx, const Value &value, SourceRange at) {
  Place place;
  place.at = at;
  if (value.kind == Value::Array) {
    place.kind = Place::Whole;
    place.array = value.array;
    return place;
  }
  if (value.kind == Value::Tuple) {
    place.kind = Place::Items;
    place.items = value.items;
    return place;
  }
  if (!value.isPoison())
    error(cx, at, Problem::NotAPlace, describe(value) + " is not a place in memory",
          "name an element of an ndarray, a field or a SharedArray");
  return std::nullopt;
}

Value readPlace(Context &cx, const Place &place, SourceRange at, bool isVolatile) {
  if (place.kind == Place::Whole) {
    Value v = Value::of(Value::Array);
    v.array = place.array;
    return v;
  }
  if (place.kind == Place::Items)
    return Value::tuple(place.items);
  if (place.kind == Place::Several) {
    std::vector<Value> items;
    for (const Place &part : place.parts)
      items.push_back(readPlace(cx, part, at, isVolatile));
    return Value::matrix(place.element.rows, 1, true, std::move(items));
  }
  if (place.kind == Place::Local) {
    Value value = place.variable->known ? *place.variable->known : place.variable->value;
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
  for (unsigned k = 0; k < count; ++k) {
    ExprRef index =
        makeBinary(hir::BinaryOp::Add, base, makeInt(k, base->type, at), base->type, at);
    ExprRef load =
        makeExpr(place.element.type,
                 hir::Load{place.buffer, take(cx, std::move(index)), isVolatile || cx.waiting}, at);
    items.push_back(temp(cx, guarded(cx, place.guard, std::move(load)), at, "v"));
  }
  if (!place.element.matrix)
    return items[0];
  return Value::matrix(place.element.rows, place.element.cols, place.element.vector,
                       std::move(items));
}

void writePlace(Context &cx, const Place &place, const Value &value, SourceRange at) {
  if (value.isPoison())
    return;
  if (place.kind == Place::Whole) {
    error(cx, at, Problem::WholeArrayAssigned, "a whole array cannot be assigned",
          "assign its elements in a loop");
    return;
  }
  if (place.kind == Place::Items) {
    if (place.variable)
      return assignVariable(cx, place.variable, value, at);
    error(cx, at, Problem::TupleItemAssigned, "the items of a tuple or list cannot be assigned",
          "make it a vector, with `qd.Vector([...])`");
    return;
  }
  if (place.kind == Place::Several) {
    Value cast = snapshot(cx, castTo(cx, value, place.element, at), at);
    for (size_t k = 0; k < place.parts.size() && !cast.isPoison(); ++k)
      writePlace(cx, place.parts[k], cast.items[k], at);
    return;
  }
  if (place.kind == Place::Local) {
    VariablePtr variable = place.variable;
    if (place.path.empty())
      return assignVariable(cx, variable, value, at);
    if (variable->alias || variable->readOnly) {
      error(cx, at, Problem::NameNotChangeable, "`" + variable->name + "` cannot be changed here",
            "copy it into a variable of its own first");
      return;
    }
    variable->known.reset();
    Value &matrix = variable->value;
    Value scalar = stable(cx, value, at);
    std::optional<ExprRef> dynamic;
    Exact constant = 0;
    auto known = [&](const Value &v, Exact &out) {
      if (v.kind == Value::Int) {
        out = v.integer;
        return true;
      }
      return v.kind == Value::Scalar && constInt(*v.expr, out);
    };
    std::vector<Exact> at2(place.path.size());
    bool allKnown = true;
    for (size_t k = 0; k < place.path.size(); ++k)
      allKnown &= known(place.path[k], at2[k]);
    if (allKnown) {
      size_t k = size_t(at2[0]) * (at2.size() == 2 ? matrix.cols : 1) +
                 (at2.size() == 2 ? size_t(at2[1]) : 0);
      assignLeaves(cx, matrix.items[k], scalar, variable, at);
      return;
    }
    (void)constant;
    std::vector<Value> path = place.path;
    checkComponents(cx, path, matrix.rows, matrix.cols, matrix.vector, at);
    ExprRef linear = indexScalar(cx, path[0], at);
    if (!linear)
      return;
    linear = makeCast(linear, Type::I32, at);
    if (path.size() == 2) {
      ExprRef c = indexScalar(cx, path[1], at);
      if (!c)
        return;
      linear = makeBinary(hir::BinaryOp::Mul, linear, makeInt(matrix.cols, Type::I32, at),
                          Type::I32, at);
      linear = makeBinary(hir::BinaryOp::Add, linear, makeCast(c, Type::I32, at), Type::I32, at);
    }
    linear = stable(cx, Value::scalar(linear), at).expr;
    for (size_t k = 0; k < matrix.items.size(); ++k) {
      const Value &leaf = matrix.items[k];
      ExprRef fresh = convert(cx, scalar, leaf.expr->type, at);
      if (!fresh)
        return;
      ExprRef hit =
          makeBinary(hir::BinaryOp::Eq, linear, makeInt(Exact(k), Type::I32, at), Type::Bool, at);
      assignLeaves(cx, leaf, Value::scalar(makeSelect(hit, fresh, leaf.expr, at)), variable, at);
    }
    return;
  }
  // Memory.
  Value cast = castTo(cx, value, place.element, at);
  if (cast.isPoison())
    return;
  if (!place.element.matrix) {
    emitGuarded(cx, place.guard, at,
                {place.buffer, take(cx, place.index), take(cx, std::move(cast.expr)), false});
    return;
  }
  ExprRef base = stable(cx, Value::scalar(place.index), at).expr;
  for (unsigned k = 0; k < place.element.count(); ++k) {
    ExprRef index =
        makeBinary(hir::BinaryOp::Add, base, makeInt(k, base->type, at), base->type, at);
    emitGuarded(
        cx, place.guard, at,
        {place.buffer, take(cx, std::move(index)), take(cx, std::move(cast.items[k].expr)), false});
  }
}

/// Components of a value: constant indices select directly, run-time indices through selects.
Value indexMatrix(Context &cx, const Value &matrix, std::vector<Value> index, SourceRange at) {
  if (matrix.isPoison())
    return matrix;
  auto known = [&](const Value &v, Exact &out) {
    if (v.kind == Value::Int) {
      out = v.integer;
      return true;
    }
    return v.kind == Value::Scalar && constInt(*v.expr, out);
  };
  bool isMatrix = matrix.kind == Value::Matrix;
  unsigned dims = isMatrix && !matrix.vector ? 2 : 1;
  if (index.empty() || index.size() > dims)
    return error(cx, at, Problem::VectorIndexCountWrong,
                 describe(matrix) + " takes " + std::to_string(dims) +
                     (dims == 1 ? " index" : " indices") + ", not " + std::to_string(index.size()));
  for (const Value &i : index)
    if (i.isPoison())
      return Value();
  Exact extents[2] = {isMatrix ? Exact(matrix.rows) : Exact(matrix.items.size()),
                      isMatrix ? Exact(matrix.cols) : 1};
  Exact at2[2] = {0, 0};
  bool allKnown = true;
  for (size_t k = 0; k < index.size(); ++k) {
    bool one = known(index[k], at2[k]);
    allKnown &= one;
    if (!one)
      continue;
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
  for (const Value &item : matrix.items)
    if (!item.isNumber())
      return error(cx, at, Problem::TupleIndexedAtRunTime,
                   "a tuple that holds " + describe(item) + " cannot be indexed at run time");
  if (!budget(cx, at, matrix.items.size()))
    return Value();
  checkComponents(cx, index, unsigned(extents[0]), matrix.cols, dims == 1, at);
  ExprRef linear = indexScalar(cx, index[0], at);
  if (!linear)
    return Value();
  linear = makeCast(linear, Type::I32, at);
  if (dims == 2) {
    ExprRef c = indexScalar(cx, index[1], at);
    if (!c)
      return Value();
    linear =
        makeBinary(hir::BinaryOp::Mul, linear, makeInt(matrix.cols, Type::I32, at), Type::I32, at);
    linear = makeBinary(hir::BinaryOp::Add, linear, makeCast(c, Type::I32, at), Type::I32, at);
  }
  linear = stable(cx, Value::scalar(linear), at).expr;
  std::vector<ExprRef> items;
  if (!commonType(cx, items, matrix.items, at))
    return Value();
  ExprRef result = items.back();
  for (size_t k = items.size() - 1; k-- > 0;) {
    ExprRef hit =
        makeBinary(hir::BinaryOp::Eq, linear, makeInt(Exact(k), Type::I32, at), Type::Bool, at);
    result = makeSelect(std::move(hit), items[k], std::move(result), at);
  }
  return stable(cx, Value::scalar(std::move(result)), at);
}

//===--- Variables ---------------------------------------------------------===//

Value snapshot(Context &cx, Value value, SourceRange at) {
  if (value.kind == Value::Scalar &&
      !(asConst(*value.expr) || std::holds_alternative<hir::ParamRead>(value.expr->node)))
    return temp(cx, std::move(value.expr), at);
  if (value.kind == Value::Matrix || value.kind == Value::Tuple)
    for (Value &item : value.items)
      item = snapshot(cx, std::move(item), at);
  return value;
}

/// Makes locals for every leaf of a value.
Value newVariableLeaves(Context &cx, const std::string &name, const Value &value, SourceRange at) {
  Value leaves = value;
  leaves.isStatic = false;
  if (value.kind == Value::Scalar) {
    Type type = value.expr->type;
    leaves.expr = makeLocal(newLocal(cx, name, type), type, at);
  } else if (value.kind == Value::Matrix) { // one type, and locals side by side
    Type type = typeOf(cx, value.items[0]);
    for (const Value &item : value.items)
      type = promote(type, typeOf(cx, item));
    cx.draft.variables[unsigned(cx.draft.locals.size())] = {name, unsigned(value.items.size())};
    for (size_t i = 0; i < leaves.items.size(); ++i)
      leaves.items[i] =
          Value::scalar(makeLocal(newLocal(cx, name + "_" + std::to_string(i), type), type, at));
  } else if (value.kind == Value::Tuple) {
    for (size_t i = 0; i < leaves.items.size(); ++i)
      leaves.items[i] = newVariableLeaves(cx, name + "_" + std::to_string(i), value.items[i], at);
  }
  return leaves;
}

/// True if debuggers are to show the variables of the current function.
bool showsVariables(Context &cx) {
  return cx.options.variables && !cx.isHost() && cx.frame().module->library.empty();
}

/// Tells debuggers that `leaves` are the variable `name`.
void nameLeaves(Context &cx, const std::string &name, const Value &leaves, SourceRange at,
                unsigned parameter) {
  auto nameLocal = [&](const Value &leaf, unsigned component) {
    if (leaf.kind != Value::Scalar)
      return;
    hir::Local &local = cx.draft.locals[std::get<hir::LocalRead>(leaf.expr->node).local];
    local.variable = unsigned(cx.draft.kernel.variables.size() - 1);
    local.component = component;
  };
  if (leaves.kind == Value::Scalar) {
    cx.draft.kernel.variables.push_back({name, at, 1, 1, cx.frame().call, parameter});
    nameLocal(leaves, 0);
  } else if (leaves.kind == Value::Matrix) {
    cx.draft.kernel.variables.push_back(
        {name, at, leaves.rows, leaves.cols, cx.frame().call, parameter});
    for (size_t i = 0; i < leaves.items.size(); ++i)
      nameLocal(leaves.items[i], unsigned(i));
  } else if (leaves.kind == Value::Tuple) {
    for (size_t i = 0; i < leaves.items.size(); ++i)
      nameLeaves(cx, name + "_" + std::to_string(i), leaves.items[i], at);
  }
}

Value newVariable(Context &cx, const Variable &variable, const Value &value, SourceRange at,
                  unsigned parameter) {
  Value leaves = newVariableLeaves(cx, variable.name, value, at);
  if (showsVariables(cx))
    nameLeaves(cx, variable.name, leaves, variable.at, parameter);
  return leaves;
}

void assignLeaves(Context &cx, const Value &leaves, const Value &value, const VariablePtr &variable,
                  SourceRange at) {
  if (value.isPoison())
    return;
  switch (leaves.kind) {
  case Value::Scalar: {
    if (!value.isNumber()) {
      error(cx, at, Problem::VariableTypeFixed,
            "`" + variable->name + "` is a " + spell(leaves.expr->type) + " and cannot become " +
                describe(value),
            "a variable keeps the type of its first assignment; use another name");
      return;
    }
    ExprRef e = convert(cx, value, leaves.expr->type, at);
    if (e)
      emit(cx, at,
           hir::Assign{std::get<hir::LocalRead>(leaves.expr->node).local, take(cx, std::move(e))});
    return;
  }
  case Value::Matrix: {
    ElementType shape = elementOf(cx, leaves);
    Value from = value.kind == Value::Tuple ? toMatrix(cx, value, at) : value;
    if (from.isNumber())
      from = Value::matrix(leaves.rows, leaves.cols, leaves.vector,
                           std::vector<Value>(leaves.items.size(), stable(cx, from, at)));
    if (from.kind != Value::Matrix || from.rows != leaves.rows || from.cols != leaves.cols) {
      if (!from.isPoison())
        error(
            cx, at, Problem::VariableTypeFixed,
            "`" + variable->name + "` is a " + spell(shape) + " and cannot become " +
                (from.kind == Value::Matrix ? "a " + spell(elementOf(cx, from)) : describe(value)));
      return;
    }
    from = snapshot(cx, std::move(from), at);
    for (size_t i = 0; i < leaves.items.size(); ++i)
      assignLeaves(cx, leaves.items[i], from.items[i], variable, at);
    return;
  }
  case Value::Tuple: {
    if ((value.kind != Value::Tuple && value.kind != Value::Matrix) ||
        value.items.size() != leaves.items.size()) {
      error(cx, at, Problem::TupleTypeFixed,
            "`" + variable->name + "` is a tuple of " + std::to_string(leaves.items.size()) +
                " and cannot become " + describe(value));
      return;
    }
    Value from = snapshot(cx, value, at);
    for (size_t i = 0; i < leaves.items.size(); ++i)
      assignLeaves(cx, leaves.items[i], from.items[i], variable, at);
    return;
  }
  default:
    return; // compile-time parts of a tuple
  }
}

void assignVariable(Context &cx, const VariablePtr &variable, const Value &value, SourceRange at) {
  if (value.isPoison())
    return;
  if (variable->readOnly) {
    error(cx, at, Problem::ArgumentAssigned,
          "`" + variable->name + "` is an argument of the kernel and cannot be assigned",
          "copy it into a variable first");
    return;
  }
  if (variable->alias) {
    if (value.isStatic || !(value.isNumber() || value.isRuntime())) {
      variable->value = value;
      return;
    }
    error(cx, at, Problem::StaticNameAssigned,
          "`" + variable->name + "` is bound at compile time and cannot be assigned at run time",
          "use another name for the run-time value");
    return;
  }
  variable->known.reset();
  if ((cx.topLevel || cx.underKnownIf) && value.isNumber() &&
      variable->value.kind == Value::Scalar) {
    ExprRef e = convert(cx, value, variable->value.expr->type, at);
    if (e && hostComputable(*e) && sizeOf(*e, 40) < 40)
      variable->known = Value::scalar(e);
  }
  assignLeaves(cx, variable->value, value, variable, at);
}

} // namespace sextant::sema
