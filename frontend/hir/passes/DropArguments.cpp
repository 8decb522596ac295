// Arguments that nothing uses: a kernel takes a struct of a hundred arrays, and may use three. And
// the order of those of a derivative: the kernel's own, arrays as they were before, and the
// gradients.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Passes.h"
#include "frontend/hir/passes/Uses.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sextant::hir {

namespace {

/// Calls `visit` with each number of a parameter.
struct Params {
  const std::function<void(unsigned &)> &visit;

  void expr(Expr &e) const {
    if (auto *read = std::get_if<ParamRead>(&e.node))
      visit(read->param);
    else if (BufferRef *ref = bufferOf(e); ref && ref->kind == BufferRef::Param)
      visit(ref->index);
    forEachOperand(e, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
  }
  void block(Block &statements) const {
    for (Stmt &stmt : statements) {
      if (BufferRef *ref = bufferOf(stmt); ref && ref->kind == BufferRef::Param)
        visit(ref->index);
      forEachOperand(stmt, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
    }
  }
  void task(Task &task) const {
    block(task.body);
    if (task.iterations)
      launch(*task.iterations);
  }
  void launch(LaunchExpr &launch) const {
    for (LaunchExpr::Item &item : launch.items)
      if (item.op == LaunchExpr::Param) {
        auto param = unsigned(item.value);
        visit(param);
        item.value = param;
      }
  }
  void draft(Draft &draft) const {
    for (DraftTask &each : draft.tasks)
      task(each.task);
    for (HiddenBuffer &hidden : draft.kernel.hidden)
      launch(hidden.divisor);
  }
};

/// An argument that stays, with its parameters.
struct Kept {
  Argument argument;
  size_t begin, end;
};

} // namespace

void dropArguments(Draft &draft) {
  if (draft.members.empty())
    return;
  Kernel &kernel = draft.kernel;
  std::vector<bool> used(kernel.params.size() + kernel.hidden.size());
  Params{[&](unsigned &param) { used[param] = true; }}.draft(draft);
  std::map<unsigned, int> ranks; // the arguments that derivatives have beside the kernel's own
  for (const auto &[array, before] : draft.before)
    ranks[before] = 1;
  for (const auto &[array, gradient] : draft.gradients)
    ranks[gradient] = 2;
  for (const auto &[result, gradient] : draft.gradientsOfResults)
    ranks[gradient] = 3;

  std::vector<Kept> kept;
  size_t param = 0;
  for (size_t k = 0; k < kernel.arguments.size(); ++k) {
    std::vector<abi::Param> entries;
    abi::addEntries(kernel.arguments[k], entries);
    const size_t begin = std::exchange(param, param + entries.size());
    const bool isUsed = !draft.members.count(k) || draft.kept.count(kernel.arguments[k].name) ||
                        std::find(used.begin() + long(begin), used.begin() + long(param), true) !=
                            used.begin() + long(param);
    if (isUsed)
      kept.push_back({std::move(kernel.arguments[k]), begin, param});
  }
  std::ranges::sort(kept, {}, [&](const Kept &each) {
    const auto rank = ranks.find(unsigned(each.begin));
    return std::pair(rank == ranks.end() ? 0 : rank->second, each.begin);
  });

  std::vector<unsigned> numbers(used.size());
  std::vector<Argument> arguments;
  std::vector<Param> params;
  for (Kept &each : kept) {
    for (size_t k = each.begin; k < each.end; ++k) {
      numbers[k] = unsigned(params.size());
      params.push_back(std::move(kernel.params[k]));
    }
    arguments.push_back(std::move(each.argument));
  }
  for (; param < numbers.size(); ++param) // the hidden ones follow
    numbers[param] = unsigned(params.size() + (param - kernel.params.size()));
  kernel.arguments = std::move(arguments);
  kernel.params = std::move(params);
  Params{[&](unsigned &number) { number = numbers[number]; }}.draft(draft);
  draft.members.clear();
}

} // namespace sextant::hir
