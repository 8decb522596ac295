// Warns of iterations that read what others store.
#include "frontend/sema/tasks/Sharing.h"
#include "frontend/hir/passes/Uses.h"

namespace sextant::sema {

static void noteLeaves(Context &cx, const Value &value, SourceRange at) {
  const bool isScalar = value.kind == Value::Scalar && value.expr;
  auto *read = isScalar ? std::get_if<hir::LocalRead>(&value.expr->node) : nullptr;
  if (read)
    cx.declaredAt.try_emplace(read->local, at);
  for (const Value &item : value.items)
    noteLeaves(cx, item, at);
}

void noteDeclaration(Context &cx, const Variable &variable) {
  noteLeaves(cx, variable.value, variable.at);
}

/// Where an iteration may load what another one stores; null if there is no such place.
static const SourceRange *sharedRead(const hir::SharedUses::Variable &variable) {
  if (!variable.isWaitedFor)
    for (const hir::SharedUses::Component &component : variable.components)
      if (component.isLoaded && component.isStored && component.exposed)
        return &*component.exposed;
  return nullptr;
}

void warnShared(Context &cx) {
  for (hir::DraftTask &each : cx.draft.tasks)
    for (const auto &[first, variable] : hir::sharedUses(cx.draft, each.task).variables) {
      const SourceRange *at = sharedRead(variable);
      const auto declared = cx.declaredAt.find(first);
      if (!at || declared == cx.declaredAt.end() || cx.program.isLibrary(at->file) ||
          cx.program.isLibrary(declared->second.file))
        continue;
      const std::string name = "`" + cx.draft.componentsAt(first).name + "`";
      warn(cx, *at, Warning::SharedVariable, Problem::VariableSharedByIterations,
           "the iterations of the parallel loop share " + name +
               ", and this may read what another one stored",
           "assign " + name + " in the loop before it is read there; use atomics for sums",
           {{declared->second, name + " is declared here, before the loop"}});
    }
}

} // namespace sextant::sema
