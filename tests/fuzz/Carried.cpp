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
Machine::Carried &Machine::carriedOf(Val &variable) {
  Carried &entry = carried[&variable];
  Array &array = entry.array;
  if (!array.cells.empty())
    return entry;
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
  return entry;
}

/// The component of such a local, or the whole of a scalar, for each thread.
std::optional<Place> Machine::carriedPlace(const ast::Expr &target, const Mask &mask) {
  const auto *element = std::get_if<ast::Subscript>(&target.node);
  const auto *swizzle = std::get_if<ast::Attribute>(&target.node);
  Val *variable = kernelLocal(element ? *element->value : swizzle ? *swizzle->value : target);
  if (!variable || (variable->kind == Val::List) != (element || swizzle))
    return std::nullopt;
  Val index = constant(0);
  if (element) {
    index = eval(*element->index, mask);
  } else if (swizzle) {
    const size_t axis = std::string_view("xyzw").find(swizzle->name);
    if (swizzle->name.size() != 1 || axis == std::string_view::npos)
      return std::nullopt;
    index = constant(int64_t(axis));
  }
  Carried &entry = carriedOf(*variable);
  if (entry.isRead)
    throw Unspecified("a local of the kernel is read where threads may change it");
  return placeIn(entry.array, index, mask);
}

/// The whole local is read: no thread of the task may change it.
void Machine::readCarried(const Val &variable) {
  if (!inTask || frames.size() != 1)
    return;
  Carried &entry = carried[&variable];
  for (const Cell &cell : entry.array.cells)
    if (cell.write.epoch >= taskEpoch)
      throw Unspecified("a local of the kernel is read where threads may change it");
  entry.isRead = true;
}

/// The task is over: its locals are what the memory holds.
void Machine::leaveCarried() {
  for (auto &[variable, entry] : carried)
    for (size_t i = 0; i < entry.array.data.size(); ++i) {
      Val &item = variable->kind == Val::List ? const_cast<Val *>(variable)->items[i]
                                              : *const_cast<Val *>(variable);
      item.bits[0] = entry.array.data[i];
      item.taint[0] = entry.array.cells[i].taint;
    }
  carried.clear();
}

} // namespace fuzz
