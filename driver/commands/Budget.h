// The limits of a module: `--max-size`, `--fail-on-spill` and `--require`. Every command that
// writes or checks a module takes them.
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

/// Adds the options to `command`. `budget` must live as long.
void addBudgetOptions(CLI::App &command, Budget &budget);

/// Throws a Refusal that names what is too large, every task that spills, or everything that is
/// missing.
/// \param module the bytes of the whole module
/// \return a note on how many variants do not report spills, or ""
std::string checkBudget(const Budget &budget, const std::string &path,
                        std::span<const std::byte> module);

} // namespace sextant
