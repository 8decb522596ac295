// What a module has to keep: `--max-size`, `--fail-on-spill` and `--require`, which every
// command that writes or checks a module takes.
#pragma once

#include "driver/Environment.h"

#include <CLI/App.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sextant {

struct Budget {
  std::optional<uint64_t> maxBytes;
  bool failOnSpill = false;
  std::vector<std::string> require; ///< patterns (packager/Pattern.h)
};

/// Adds the options to `command`; `budget` lives as long as it does.
void addBudgetOptions(CLI::App &command, Budget &budget);

/// Throws Refusal with what is too large, every task that spills, or all that is missing.
/// \param module the bytes of the whole module
/// \return what else to say: how many variants do not tell whether they spill; or ""
std::string checkBudget(const Budget &budget, const std::string &path,
                        std::span<const std::byte> module);

} // namespace sextant
