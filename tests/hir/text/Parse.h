// Reads the text that dump(const Draft &) writes, so that tests of passes are texts.
#pragma once

#include "frontend/hir/Draft.h"

#include <string>

namespace sextant::hir {

/// The text has no places in sources, calls and shapes of fields: they are those of a new Draft.
/// The launch expressions of tasks are not read.
/// \param problem why the text is not a draft, and where; empty on success
Draft parseDraft(const std::string &text, std::string &problem);

} // namespace sextant::hir
