// Checks for options that take one of a few names, or a whole number.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace sextant {

/// Refuses every other text by a Misspelling, which lists the names and suggests the nearest.
/// \param option whose value it is: "--color"; empty: it is an argument
/// \param likely those that other texts may mean; empty: any
CLI::Validator oneOf(const std::string &option, const std::vector<std::string> &names,
                     const std::vector<std::string> &likely = {});

/// Refuses what is not a whole number from `least` to `most`.
CLI::Validator wholeNumber(const std::string &option, uint32_t least, uint32_t most = UINT32_MAX);

} // namespace sextant
