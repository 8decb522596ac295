// AMD's processors, as far as compiler and loader have to agree on them: which generic
// architecture covers each, what target IDs may say, wave sizes.
#pragma once

#include <span>
#include <string_view>

namespace sextant::abi {

/// A processor and the generic architecture whose code it runs, or "".
struct AmdProcessor {
  const char *name;
  const char *generic;
  bool sramecc, xnack; ///< target IDs may say so
  /// Waves of 32 lanes, which are then the default; all have those of 64.
  bool hasWave32() const { return !std::string_view(name).starts_with("gfx9"); }
};
std::span<const AmdProcessor> amdProcessors();

/// The processor of that name, or the first that a generic architecture of that name covers: what
/// the table says of it holds for the others too. Null: there is neither.
const AmdProcessor *findAmdProcessor(std::string_view name);

} // namespace sextant::abi
