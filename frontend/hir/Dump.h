// HIR as text, for tests and `--dump-ir=hir`; Parse.h reads that of a draft.
#pragma once

#include "frontend/hir/Draft.h"

#include <string>

namespace sextant::hir {

std::string dump(const Kernel &kernel);
std::string dump(const Draft &draft);
std::string dump(const Expr &expr);

} // namespace sextant::hir
