// Adds up derivatives.
#include "frontend/gradients/Adjoints.h"
#include "frontend/gradients/Rules.h"

namespace sextant::gradients {

using namespace hir;

std::optional<unsigned> Adjoints::sumOf(unsigned version) const {
  if (!locals.isVersion(version))
    return std::nullopt;
  const auto sum = sums.find(locals.originalOf(version));
  return sum == sums.end() ? std::nullopt : std::optional(sum->second);
}

ExprRef Adjoints::of(unsigned version, Loc at) const {
  const auto found = adjoints.find(sumOf(version).value_or(version));
  if (found == adjoints.end() || !found->second.isSet)
    return nullptr;
  return locals.read(found->second.local, at);
}

void Adjoints::add(unsigned version, ExprRef value, Block &code) {
  if (!value || sumOf(version))
    return;
  ++work;
  Adjoint &adjoint = adjoints[version];
  if (!adjoint.home)
    adjoint.home = &code;
  const Loc at = value->at;
  const Type type = typeOfGradient(locals[version].type);
  value = makeCast(std::move(value), type, at);
  if (!adjoint.isSet) {
    adjoint.isSet = true;
    adjoint.local = locals.add(locals[version].name + ".grad", type);
    if (adjoint.home == &code)
      return assign(code, adjoint.local, std::move(value), at);
    Block &home = *adjoint.home;
    home.insert(home.begin(), {at, Assign{adjoint.local, take(makeFloat(0, type, at))}});
  }
  ExprRef sum =
      makeBinary(BinaryOp::Add, locals.read(adjoint.local, at), std::move(value), type, at);
  assign(code, adjoint.local, std::move(sum), at);
}

} // namespace sextant::gradients
