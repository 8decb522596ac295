// Finds places that can be assigned: variables and their components, elements of arrays.
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Levels.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Slices.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/eval/Views.h"
#include "frontend/sema/tasks/Launch.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>

namespace sextant::sema {

static bool isShared(Context &cx, const Variable &variable);
static hir::BufferRef bufferOf(Context &cx, const std::shared_ptr<ArrayRef> &array);
static std::optional<Place> componentPlaces(Context &cx, const Place &whole, const Picked &picked,
                                            SourceRange at);
static std::optional<Place> placeOf(Context &cx, const Value &value, SourceRange at);

using hir::Type;

hir::BufferRef bufferOf(Context &cx, const std::shared_ptr<ArrayRef> &array) {
  if (array->whole)
    return bufferOf(cx, array->whole);
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
  if (!e)
    return Value();
  const bool isWide = bitWidth(e->type) == 64 || bitWidth(typeOf(cx, extent)) == 64;
  const Type type = isWide ? Type::I64 : Type::I32;
  const Type compared = isUnsigned(e->type) ? unsignedOf(type) : type;
  const auto bounded = [&](hir::BinaryOp op, ExprRef a, ExprRef b) {
    const Type common = a->type;
    return makeBinary(op, std::move(a), std::move(b), common, at);
  };
  ExprRef last = bounded(hir::BinaryOp::Sub, convert(cx, extent, type, at), makeInt(1, type, at));
  last = bounded(hir::BinaryOp::Max, std::move(last), makeInt(0, type, at));
  e = bounded(hir::BinaryOp::Min, makeCast(e, compared, at),
              makeCast(std::move(last), compared, at));
  if (isSigned(compared))
    e = bounded(hir::BinaryOp::Max, std::move(e), makeInt(0, type, at));
  return Value::scalar(makeCast(std::move(e), type, at));
}

static std::optional<Position> positionOf(Context &cx, const ArrayRef &array,
                                          std::vector<Value> list, SourceRange at) {
  auto &shape = array.shape;
  if (array.isUnplaced) { // in a list, where no statement places it by its name
    error(cx, at, Problem::FieldWithoutShape,
          "this field has no `shape`, and no name by which a statement could place it",
          "write `shape=...`");
    return std::nullopt;
  }
  if (list.size() != shape.size()) {
    error(cx, at, Problem::IndexCountWrong,
          "`" + array.name + "` has " + std::to_string(shape.size()) + " dimension" +
              (shape.size() == 1 ? "" : "s") + ", but is indexed with " +
              std::to_string(list.size()) + (list.size() == 1 ? " index" : " indices"),
          shape.empty() ? "write `" + array.name + "[None]`" : "",
          {{array.at, "`" + array.name + "` is declared here"}});
    return std::nullopt;
  }
  if (hasSlice(list)) {
    error(cx, at, Problem::SliceOfArray,
          "`" + array.name + "` is an array: only tiles take slices of arrays",
          "loop over the elements");
    return std::nullopt;
  }
  std::vector<ExprRef> indices;
  const Type least = positionType(cx, array);
  Type type = least;
  ExprRef guard;
  for (size_t k = 0; k < list.size(); ++k) {
    ExprRef e = indexScalar(cx, list[k], at);
    if (!e)
      return std::nullopt;
    if (array.clamps) {
      list[k] = nearestIndex(cx, list[k], shape[k], at);
      e = indexScalar(cx, list[k], at);
    }
    const Exact first = firstIndex(array, k);
    Exact constant = 0;
    if (constInt(*e, constant)) {
      if (constant < first ||
          (shape[k].kind == Value::Int && constant - first >= shape[k].integer)) {
        error(cx, at, Problem::IndexOutsideExtent,
              "the index " + spell(constant) + " is outside of `" + array.name + "`" +
                  (first ? ", whose indices are " + spell(first) + " to " +
                               spell(first + shape[k].integer - 1)
                   : shape[k].kind == Value::Int ? ", whose extent is " + spell(shape[k].integer)
                                                 : ": indices count from 0"));
        return std::nullopt;
      }
    }
    if (cx.options.checks && !cx.isHost()) {
      // The tested value must be the used one, even if the variable changes in between.
      list[k] = snapshot(cx, list[k], at);
      e = indexScalar(cx, list[k], at);
      guard = both(
          guard,
          checkIndex(cx, list[k].kind == Value::Scalar ? list[k].expr : e, shape[k], at, "index ",
                     " is out of bounds: axis " + std::to_string(k) + " of '" + array.name + "' " +
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
    if (e->type == Type::I64)
      type = Type::I64;
    indices.push_back(std::move(e));
  }
  if (!array.levels.empty())
    return Position{atLevels(cx, array, std::move(indices), type, at), std::move(guard)};
  ExprRef linear = makeInt(0, type, at);
  for (size_t level = 0; level < indices.size(); ++level) {
    const size_t k = array.axisAt(level);
    if (level > 0) {
      ExprRef extent = makeCast(convert(cx, shape[k], least, at), type, at);
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
                                         std::vector<Value> index, SourceRange at) {
  for (Value &item : index)
    item = snapshot(cx, item, at);
  Place place;
  place.array = array;
  place.at = at;
  place.kind = Place::Record;
  place.structure = array->structure;
  for (const std::shared_ptr<ArrayRef> &member : array->members) {
    std::optional<Place> part = elementPlace(cx, member, Value::tuple(index), at);
    if (!part)
      return std::nullopt;
    place.parts.push_back(std::move(*part));
  }
  return place;
}

std::optional<Place> elementPlace(Context &cx, const std::shared_ptr<ArrayRef> &array,
                                  const Value &index, SourceRange at) {
  if (index.isPoison())
    return std::nullopt;
  if (array->structure && hasLevels(*array))
    return memberPlaces(cx, array, indexList(index), at);
  std::optional<Position> position = positionOf(cx, *array, indexList(index), at);
  if (!position)
    return std::nullopt;
  if (array->structure) // all members are at one position
    position->linear = stable(cx, Value::scalar(position->linear), at).expr;
  return placeAt(cx, array, *position, at);
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

/// Several components. Each is a place of its own.
std::optional<Place> componentPlaces(Context &cx, const Place &whole, const Picked &picked,
                                     SourceRange at) {
  Place place;
  place.kind = Place::Several;
  place.at = at;
  for (auto &index : picked.indices) {
    auto part = componentPlace(cx, whole, index, at);
    if (!part)
      return std::nullopt;
    place.parts.push_back(std::move(*part));
  }
  place.element = {whole.element.type, picked.rows, picked.cols, true, picked.vector};
  return place;
}

/// True if all that a value consists of is in locals: a tuple may have parts of compile time.
static bool isInLocals(const Value &value) {
  if (value.kind == Value::Tuple)
    return !value.items.empty() && std::all_of(value.items.begin(), value.items.end(), isInLocals);
  return value.kind == Value::Scalar || value.kind == Value::Matrix || value.kind == Value::Struct;
}

/// True if the variable is in memory here: it belongs to the kernel, and many threads run.
bool isShared(Context &cx, const Variable &variable) {
  return cx.region != 0 && variable.region == 0 && !variable.alias && !variable.readOnly &&
         isInLocals(variable.value);
}

/// True if the threads of this parallel loop change it, so that each read is a read of memory.
bool isChanging(Context &cx, const Variable &variable) {
  return isShared(cx, variable) && variable.changedIn == cx.region;
}

/// The memory of the locals that a value consists of.
static Place sharedValue(const Value &value, SourceRange at) {
  Place place;
  place.at = at;
  if (value.kind == Value::Struct || value.kind == Value::Tuple) {
    place.kind = value.kind == Value::Struct ? Place::Record : Place::Items;
    place.structure = value.type.structure;
    for (const Value &item : value.items)
      place.parts.push_back(sharedValue(item, at));
    return place;
  }
  const Value &first = value.kind == Value::Matrix ? value.items[0] : value;
  place.kind = Place::Memory;
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

Place sharedPlace(Variable &variable, SourceRange at) {
  variable.known.reset();
  return sharedValue(variable.value, at);
}

const Value &localValue(const Place &place) {
  const Value *value = place.variable->known ? &*place.variable->known : &place.variable->value;
  for (size_t k : place.members)
    value = &value->items[k];
  return *value;
}

/// Sets what a place in a variable has of the value there.
static std::optional<Place> describeLocal(Context &cx, Place place) {
  const Value &value = localValue(place);
  if (value.isPoison())
    return std::nullopt;
  place.structure = nullptr;
  if (value.kind == Value::Tuple) {
    place.kind = Place::Items;
    place.items = value.items;
  } else if (value.kind == Value::Matrix) {
    place.element.matrix = true;
    place.element.vector = value.vector;
    place.element.rows = value.rows;
    place.element.cols = value.cols;
    place.element.type = value.items.empty() ? Type::I32 : typeOf(cx, value.items[0]);
  } else if (value.kind == Value::Struct) {
    place.structure = value.type.structure;
  } else if (value.kind == Value::Array) {
    place.kind = Place::Whole;
    place.array = value.array;
  } else if (value.isNumber()) {
    place.element.type = typeOf(cx, value);
  }
  return place;
}

/// A member of a struct's place.
static std::optional<Place> memberPlace(Context &cx, Place whole, std::string_view name,
                                        SourceRange at) {
  const std::optional<size_t> k = whole.structure->find(name);
  const auto isElsewhere = [&](const Value &item) {
    return item.kind == Value::Absent || leadsElsewhere(item);
  };
  if (!k || (whole.kind == Place::Local && isElsewhere(localValue(whole).items[*k]))) {
    Value object =
        whole.kind == Place::Local ? localValue(whole) : Value::ofStruct(whole.structure, {});
    Value value = structMember(cx, object, name, at);
    return placeOf(cx, value, at); // what a property yields, or what another path leads to
  }
  if (whole.kind == Place::Record)
    return whole.parts[*k];
  whole.members.push_back(*k);
  whole.at = at;
  return describeLocal(cx, std::move(whole));
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
  if (hasSlice(index) || (index.size() == 1 && wanted == 2)) { // a row is a slice
    std::vector<unsigned> extents = {element.rows};
    if (wanted == 2)
      extents.push_back(element.cols);
    const std::optional<Picked> picked = pick(cx, index, extents, at);
    return picked ? componentPlaces(cx, place, *picked, at) : std::nullopt;
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
    const std::optional<Exact> known = knownInt(index[k]);
    unsigned extent = k == 0 ? element.rows : element.cols;
    if (known && (*known < 0 || *known >= extent)) {
      error(cx, at, Problem::ComponentOutside,
            "the component " + spell(*known) + " is outside of " + spell(element));
      return std::nullopt;
    }
  }
  if (place.kind == Place::Several) { // of several components, one
    size_t part = 0;
    for (const Value &one : index) {
      auto k = exactInt(cx, one, at, "the component of a swizzle or slice that is stored to");
      if (!k)
        return std::nullopt;
      part = part * element.cols + size_t(*k);
    }
    return place.parts[part];
  }
  if (place.kind == Place::Local) {
    place.path = index;
  } else {
    place.guard =
        both(place.guard,
             checkComponents(cx, index, element.rows, element.cols, element.vector, at), at);
    ExprRef r = componentNumber(cx, index, element.cols, at);
    if (!r)
      return std::nullopt;
    if (place.buffer.kind == hir::BufferRef::Carry && !place.guard && !asConst(*r)) {
      // Keeps the index of a variable's component from reaching other memory.
      r = stable(cx, Value::scalar(makeCast(r, Type::I32, at)), at).expr;
      ExprRef count = makeInt(element.count(), Type::U32, at);
      place.guard =
          makeBinary(hir::BinaryOp::Lt, makeCast(r, Type::U32, at), count, Type::Bool, at);
    }
    Type type = place.index->type;
    place.index = makePosition(hir::BinaryOp::Add, place.index, makeCast(r, type, at), at);
  }
  element.rows = element.cols = 1;
  element.matrix = element.vector = false;
  return place;
}

/// Returns the item of a tuple or list that a variable has in locals; nullopt for all other items.
static std::optional<Place> itemPlace(Context &cx, const Place &whole, const Value &index,
                                      SourceRange at) {
  const size_t count = whole.parts.empty() ? whole.items.size() : whole.parts.size();
  const std::vector<Value> list = indexList(index);
  const std::optional<Exact> known = list.size() == 1 ? knownInt(list[0]) : std::nullopt;
  if (!known || *known >= Exact(count) || *known < -Exact(count))
    return std::nullopt;
  const size_t number = size_t(*known < 0 ? *known + Exact(count) : *known);
  if (!whole.parts.empty())
    return whole.parts[number];
  if (!whole.variable || whole.variable->alias || !isInLocals(whole.items[number]))
    return std::nullopt;
  Place item = whole;
  item.kind = Place::Local;
  item.at = at;
  item.items.clear();
  item.members.push_back(number);
  return describeLocal(cx, std::move(item));
}

/// The place of `base[index]`.
static std::optional<Place> subscriptPlace(Context &cx, const ast::Subscript &subscript,
                                           SourceRange at, bool forWrite) {
  auto base = evalPlace(cx, *subscript.value, forWrite);
  if (!base)
    return std::nullopt;
  Value index = eval(cx, *subscript.index);
  if (index.isPoison() || !areIntegers(cx, index, *subscript.index))
    return std::nullopt;
  if (base->kind == Place::Items) {
    if (auto item = itemPlace(cx, *base, index, at))
      return item;
    Value tuple = readPlace(cx, *base, at);
    Value item = indexMatrix(cx, tuple, indexList(index), at);
    if (item.kind == Value::Scalar || item.isExact()) {
      error(cx, at, Problem::TupleItemAssigned, "the items of a tuple or list cannot be assigned",
            "make it a vector, with `qd.Vector([...])`");
      return std::nullopt;
    }
    return placeOf(cx, item, at);
  }
  if (base->kind == Place::Whole && base->array->isView && hasSlice({index}))
    return placeOf(cx, sliceOfView(cx, base->array, index, at), at);
  if (base->kind == Place::Whole)
    return elementPlace(cx, base->array, stable(cx, std::move(index), at), at);
  return componentPlace(cx, std::move(*base), indexList(stable(cx, std::move(index), at)), at);
}

/// Returns the place that an expression names, or nullopt after an error.
std::optional<Place> evalPlace(Context &cx, const ast::Expr &expr, bool forWrite) {
  if (auto *name = std::get_if<ast::Name>(&expr.node)) {
    if (auto variable = findVariable(cx, name->id);
        variable && !(variable->alias && variable->value.kind == Value::Array)) {
      if (variable->place)
        return *variable->place;
      if (isShared(cx, *variable))
        return sharedPlace(*variable, expr.at);
      Place place;
      place.kind = Place::Local;
      place.variable = variable;
      place.at = expr.at;
      return describeLocal(cx, std::move(place));
    }
  } else if (auto *subscript = std::get_if<ast::Subscript>(&expr.node)) {
    return subscriptPlace(cx, *subscript, expr.at, forWrite);
  } else if (auto *attribute = std::get_if<ast::Attribute>(&expr.node)) {
    if (structAt(cx, *attribute->value)) {
      auto base = evalPlace(cx, *attribute->value, forWrite);
      return base ? memberPlace(cx, std::move(*base), attribute->name, expr.at) : std::nullopt;
    }
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
        if (base->kind == Place::Whole) // a member of an array of structs has that name, `f.q`
          return placeOf(cx, eval(cx, expr), expr.at);
        Picked picked;
        picked.rows = unsigned(components.size());
        for (unsigned k : components)
          picked.indices.push_back({Value::exactInt(k)});
        if (components.size() == 1)
          return componentPlace(cx, std::move(*base), picked.indices[0], expr.at);
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
        return componentPlaces(cx, *base, picked, expr.at);
      }
    }
  }
  return placeOf(cx, eval(cx, expr), expr.at);
}

/// Returns the place that a value stands for: an array, a tuple of arrays, or a struct without a
/// name, such as an object in a list.
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
  if (value.kind == Value::Struct) {
    place.kind = Place::Local;
    place.variable = std::make_shared<Variable>();
    place.variable->name = value.text.empty() ? "this struct" : value.text;
    place.variable->alias = place.variable->readOnly = true;
    place.variable->value = value;
    return describeLocal(cx, std::move(place));
  }
  if (!value.isPoison())
    error(cx, at, Problem::NotAPlace, describe(value) + " is not a place in memory",
          "name an element of an ndarray, a field or a SharedArray");
  return std::nullopt;
}

} // namespace sextant::sema
