#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Names.h"

namespace sextant::sema {

namespace {

/// The module's own code, from here to the end of the scope.
struct InHost {
  InHost(Context &cx, ModuleScope &module) : cx(cx) {
    auto fresh = std::make_unique<Frame>();
    fresh->module = &module;
    fresh->isHost = true;
    fresh->scopes.emplace_back();
    cx.frames.push_back(std::move(fresh));
  }
  InHost(const InHost &) = delete;
  ~InHost() { cx.frames.pop_back(); }

  Context &cx;
};

} // namespace

TypeValue *hostAnnotation(Context &cx, const ast::Expr &expr, ModuleScope &module, TypeValue &out) {
  const InHost host(cx, module);
  return annotation(cx, expr, out);
}

std::optional<Value> hostName(Context &cx, ModuleScope &module, std::string_view name,
                              SourceRange at) {
  const InHost host(cx, module);
  return moduleName(cx, module, name, at);
}

Value evalHost(Context &cx, const ast::Expr &expr, ModuleScope &module) {
  const InHost host(cx, module);
  return eval(cx, expr);
}

Value evalHost(Context &cx, const ast::Expr &expr, ModuleScope &module,
               const std::vector<std::string_view> &unknown) {
  const InHost host(cx, module);
  for (const std::string_view name : unknown) {
    const VariablePtr variable = declare(cx, name, expr.at);
    variable->alias = true;
    variable->value = unknownOnHost("`" + std::string(name) + "`");
  }
  return eval(cx, expr);
}

Value evalHostParts(Context &cx, const ast::Expr &expr, ModuleScope &module) {
  const InHost host(cx, module);
  return knownParts(cx, expr);
}

Value evalText(Context &cx, const std::string &text, ModuleScope &module, std::string &problem) {
  const ast::Expr *expr = cx.program.parseText(text, problem);
  return expr ? evalOption(cx, *expr, module, problem) : Value();
}

Value evalOption(Context &cx, const ast::Expr &expr, ModuleScope &module, std::string &problem) {
  const Quietly quiet(cx);
  const bool outer = std::exchange(cx.inOption, true);
  Value value = evalHost(cx, expr, module);
  cx.inOption = outer;
  if (value.isPoison() && !quiet.diagnostics().empty())
    problem = quiet.diagnostics()[0].message;
  return value;
}

} // namespace sextant::sema
