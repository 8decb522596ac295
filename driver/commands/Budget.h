// The limits of a module: `--max-size`, `--fail-on-spill` and `--require`. Every command that
// writes or checks a module takes them.
#pragma once

#include "driver/Environment.h"
#include "packager/Contents.h"

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

/// Returns the bytes of a module in canonical order, if it keeps the budget. Notes on the budget go
/// to `err`. Throws Refusal. \param path where the module will be
std::vector<std::byte> buildModule(const Environment &environment, const std::string &path,
                                   packager::Contents contents,
                                   const packager::BuildOptions &options, const Budget &budget);

} // namespace sextant
