// Returns of the kernel under run-time conditions.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Passes.h"

#include <utility>

namespace sextant::hir {

void guardReturns(Draft &draft) {
  if (!draft.returned)
    return;
  const unsigned returned = *draft.returned;
  bool first = true;
  for (DraftTask &each : draft.tasks) {
    Block &body = each.task.body;
    const SourceRange at = each.task.at;
    auto wrap = [&](decltype(Stmt::node) node) { body.push_back({at, std::move(node)}); };
    if (each.returnScope)
      wrap(Scope{each.returnScope, std::exchange(body, {})});
    if (each.mayHaveReturned) {
      auto flag = makeLocal(returned, Type::I32, at);
      auto goesOn = makeBinary(BinaryOp::Eq, flag, makeInt(0, Type::I32, at), Type::Bool, at);
      wrap(If{take(goesOn), std::exchange(body, {}), {}});
    } else if (each.returnScope && first) {
      Stmt start{at, Assign{returned, take(makeInt(0, Type::I32, at))}};
      body.insert(body.begin(), std::move(start));
      first = false;
    }
  }
}

} // namespace sextant::hir
