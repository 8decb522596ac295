// Estimates how similar byte sequences are, without compressing one against the other. It finds
// the few packs that are worth a trial as a base.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sextant::packager {

/// One-permutation MinHash of a sequence's windows (P. Li, A. Owen, C.-H. Zhang: "One Permutation
/// Hashing", NIPS 2012).
struct Sketch {
  static constexpr size_t bins = 128;
  std::array<uint32_t, bins> least; ///< the least hash of each bin; all ones: none
};

Sketch sketchOf(std::span<const std::byte> bytes);

/// Returns how many bins are alike: in proportion to the windows that both sequences have, of all
/// that one of them has.
unsigned similarityOf(const Sketch &a, const Sketch &b);

} // namespace sextant::packager
