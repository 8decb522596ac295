// Kernels with several implementations: `@qd.perf_dispatch` decorates a prototype, and
// `@prototype.register` the kernels that implement it.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// A prototype and the kernels that implement it, in the order of the text.
struct Dispatch {
  const ast::FunctionDef *prototype = nullptr;
  std::vector<const ast::FunctionDef *> implementations;

  bool has(const ast::FunctionDef &function) const;
};

/// Finds those of the main module. Reports prototypes and registrations that mean nothing here, and
/// leaves them out.
std::vector<Dispatch> findDispatches(Context &host);

/// Checks that implementations of one instance take and return the same. Reports each that differs
/// from the first.
/// \param places where each is named
void checkAgreement(Context &host, const std::vector<hir::Kernel> &implementations,
                    const std::vector<SourceRange> &places);

} // namespace sextant::sema
