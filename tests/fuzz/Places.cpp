// Things that can be stored to: elements of memory and numbers of locals, also components of them
// that a swizzle, a slice or an index names. Reading them goes the same way.
#include "tests/fuzz/Machine.h"

#include <algorithm>

namespace fuzz {

/// A local of the function, or null.
Val *Machine::variable(std::string_view name) {
  auto &scopes = frames.back().scopes;
  for (size_t i = scopes.size(); i-- > 0;)
    if (auto found = scopes[i].find(name); found != scopes[i].end())
      return &found->second;
  return nullptr;
}

static Val refTo(Val &number) {
  Val ref;
  ref.kind = Val::Ref;
  ref.place = std::make_shared<Place>();
  ref.place->locals = {&number};
  return ref;
}

static Val placesOf(Val &local) {
  if (local.kind == Val::Lanes)
    return refTo(local);
  Val places = local;
  if (local.isTree())
    for (size_t i = 0; i < local.items.size(); ++i)
      places.items[i] = placesOf(local.items[i]);
  return places;
}

/// The places that an expression names, as a tree like the value's; or, for what is not a place,
/// the value.
Val Machine::reach(const ast::Expr &expr, const Mask &mask) {
  if (const auto *node = std::get_if<ast::Name>(&expr.node)) {
    if (Val *local = kernelLocal(expr))
      return carriedPlaces(*local);
    Val *local = variable(node->id);
    if (!local || local->kind == Val::Memory)
      return name(node->id);
    bool isCarried = false;
    eachLeaf(*local, [&](const Val &leaf) {
      isCarried = isCarried || (leaf.kind == Val::Lanes && leaf.bits.size() != lanes);
    });
    return isCarried ? name(node->id) : placesOf(*local);
  }
  if (std::holds_alternative<ast::Attribute>(expr.node))
    return attribute(std::get<ast::Attribute>(expr.node), mask);
  if (const auto *node = std::get_if<ast::Subscript>(&expr.node)) {
    const Val base = reach(*node->value, mask);
    if (base.kind == Val::Memory)
      return element(base, eval(*node->index, mask), mask);
    return selected(base, *node->index, mask);
  }
  return eval(expr, mask);
}

/// The element of an array for each thread.
Val Machine::element(const Val &memory, const Val &index, const Mask &mask) {
  Val places;
  if (!memory.items.empty()) {
    places.kind = memory.record ? Val::Record : Val::List;
    places.record = memory.record;
    places.isVector = memory.isVector;
    for (const Val &item : memory.items)
      places.items.push_back(element(item, index, mask));
    return places;
  }
  if (!memory.array)
    throw Unsupported("an element of what is not an array");
  places.kind = Val::Ref;
  places.place = std::make_shared<Place>(placeIn(*memory.array, index, mask));
  for (size_t &at : places.place->index)
    at = at * memory.array->width + memory.offset;
  return places;
}

/// A component or a row that is known when the kernel is built, or one for each thread.
Val Machine::chosen(const Val &list, const Val &index, const Mask &mask) {
  if (index.isConst()) {
    const int64_t at = constantInt(index);
    if (at < 0 || at >= int64_t(list.items.size()))
      throw Unsupported("a constant index out of bounds");
    return list.items[size_t(at)];
  }
  if (index.kind != Val::Lanes || isReal(index.type) || list.items.empty())
    throw Unsupported("an index of several");
  usable(index, mask);
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (mask[lane] && index.bits[lane] >= list.items.size())
      throw Unspecified("an index out of bounds");
  Val result = list.items[0];
  if (result.isTree()) {
    for (size_t i = 0; i < result.items.size(); ++i) {
      Val column = list;
      for (size_t row = 0; row < list.items.size(); ++row)
        column.items[row] = list.items[row].items.at(i);
      result.items[i] = chosen(column, index, mask);
    }
    return result;
  }
  if (result.kind == Val::Ref) {
    result.place = std::make_shared<Place>();
    Place &place = *result.place;
    place.array = list.items[0].place->array;
    place.index.assign(lanes, 0);
    for (size_t i = 0; i < list.items.size(); ++i) {
      const Place &from = *list.items[i].place;
      for (unsigned lane = 0; lane < lanes; ++lane)
        if (mask[lane] && index.bits[lane] == i)
          place.index[lane] = place.locals.size() + (from.index.empty() ? 0 : from.index[lane]);
      place.locals.insert(place.locals.end(), from.locals.begin(), from.locals.end());
      if (from.array != place.array)
        throw Unsupported("an index among members");
    }
    return result;
  }
  result = runtime(result);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    const Val item = runtime(list.items[index.bits[lane]]);
    result.bits[lane] = item.bits[lane];
    result.taint[lane] = item.taint[lane];
  }
  return result;
}

/// `v[lower:upper:step]`, as Python has it.
Val Machine::slice(const Val &list, const ast::Slice &node, const Mask &mask) {
  const auto bound = [&](const ast::ExprPtr &expr, int64_t otherwise) {
    return expr ? constantInt(eval(*expr, mask)) : otherwise;
  };
  const auto size = int64_t(list.items.size());
  const int64_t step = bound(node.step, 1);
  if (list.kind != Val::List || step <= 0)
    throw Unsupported("this slice");
  const auto within = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  };
  Val result = list;
  result.items.clear();
  const int64_t upper = within(bound(node.upper, size));
  for (int64_t i = within(bound(node.lower, 0)); i < upper; i += step)
    result.items.push_back(list.items[size_t(i)]);
  if (result.items.empty())
    throw Unsupported("an empty slice");
  return result;
}

/// Components of a vector, or of a matrix by one or two indices.
Val Machine::selected(const Val &base, const ast::Expr &index, const Mask &mask) {
  if (base.kind != Val::List)
    throw Unsupported("an index into what has no elements");
  const auto one = [&](const Val &list, const ast::Expr &axis) {
    if (const auto *node = std::get_if<ast::Slice>(&axis.node))
      return slice(list, *node, mask);
    if (list.kind != Val::List)
      throw Unsupported("an index into what has no elements");
    return chosen(list, eval(axis, mask), mask);
  };
  const auto *both = std::get_if<ast::TupleExpr>(&index.node);
  if (!both)
    return one(base, index);
  if (both->elements.size() != 2)
    throw Unsupported("another number of indices");
  Val rows = one(base, *both->elements[0]);
  if (!std::holds_alternative<ast::Slice>(both->elements[0]->node))
    return one(rows, *both->elements[1]);
  for (Val &row : rows.items)
    row = one(row, *both->elements[1]);
  return rows;
}

/// A member of a record, or the components that a swizzle names; a None where there is neither.
Val Machine::member(Val value, std::string_view name) {
  if (value.kind == Val::Record) {
    size_t at = 0;
    for (const ast::StmtPtr &statement : value.record->body)
      if (const auto *node = std::get_if<ast::AnnAssign>(&statement->node)) {
        if (std::get<ast::Name>(node->target->node).id == name)
          return value.items.at(at);
        ++at;
      }
    return {};
  }
  if (value.kind != Val::List)
    return {};
  Val result;
  result.kind = Val::List;
  result.isVector = true;
  for (std::string_view letters : {"xyzw", "rgba", "stpq"}) {
    result.items.clear();
    for (char letter : name)
      if (const size_t at = letters.find(letter); at < value.items.size())
        result.items.push_back(value.items[at]);
    if (result.items.size() == name.size())
      return name.size() == 1 ? result.items[0] : result;
  }
  return {};
}

/// The values of places.
Val Machine::loaded(const Val &places, const Mask &mask) {
  return mapLeaves(places, [&](const Val &leaf) {
    return leaf.kind == Val::Ref ? load(*leaf.place, mask) : leaf;
  });
}

/// Stores a value to places of its shape, or a number to all of them.
void Machine::storeAll(const Val &places, const Val &value, const Mask &mask) {
  if (places.kind == Val::Ref) {
    store(*places.place, value, mask);
    return;
  }
  if (!places.isTree())
    throw Unsupported("this target of an assignment");
  const bool fills = value.isNumber() && places.isVector;
  if (!fills && (value.kind != places.kind || value.record != places.record ||
                 value.items.size() != places.items.size()))
    throw Unsupported("an assignment of another shape");
  for (size_t i = 0; i < places.items.size(); ++i)
    storeAll(places.items[i], fills ? value : value.items[i], mask);
}

} // namespace fuzz
