// Fits of code to a device, and the rules about architectures that all families share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::module {

enum class Match : uint8_t { Exact, Compatible, Generic, Portable, None };
std::string_view nameOf(Match match);

/// How code fits a device. `rank` orders fits of the same match; higher is better.
struct Fit {
  Match match = Match::None;
  unsigned rank = 0;
  std::string reason; ///< one clause
};

/// An architecture that selection knows.
struct KnownArch {
  std::string backend;
  std::string arch;            ///< canonical: of a device, "sm_90" for "compute_90a"
  std::vector<unsigned> waves; ///< sizes that its devices run, the preferred first
};

/// The fit of the same architecture.
Fit exactFit(unsigned rank);
Fit compatibleFit(unsigned rank, std::string_view arch, std::string_view device);
/// "WHAT ARCH SUFFIX; the device is DEVICE"
Fit noFit(std::string_view what, std::string_view arch, std::string_view suffix,
          std::string_view device);
/// The fit of versions: the same version, or older code on a newer device.
/// \param language "Vulkan"
Fit fitVersion(std::string_view language, std::string_view arch, std::string_view deviceArch);
/// Returns true if `arch` is a version, such as "1.3".
bool isVersion(std::string_view arch);

/// Returns true if `arch` is `named`, or `named` with more target-ID modifiers, in any order.
bool isArch(std::string_view arch, std::string_view named);

/// Parses the whole of `text` as a number.
std::optional<unsigned> parseNumber(std::string_view text);
/// Concatenates `parts`.
std::string joined(std::initializer_list<std::string_view> parts);

} // namespace sextant::module
