// Locals of the kernel in parallel loops: threads share them, so their components are memory
// that watches for races.
#include "tests/fuzz/Machine.h"

namespace fuzz {

/// The local of the kernel that an expression names, seen from a parallel loop; else null.
Val *Machine::kernelLocal(const ast::Expr &expr) {
  const auto *name = std::get_if<ast::Name>(&expr.node);
  if (!inTask || !name || frames.size() != 1)
    return nullptr;
  auto &scopes = frames.back().scopes;
  for (size_t i = scopes.size(); i-- > 0;)
    if (auto found = scopes[i].find(name->id); found != scopes[i].end()) {
      Val &value = found->second;
      const Val *item = value.kind == Val::List && !value.items.empty() ? &value.items[0] : &value;
      return item->kind == Val::Lanes && item->bits.size() == 1 ? &value : nullptr;
    }
  return nullptr;
}

/// Its memory in this task.
Array &Machine::carriedOf(Val &variable) {
  Array &array = carried[&variable];
  if (!array.cells.empty())
    return array;
  const bool isList = variable.kind == Val::List;
  const std::vector<Val> items = isList ? variable.items : std::vector<Val>{variable};
  array.type = items[0].type;
  array.shape = {int64_t(items.size())};
  array.cells.resize(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind != Val::Lanes || items[i].type != array.type)
      throw Unsupported("a vector of several types");
    array.data.push_back(items[i].bits[0]);
    array.cells[i].taint = items[i].taint[0];
  }
  return array;
}

/// Such a local as places that threads share.
Val Machine::carriedPlaces(Val &variable) {
  Array &array = carriedOf(variable);
  auto place = [&](size_t component) {
    Val value;
    value.kind = Val::Ref;
    value.place = std::make_shared<Place>();
    value.place->array = &array;
    value.place->index.assign(lanes, component);
    return value;
  };
  if (variable.kind != Val::List)
    return place(0);
  Val list;
  list.kind = Val::List;
  list.isVector = variable.isVector;
  for (size_t i = 0; i < variable.items.size(); ++i)
    list.items.push_back(place(i));
  return list;
}

/// The whole local is read: no thread of the task may change it.
void Machine::readCarried(const Val &variable) {
  if (!inTask || frames.size() != 1)
    return;
  Array &array = carried[&variable];
  for (const Cell &cell : array.cells)
    if (cell.write.epoch >= taskEpoch)
      throw Unspecified("a local of the kernel is read where threads may change it");
  array.isFixed = true;
}

/// The task is over: its locals are what the memory holds.
void Machine::leaveCarried() {
  for (auto &[variable, array] : carried)
    for (size_t i = 0; i < array.data.size(); ++i) {
      Val &item = variable->kind == Val::List ? const_cast<Val *>(variable)->items[i]
                                              : *const_cast<Val *>(variable);
      item.bits[0] = array.data[i];
      item.taint[0] = array.cells[i].taint;
    }
  carried.clear();
}

} // namespace fuzz
