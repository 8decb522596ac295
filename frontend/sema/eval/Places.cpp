// Finds places that can be assigned: variables, and components of places.
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Slices.h"
#include "frontend/sema/eval/Views.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/spelling/Texts.h"

#include <algorithm>

namespace sextant::sema {

using hir::Type;

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
static std::optional<Place> componentPlaces(Context &cx, const Place &whole, const Picked &picked,
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

bool isInLocals(const Value &value) {
  if (value.kind == Value::Tuple)
    return !value.items.empty() && std::all_of(value.items.begin(), value.items.end(), isInLocals);
  return value.kind == Value::Scalar || value.kind == Value::Matrix || value.kind == Value::Struct;
}

/// True if the variable is in memory here: it belongs to the kernel, and many threads run.
static bool isShared(Context &cx, const Variable &variable) {
  return cx.region != 0 && variable.region == 0 && !variable.alias && !variable.readOnly &&
         variable.value.isRuntime();
}

/// True if the threads of this parallel loop change it, so that each read is a read of memory.
bool isChanging(Context &cx, const Variable &variable) {
  return isShared(cx, variable) && variable.changedIn == cx.region;
}

/// The place of a value that is in no variable.
static Place knownPlace(const Value &value, SourceRange at) {
  Place place;
  place.at = at;
  if (value.kind == Value::Array) {
    place.kind = Place::Whole;
    place.array = value.array;
  } else if (value.kind == Value::Tuple) {
    place.kind = Place::Items;
    place.items = value.items;
  } else if (value.kind == Value::Struct || value.kind == Value::Dict) {
    place.kind = Place::Local;
    place.structure = value.type.structure;
    place.variable = std::make_shared<Variable>();
    place.variable->name = value.text.empty() ? "this struct" : value.text;
    place.variable->alias = place.variable->readOnly = true;
    place.variable->value = value;
  } else {
    place.kind = Place::Known;
    place.items = {value};
  }
  return place;
}

/// Returns the place that a value stands for: an array, a tuple of arrays, or a struct without a
/// name, such as an object in a list.
static std::optional<Place> placeOf(Context &cx, const Value &value, SourceRange at) {
  if (value.isPoison())
    return std::nullopt;
  Place place = knownPlace(value, at);
  if (place.kind == Place::Known)
    return error(cx, at, Problem::NotAPlace, describe(value) + " is not a place in memory",
                 "name an element of an ndarray, a field or a SharedArray");
  return place;
}

/// The memory of the locals that a value consists of. Parts that are known when kernels are built,
/// such as an array in an object, are in no local.
static Place sharedValue(const Value &value, SourceRange at) {
  if (!value.isRuntime())
    return knownPlace(value, at);
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

/// A part of what threads share. One that is known when kernels are built cannot be written.
static std::optional<Place> partOf(Context &cx, const Place &part, bool forWrite, SourceRange at) {
  return forWrite && part.kind == Place::Known ? placeOf(cx, part.items[0], at) : part;
}

/// A member of a struct's place.
static std::optional<Place> memberPlace(Context &cx, Place whole, std::string_view name,
                                        bool forWrite, SourceRange at) {
  const std::optional<size_t> k = whole.structure->find(name);
  const auto isElsewhere = [&](const Value &item) {
    return item.kind == Value::Absent || leadsElsewhere(item);
  };
  if (!k || (whole.kind == Place::Local && isElsewhere(localValue(whole).items[*k]))) {
    Value object =
        whole.kind == Place::Local ? localValue(whole) : Value::ofStruct(whole.structure, {});
    Value value = structMember(cx, object, name, at);
    return placeOf(cx, value, at); // a property yields it, or another path leads to it
  }
  if (whole.kind == Place::Record)
    return partOf(cx, whole.parts[*k], forWrite, at);
  whole.members.push_back(*k);
  whole.at = at;
  return describeLocal(cx, std::move(whole));
}

/// A component of a vector or matrix place.
std::optional<Place> componentPlace(Context &cx, Place place, std::vector<Value> index,
                                    SourceRange at) {
  ElementType &element = place.element;
  if (place.kind == Place::Local && place.variable->value.kind == Value::Dict)
    return error(cx, at, Problem::TupleItemAssigned,
                 "the entries of a dictionary cannot be assigned",
                 "write a new dictionary, as in `{**d, key: value}`");
  if (!element.matrix)
    return error(cx, at, Problem::IndexOfScalarElement,
                 "this is a single " + spell(element.type) + " and has no components");
  unsigned wanted = element.vector ? 1 : 2;
  if (hasSlice(index) || (index.size() == 1 && wanted == 2)) { // a row is a slice
    std::vector<unsigned> extents = {element.rows};
    if (wanted == 2)
      extents.push_back(element.cols);
    const std::optional<Picked> picked = pick(cx, index, extents, at);
    return picked ? componentPlaces(cx, place, *picked, at) : std::nullopt;
  }
  if (index.size() != wanted)
    return error(cx, at, Problem::ComponentIndexCountWrong,
                 std::string("a ") + (element.vector ? "vector" : "matrix") + " takes " +
                     std::to_string(wanted) + (wanted == 1 ? " index" : " indices") +
                     " here, not " + std::to_string(index.size()));
  for (size_t k = 0; k < index.size(); ++k) {
    if (index[k].isPoison())
      return std::nullopt;
    const std::optional<Exact> known = knownInt(index[k]);
    unsigned extent = k == 0 ? element.rows : element.cols;
    if (known && (*known < 0 || *known >= extent))
      return error(cx, at, Problem::ComponentOutside,
                   "the component " + spell(*known) + " is outside of " + spell(element));
  }
  if (place.kind == Place::Several) { // selects one of the components
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
                                      bool forWrite, SourceRange at) {
  const size_t count = whole.parts.empty() ? whole.items.size() : whole.parts.size();
  const std::vector<Value> list = indexList(index);
  const std::optional<Exact> known = list.size() == 1 ? knownInt(list[0]) : std::nullopt;
  if (!known || *known >= Exact(count) || *known < -Exact(count))
    return std::nullopt;
  const size_t number = size_t(*known < 0 ? *known + Exact(count) : *known);
  if (!whole.parts.empty())
    return partOf(cx, whole.parts[number], forWrite, at);
  if (!whole.variable || whole.variable->alias || !whole.items[number].isRuntime())
    return std::nullopt;
  Place item = whole;
  item.kind = Place::Local;
  item.at = at;
  item.items.clear();
  item.members.push_back(number);
  return describeLocal(cx, std::move(item));
}

/// The place of `base[index]`.
static std::optional<Place> subscriptPlace(Context &cx, const ast::Expr &expr,
                                           const ast::Subscript &subscript, bool forWrite) {
  const SourceRange at = expr.at;
  auto base = evalPlace(cx, *subscript.value, forWrite);
  if (!base)
    return std::nullopt;
  if (base->kind == Place::Local && localValue(*base).kind == Value::Dict) {
    const Value entry = eval(cx, expr);
    if (entry.isNumber() || entry.kind == Value::Matrix)
      return componentPlace(cx, std::move(*base), {}, at); // an error, which it reports
    return placeOf(cx, entry, at);
  }
  Value index = eval(cx, *subscript.index);
  if (index.isPoison() || !areIntegers(cx, index, *subscript.index))
    return std::nullopt;
  if (base->kind == Place::Items) {
    if (auto item = itemPlace(cx, *base, index, forWrite, at))
      return item;
    Value tuple = readPlace(cx, *base, at);
    Value item = indexMatrix(cx, tuple, indexList(index), at);
    if (item.kind == Value::Scalar || item.isExact())
      return error(cx, at, Problem::TupleItemAssigned,
                   "the items of a tuple or list cannot be assigned",
                   "make it a vector, with `qd.Vector([...])`");
    return placeOf(cx, item, at);
  }
  if (base->kind == Place::Whole && base->array->isView && hasSlice({index}))
    return placeOf(cx, sliceOfView(cx, base->array, index, at), at);
  if (base->kind == Place::Whole)
    return elementPlace(cx, base->array, stable(cx, std::move(index), at), at,
                        forWrite ? Access::Write : Access::Read);
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
    return subscriptPlace(cx, expr, *subscript, forWrite);
  } else if (auto *attribute = std::get_if<ast::Attribute>(&expr.node)) {
    if (structAt(cx, *attribute->value)) {
      auto base = evalPlace(cx, *attribute->value, forWrite);
      return base ? memberPlace(cx, std::move(*base), attribute->name, forWrite, expr.at)
                  : std::nullopt;
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
        if (!base->element.vector)
          return error(cx, expr.at, Problem::SwizzleOfNoVector,
                       "only a vector has components `." + std::string(attribute->name) + "`");
        std::sort(components.begin(), components.end());
        if (std::adjacent_find(components.begin(), components.end()) != components.end())
          return error(cx, expr.at, Problem::SwizzleRepeatsComponent,
                       "`." + std::string(attribute->name) + "` names a component twice",
                       "what is stored to names each component once");
        return componentPlaces(cx, *base, picked, expr.at);
      }
    }
  }
  return placeOf(cx, eval(cx, expr), expr.at);
}

} // namespace sextant::sema
