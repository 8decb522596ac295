// A draft from the text that dump(const Draft &) makes of it, so that passes are tested by text.
#pragma once

#include "frontend/hir/Draft.h"

#include <string>

namespace sextant::hir {

/// \param problem where and why it is no draft's text; empty: it is one
/// What the text does not have (places in sources, calls, shapes of fields) is as a new Draft's.
/// The launch expressions of tasks are not read.
Draft parseDraft(const std::string &text, std::string &problem);

} // namespace sextant::hir
