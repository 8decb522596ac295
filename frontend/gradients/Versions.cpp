// Makes versions of locals.
#include "frontend/gradients/Versions.h"
#include "frontend/gradients/Walk.h"

namespace sextant::gradients {

using namespace hir;

unsigned Locals::add(std::string name, Type type) {
  draft.locals.push_back({std::move(name), type});
  return unsigned(draft.locals.size() - 1);
}

unsigned Locals::addVersion(unsigned of) {
  const unsigned version = add(draft.locals[of].name, draft.locals[of].type);
  originals[version] = of;
  return version;
}

ExprRef Locals::read(unsigned local, Loc at) const {
  return makeLocal(local, draft.locals[local].type, at);
}

unsigned Locals::keep(const char *name, Block &to, ExprRef value, Loc at) {
  return hir::keep(draft.locals, name, to, take(std::move(value)), at);
}

void assign(Block &to, unsigned local, ExprRef value, Loc at) {
  to.push_back({at, Assign{local, take(std::move(value))}});
}

ExprPtr renamed(const Expr &expr, const Versions &now) {
  ExprPtr copy = clone(expr);
  forEachExpr(*copy, [&](Expr &one) {
    if (auto *local = std::get_if<LocalRead>(&one.node))
      if (auto it = now.find(local->local); it != now.end())
        local->local = it->second;
  });
  return copy;
}

} // namespace sextant::gradients
