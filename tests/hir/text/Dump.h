// HIR as text, for tests. Parse.h reads the text of a draft.
#pragma once

#include "frontend/hir/Draft.h"

#include <string>

namespace sextant::hir {

std::string dump(const Kernel &kernel);
std::string dump(const Draft &draft);
std::string dump(const Expr &expr);

} // namespace sextant::hir
