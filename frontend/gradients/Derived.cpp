// Takes the nodes out that only derivatives are made of.
#include "frontend/gradients/Derived.h"
#include "frontend/hir/Builder.h"

#include <utility>

namespace sextant::gradients {

using namespace hir;

static void drop(Block &code);

static void drop(Expr &expr) {
  while (auto *derived = std::get_if<Derived>(&expr.node)) {
    Expr value = std::move(*derived->value);
    expr = std::move(value);
  }
  if (std::holds_alternative<Pullback>(expr.node))
    expr.node = Const();
  forEachOperand(expr, [](Expr &operand) { drop(operand); }, [](Block &body) { drop(body); });
}

static void drop(Block &code) {
  for (Stmt &stmt : code)
    forEachOperand(stmt, [](Expr &operand) { drop(operand); }, [](Block &body) { drop(body); });
}

void dropDerived(Draft &draft) {
  for (DraftTask &each : draft.tasks)
    drop(each.task.body);
}

} // namespace sextant::gradients
