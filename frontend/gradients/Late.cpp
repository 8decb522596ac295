// Moves statements as far down in their block as they may go.
#include "frontend/gradients/Late.h"
#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Walk.h"
#include "frontend/hir/Division.h"

#include <algorithm>

namespace sextant::gradients {

using namespace hir;

static bool clears(const Stmt &stmt) {
  auto *store = std::get_if<Store>(&stmt.node);
  auto *value = store ? std::get_if<Const>(&store->value->node) : nullptr;
  return value && store->buffer.kind == BufferRef::Param && isFloat(store->value->type) &&
         value->real == 0 && !store->isVolatile;
}

static bool addsAtOnePlace(const Stmt &stmt) {
  const Atomic *atomic = additionOf(stmt);
  return atomic && isOfLaunch(*atomic->index) && isTrivial(*atomic->value);
}

/// True if the first statement, a store or an addition, has to come before the other one.
static bool isBound(Stmt &first, Stmt &other) {
  if (additionOf(first) && additionOf(other))
    return false;
  std::set<unsigned> reads;
  forEachExpr(first, [&](Expr &expr) {
    if (auto *read = std::get_if<LocalRead>(&expr.node))
      reads.insert(read->local);
  });
  const Array array = keyOf(*writtenBy(first));
  bool isBound = false;
  Block one;
  one.push_back(std::move(other));
  isBound |= hasWaits(one);
  forEachStatement(one, [&](Stmt &each) {
    const auto local = setBy(each);
    isBound |= local && reads.contains(*local);
  });
  forEachAccess(one, [&](const BufferRef &buffer) { isBound |= keyOf(buffer) == array; });
  other = std::move(one[0]);
  return isBound;
}

static void moveDown(Block &code, bool which(const Stmt &)) {
  for (Stmt &stmt : code)
    forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { moveDown(inside, which); });
  for (size_t k = code.size(); k-- > 0;) {
    if (!which(code[k]))
      continue;
    const auto begin = code.begin() + ptrdiff_t(k);
    const auto end =
        std::find_if(begin + 1, code.end(), [&](Stmt &stmt) { return isBound(*begin, stmt); });
    std::rotate(begin, begin + 1, end);
  }
}

/// True for accesses of one index local to one buffer.
template <class One, class Other> static bool isSameElement(const One &one, const Other &other) {
  auto *index = std::get_if<LocalRead>(&one.index->node);
  auto *same = std::get_if<LocalRead>(&other.index->node);
  return index && same && index->local == same->local && keyOf(one.buffer) == keyOf(other.buffer);
}

/// The sum that a store leaves where it loads one operand of it; null: it is another statement.
static const Binary *sumAt(const Store &place, const Stmt &stmt) {
  auto *store = std::get_if<Store>(&stmt.node);
  auto *sum = store ? std::get_if<Binary>(&store->value->node) : nullptr;
  auto *load = sum && sum->op == BinaryOp::Add ? std::get_if<Load>(&sum->lhs->node) : nullptr;
  return load && isSameElement(place, *store) && isSameElement(place, *load) ? sum : nullptr;
}

/// Stores a value at once where the code clears an element and adds to it, or keeps the element if
/// the value was loaded from there.
static void mergeClears(Block &code, const std::map<unsigned, const Expr *> &values,
                        std::map<Array, unsigned> &writes) {
  for (Stmt &stmt : code)
    forEachOperand(
        stmt, [](Expr &) {}, [&](Block &inside) { mergeClears(inside, values, writes); });
  for (size_t k = 0; k + 1 < code.size(); ++k) {
    if (!clears(code[k]))
      continue;
    auto &clear = std::get<Store>(code[k].node);
    const Binary *sum = sumAt(clear, code[k + 1]);
    if (!sum)
      continue;
    const Expr *value = &*sum->rhs;
    while (auto *read = std::get_if<LocalRead>(&value->node)) {
      const auto found = values.find(read->local);
      if (found == values.end())
        break;
      value = found->second;
    }
    auto *load = std::get_if<Load>(&value->node);
    const bool isThere = load && isSameElement(clear, *load) && writes[keyOf(clear.buffer)] == 2;
    clear.value = clone(*sum->rhs);
    code.erase(code.begin() + ptrdiff_t(k) + 1);
    if (isThere)
      code.erase(code.begin() + ptrdiff_t(k--));
  }
}

void accessLate(Block &code) {
  moveDown(code, clears);
  std::map<Array, unsigned> writes;
  forEachStatement(code, [&](Stmt &stmt) {
    if (const BufferRef *buffer = writtenBy(stmt))
      ++writes[keyOf(*buffer)];
  });
  mergeClears(code, valuesSetOnce({&code}), writes);
  moveDown(code, addsAtOnePlace);
}

} // namespace sextant::gradients
