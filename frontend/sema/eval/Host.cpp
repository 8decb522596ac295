#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Names.h"

namespace sextant::sema {

/// Enters the module's own code.
static void enterHost(Context &cx, ModuleScope &module) {
  auto fresh = std::make_unique<Frame>();
  fresh->module = &module;
  fresh->isHost = true;
  fresh->scopes.emplace_back();
  cx.frames.push_back(std::move(fresh));
}

TypeValue *hostAnnotation(Context &cx, const ast::Expr &expr, ModuleScope &module, TypeValue &out) {
  enterHost(cx, module);
  TypeValue *type = annotation(cx, expr, out);
  cx.frames.pop_back();
  return type;
}

std::optional<Value> hostName(Context &cx, ModuleScope &module, std::string_view name,
                              SourceRange at) {
  enterHost(cx, module);
  std::optional<Value> value = moduleName(cx, module, name, at);
  cx.frames.pop_back();
  return value;
}

Value evalHost(Context &cx, const ast::Expr &expr, ModuleScope &module) {
  enterHost(cx, module);
  Value value = eval(cx, expr);
  cx.frames.pop_back();
  return value;
}

Value evalHost(Context &cx, const ast::Expr &expr, ModuleScope &module,
               const std::vector<std::string_view> &unknown) {
  enterHost(cx, module);
  for (const std::string_view name : unknown) {
    const VariablePtr variable = declare(cx, name, expr.at);
    variable->alias = true;
    variable->value = unknownOnHost("`" + std::string(name) + "`");
  }
  Value value = eval(cx, expr);
  cx.frames.pop_back();
  return value;
}

Value evalHostParts(Context &cx, const ast::Expr &expr, ModuleScope &module) {
  enterHost(cx, module);
  Value value = knownParts(cx, expr);
  cx.frames.pop_back();
  return value;
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
