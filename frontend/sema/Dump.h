// HIR as text, for tests and `--dump-ir=hir`.
#pragma once

#include "frontend/sema/Hir.h"

#include <string>

namespace sextant::hir {

std::string dump(const Kernel &kernel);
std::string dump(const Expr &expr);

} // namespace sextant::hir
