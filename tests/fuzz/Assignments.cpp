// The values that assignments store, and where.
#include "tests/fuzz/Machine.h"

namespace fuzz {

bool sameShape(const Val &a, const Val &b) {
  if (!a.isTree() || !b.isTree())
    return !a.isTree() && !b.isTree();
  if (a.kind != b.kind || a.record != b.record || a.items.size() != b.items.size())
    return false;
  for (size_t i = 0; i < a.items.size(); ++i)
    if (!sameShape(a.items[i], b.items[i]))
      return false;
  return true;
}

/// A local takes another value, in its own type.
void Machine::merge(Val &to, const Val &from, const Mask &mask) {
  if (to.isTree() || from.isTree()) {
    if (!sameShape(to, from))
      throw Unsupported("an assignment of another shape");
    for (size_t i = 0; i < to.items.size(); ++i)
      merge(to.items[i], from.items[i], mask);
    return;
  }
  if (to.kind != Val::Lanes || to.bits.size() != lanes)
    throw Unsupported("an assignment to what is not a local of this task");
  const Val converted = cast(from, to.type, mask);
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (mask[lane]) {
      to.bits[lane] = converted.bits[lane];
      to.taint[lane] = converted.taint[lane];
    }
}

void Machine::assignName(std::string_view name, const Val &value, const Mask &mask) {
  if (Val *local = variable(name)) {
    merge(*local, value, mask);
    return;
  }
  frames.back().scopes.back()[std::string(name)] = mapLeaves(value, [&](const Val &leaf) {
    if (!leaf.isNumber())
      return leaf;
    Val number = runtime(leaf);
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (!mask[lane])
        number.taint[lane] = Open;
    return number;
  });
}

void Machine::assign(const ast::Expr &target, const Val &value, const Mask &mask) {
  if (const auto *name = std::get_if<ast::Name>(&target.node)) {
    assignName(name->id, value, mask);
  } else if (const auto *tuple = std::get_if<ast::TupleExpr>(&target.node)) {
    if (value.kind != Val::List || value.items.size() != tuple->elements.size())
      throw Unsupported("an assignment to a tuple of what is not a tuple");
    for (size_t i = 0; i < tuple->elements.size(); ++i)
      assign(*tuple->elements[i], value.items[i], mask);
  } else {
    storeAll(reach(target, mask), value, mask);
  }
}

/// `a op= b`: an atomic where the target is memory, one for each component.
void Machine::augment(const ast::AugAssign &node, const Mask &mask) {
  static constexpr std::pair<ast::BinaryOp, uint8_t> atomics[] = {{ast::BinaryOp::Add, 1},
                                                                  {ast::BinaryOp::Sub, 2},
                                                                  {ast::BinaryOp::And, 3},
                                                                  {ast::BinaryOp::Or, 4},
                                                                  {ast::BinaryOp::Xor, 5}};
  const Val target = reach(*node.target, mask);
  bool isMemory = false;
  eachLeaf(target, [&](const Val &leaf) {
    isMemory = isMemory || (leaf.kind == Val::Ref && leaf.place->array);
  });
  if (isMemory)
    for (const auto &[op, kind] : atomics)
      if (op == node.op) {
        atomicAll(kind, target, eval(*node.value, mask), mask, false);
        return;
      }
  const Val old = loaded(target, mask);
  storeAll(target, binary(node.op, old, eval(*node.value, mask), mask), mask);
}

} // namespace fuzz
