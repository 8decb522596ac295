// AMD's processors, as far as compiler and loader have to agree: which generic architecture covers
// each, which modifiers a target ID may have, and the wave sizes.
#pragma once

#include <span>
#include <string_view>

namespace sextant::abi {

/// A processor and the generic architecture whose code it runs, or "".
struct AmdProcessor {
  const char *name;
  const char *generic;
  bool sramecc, xnack; ///< target IDs may say so
  /// True if it runs waves of 32 lanes, which are then the default. All run waves of 64.
  bool hasWave32() const { return !std::string_view(name).starts_with("gfx9"); }
};
std::span<const AmdProcessor> amdProcessors();

/// Finds the processor of that name, or the first one that a generic architecture of that name
/// covers: its row holds for the others too. Null if there is neither.
const AmdProcessor *findAmdProcessor(std::string_view name);

} // namespace sextant::abi
