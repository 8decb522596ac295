// Environment variables.
#pragma once

namespace sextant::system {

/// Returns an environment variable's text in UTF-8, or null if it is unset or empty. The text stays
/// valid until somebody changes the variable.
const char *environment(const char *name);

} // namespace sextant::system
