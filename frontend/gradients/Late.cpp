// Moves statements as far down in their block as they may go.
#include "frontend/gradients/Late.h"
#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Walk.h"

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
  std::set<unsigned> reads;
  forEachExpr(first, [&](Expr &expr) {
    if (auto *read = std::get_if<LocalRead>(&expr.node))
      reads.insert(read->local);
  });
  const Array array = keyOf(*writtenBy(first));
  bool isBound = false;
  const auto access = [&](const BufferRef *buffer) {
    isBound |= buffer && keyOf(*buffer) == array;
  };
  Block one;
  one.push_back(std::move(other));
  isBound |= hasWaits(one);
  forEachStatement(one, [&](Stmt &each) {
    const auto local = setBy(each);
    isBound |= local && reads.contains(*local);
    access(bufferOf(each));
    forEachExpr(each, [&](Expr &expr) { access(bufferOf(expr)); });
  });
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

void accessLate(Block &code) {
  moveDown(code, clears);
  moveDown(code, addsAtOnePlace);
}

} // namespace sextant::gradients
