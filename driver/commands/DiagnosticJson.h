// Diagnostics in the form of `--diagnostics=json`.
#pragma once

#include "frontend/syntax/Diagnostics.h"

namespace sextant {

/// Returns one JSON object on one line, and the line's end.
std::string diagnosticJson(const Diagnostic &diagnostic);

} // namespace sextant
