// Finds what has no derivative.
#include "frontend/gradients/Refusals.h"
#include "frontend/gradients/Walk.h"

namespace sextant::gradients {

using namespace hir;

namespace {

/// Operations that have no derivative, or whose values are others each time.
struct Names {
  std::string_view operator()(const Atomic &) { return "an atomic whose old value is used"; }
  std::string_view operator()(const AtomicCas &) { return "a compare-and-swap"; }
  std::string_view operator()(const Clock &) { return "a clock"; }
  std::string_view operator()(const Load &load) { return load.isVolatile ? "a volatile load" : ""; }
  std::string_view operator()(const auto &) { return ""; }
};
/// Empty: the expression is not such an operation.
std::string_view nameOf(const Expr &expr) { return std::visit(Names(), expr.node); }

void refuse(std::vector<Refusal> &refusals, SourceRange at, std::string_view what) {
  refusals.push_back(
      {Refusal::Operation, at,
       std::string(what) + " has no gradient yet, and the kernel's gradient needs it",
       "compute it in another kernel, or write the gradient by hand"});
}

/// An update of memory whose old value nobody uses.
void refuseUpdate(const Expr &update, const Activity &activity, SourceRange at,
                  std::vector<Refusal> &refusals) {
  if (auto *atomic = std::get_if<Atomic>(&update.node);
      atomic && atomic->op != Combine::Add && activity.has(atomic->buffer))
    refuse(refusals, at, "an atomic that does not add");
  if (auto *cas = std::get_if<AtomicCas>(&update.node); cas && activity.has(cas->buffer))
    refuse(refusals, at, nameOf(update));
}

} // namespace

void refuseBackwards(Block &code, const Activity &activity, const Needed &needed,
                     const std::function<bool(const Array &)> &isOfThread,
                     std::vector<Refusal> &refusals) {
  const auto matters = [&](const BufferRef *buffer) {
    return buffer && (activity.has(*buffer) || needed.arrays.contains(keyOf(*buffer)));
  };
  forEachStatement(code, [&](Stmt &stmt) {
    if (auto *assign = std::get_if<Assign>(&stmt.node)) {
      const bool isUpdate = std::holds_alternative<Atomic>(assign->value->node) ||
                            std::holds_alternative<AtomicCas>(assign->value->node);
      if (!needed.locals.contains(assign->local) && !activity.locals.contains(assign->local) &&
          !(isUpdate && matters(bufferOf(*assign->value))))
        return;
      forEachExpr(*assign->value, [&](Expr &expr) {
        if (const std::string_view name = nameOf(expr); !name.empty())
          refuse(refusals, stmt.at, name);
        if (auto *load = std::get_if<Load>(&expr.node);
            load && !isOfTask(load->buffer) && activity.has(load->buffer) &&
            isSmallReal(expr.type) &&
            !isOfThread(keyOf(activity.gradients.at(keyOf(load->buffer)))))
          refuse(refusals, stmt.at,
                 "an array of reals of 8 or 16 bits whose elements several threads may read");
      });
    } else if (auto *eval = std::get_if<Eval>(&stmt.node)) {
      refuseUpdate(*eval->value, activity, stmt.at, refusals);
    }
  });
}

void refuseForwards(Block &code, const Activity &activity, std::vector<Refusal> &refusals) {
  forEachStatement(code, [&](Stmt &stmt) {
    if (auto *eval = std::get_if<Eval>(&stmt.node))
      refuseUpdate(*eval->value, activity, stmt.at, refusals);
    auto *assign = std::get_if<Assign>(&stmt.node);
    if (!assign)
      return;
    Expr &value = *assign->value;
    if (std::holds_alternative<Pullback>(value.node) && activity.locals.contains(assign->local))
      refusals.push_back({Refusal::Operation, stmt.at,
                          "this function has a gradient by `@qd.ad.grad_for`, but no tangent",
                          "write a function with `@qd.ad.dual_for` for it"});
    const BufferRef *buffer = std::holds_alternative<Atomic>(value.node)      ? bufferOf(value)
                              : std::holds_alternative<AtomicCas>(value.node) ? bufferOf(value)
                                                                              : nullptr;
    if (buffer && activity.has(*buffer))
      refuse(refusals, stmt.at, nameOf(value));
  });
}

void refuseUses(Block &code, const Draft &draft, std::vector<Refusal> &refusals) {
  std::set<unsigned> gradients;
  for (const auto &[array, gradient] : draft.gradients)
    gradients.insert(gradient);
  const auto look = [&](const BufferRef *buffer, SourceRange at) {
    if (buffer && buffer->kind == BufferRef::Param && gradients.contains(buffer->index))
      refusals.push_back({Refusal::Operation, at,
                          "a kernel that uses gradients itself has no gradient of its own",
                          "leave `.grad` to another kernel"});
  };
  forEachStatement(code, [&](Stmt &stmt) {
    if (std::holds_alternative<Instruction>(stmt.node))
      refuse(refusals, stmt.at, "a product by a matrix unit");
    look(bufferOf(stmt), stmt.at);
    forEachExpr(stmt, [&](Expr &expr) { look(bufferOf(expr), stmt.at); });
  });
}

} // namespace sextant::gradients
