// A check for options that take one of a few names.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sextant {

/// Refuses every other text. The error lists the names and suggests the nearest.
CLI::Validator oneOf(const std::vector<std::string> &names);

} // namespace sextant
