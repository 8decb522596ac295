#include "frontend/sema/eval/LoopBody.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/syntax/Children.h"

namespace sextant::sema {

void bindLoopTarget(Context &cx, const ast::Expr &target, std::vector<Value> index, bool grouped,
                    SourceRange at) {
  auto bind = [&](const ast::Expr &to, Value value) {
    auto *name = std::get_if<ast::Name>(&to.node);
    if (!name) {
      Value fixed = value;
      fixed.isStatic = !value.isRuntime();
      assignTarget(cx, to, fixed, at);
      return;
    }
    auto variable = declare(cx, name->id, to.at);
    if (!value.isRuntime() || isObject(value)) {
      value.isStatic = !value.isRuntime();
      variable->alias = true;
      variable->value = std::move(value);
      return;
    }
    // A pure index gets a local of its own, because the body may assign it.
    if (value.kind == Value::Scalar && std::holds_alternative<hir::LocalRead>(value.expr->node)) {
      if (showsVariables(cx))
        nameLeaves(cx, variable->name, value, variable->at);
      variable->value = std::move(value);
      return;
    }
    variable->value = newVariable(cx, *variable, value, at);
    assignLeaves(cx, variable->value, value, variable, at);
  };
  if (grouped) {
    const unsigned n = unsigned(index.size());
    bind(target, Value::matrix(n, 1, true, std::move(index)));
    return;
  }
  auto *elements = ast::elementsOf(target);
  if (!elements) {
    if (index.size() == 1)
      return bind(target, std::move(index[0]));
    if (index.empty()) {
      error(cx, target.at, Problem::LoopWithoutIndex, "this loop has no index: it runs once",
            "write `for I in qd.grouped(...)`, whose vector has no component");
      return bind(target, Value());
    }
    error(cx, target.at, Problem::LoopTargetCountWrong,
          "this loop has " + std::to_string(index.size()) + " indices, but one target",
          "name them all, or use `qd.grouped(...)` for one vector of them");
    index.resize(1);
    return bind(target, std::move(index[0]));
  }
  if (index.size() == 1 && (index[0].kind == Value::Tuple || index[0].kind == Value::Matrix))
    index = elementsOf(cx, index[0], target.at);
  if (elements->size() != index.size()) {
    error(cx, target.at, Problem::LoopTargetCountWrong,
          "this loop has " + std::to_string(index.size()) + " indices, but " +
              std::to_string(elements->size()) + " targets");
    index.resize(elements->size());
  }
  for (size_t i = 0; i < elements->size(); ++i)
    bind(*(*elements)[i], std::move(index[i]));
}

void addLeft(Context &cx, hir::Block &to, unsigned scope, bool isUsed, hir::Block body,
             SourceRange at) {
  if (isUsed)
    return to.push_back(statement(cx, at, hir::Scope{scope, std::move(body)}));
  for (hir::Stmt &stmt : body)
    to.push_back(std::move(stmt));
}

Flow loopBody(Context &cx, const ast::For &node, const std::vector<Value> &index, bool grouped,
              hir::Block &into, LoopContext &context) {
  hir::Block body;
  context.continueScope = cx.newScope();
  Flow flow = inRuntime(cx, body, [&] {
    context.depth = cx.frame().runtimeDepth;
    bindLoopTarget(cx, *node.target, index, grouped, node.target->at);
    cx.frame().loops.push_back(context);
    Flow inner = execBlock(cx, node.body, true);
    context = cx.frame().loops.back();
    cx.frame().loops.pop_back();
    return inner;
  });
  addLeft(cx, into, context.continueScope, context.continueUsed, std::move(body), node.target->at);
  return flow;
}

} // namespace sextant::sema
