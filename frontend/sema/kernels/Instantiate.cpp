// Runs one instance of a kernel from its parameters to its last statement.
#include "frontend/sema/kernels/Instantiate.h"
#include "frontend/gradients/Gradients.h"
#include "frontend/hir/passes/Passes.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/eval/MarkOptions.h"
#include "frontend/sema/eval/Returns.h"
#include "frontend/sema/eval/Spans.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/sema/kernels/Arguments.h"
#include "frontend/sema/tasks/Sharing.h"
#include "frontend/syntax/Docstring.h"

namespace sextant::sema {

/// Makes the draft that of the kernel's derivative. Returns false after errors.
static bool differentiate(Context &cx) {
  using gradients::Refusal;
  const auto refusals = cx.derivative == Derivative::Reverse ? gradients::makeAdjoint(cx.draft)
                                                             : gradients::makeTangent(cx.draft);
  for (const Refusal &each : refusals)
    error(cx, each.at,
          each.kind == Refusal::Overwritten ? Problem::GradientOfOverwritten
                                            : Problem::GradientOfOperation,
          each.text, each.fix);
  return !cx.errorsHere;
}

std::optional<hir::Kernel> run(Context &cx, const ast::FunctionDef &function, ModuleScope &module,
                               const std::vector<std::pair<std::string, Value>> &bound,
                               std::string name, std::string instance, Derivative derivative) {
  cx.derivative = derivative;
  if (auto kept = cx.options.keptMembers.find(instance); kept != cx.options.keptMembers.end())
    cx.draft.kept = kept->second;
  cx.draft.kernel.name = std::move(name);
  cx.draft.kernel.instance = std::move(instance);
  cx.draft.kernel.doc = docstringOf(function);
  cx.draft.kernel.wave = cx.options.target.wave; // code that depends on it asks
  cx.draft.wave = [&cx] { return cx.wave(); };
  cx.draft.kernel.at = function.nameAt;
  cx.draft.kernel.fastMath =
      optionOf(cx, function, module, "kernel", "fast_math").value_or(cx.options.fastMath);
  if (cx.options.calls)
    cx.draft.kernel.calls.push_back({cx.draft.kernel.name, function.nameAt, function.nameAt});
  auto fresh = std::make_unique<Frame>();
  fresh->module = &module;
  fresh->function = &function;
  fresh->isKernel = true;
  fresh->scopes.emplace_back();
  cx.frames.push_back(std::move(fresh));
  if (!bindArguments(cx, function, bound))
    return std::nullopt;
  if (function.returns) {
    TypeValue type;
    if (!signatureAnnotation(cx, *function.returns, type))
      return std::nullopt;
    if (derivative == Derivative::Reverse && !bindResults(cx, type, function.returns->at))
      return std::nullopt;
    cx.frame().returnType = type;
  }
  Flow end = execBlock(cx, function.body);
  if (!cx.errorsHere)
    checkReturns(cx, function, end);
  if (!cx.errorsHere)
    checkSpans(cx, function.nameAt);
  if (!cx.errorsHere && cx.countsLaunch)
    callLibrary(cx, "random", "_count_launch", {}, function.nameAt);
  if (cx.errorsHere)
    return std::nullopt;
  for (auto &each : cx.tasks)
    cx.draft.tasks.push_back(std::move(*each));
  warnShared(cx);
  hir::prepare(cx.draft);
  if (derivative != Derivative::None && !differentiate(cx))
    return std::nullopt;
  return hir::finish(std::move(cx.draft));
}

} // namespace sextant::sema
