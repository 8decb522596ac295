// Diagnostics as `--diagnostics=json` shows them.
#pragma once

#include "frontend/syntax/Diagnostics.h"

namespace sextant {

/// One JSON object on one line, and the line's end.
std::string diagnosticJson(const Diagnostic &diagnostic);

} // namespace sextant
