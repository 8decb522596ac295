#include "packager/Similar.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sextant::packager {

/// Bytes that are compared as one: as few as matches of zstd may have, and too many for chance.
using Window = uint64_t;
static constexpr uint32_t none = 0xffffffff;

Sketch sketchOf(std::span<const std::byte> bytes) {
  constexpr int binBits = std::bit_width(Sketch::bins) - 1;
  Sketch sketch;
  sketch.least.fill(none);
  for (size_t at = 0; at + sizeof(Window) <= bytes.size(); ++at) {
    Window window = 0;
    std::memcpy(&window, bytes.data() + at, sizeof(window));
    // SplitMix64's finalizer; its upper bits choose the bin, its lower ones are the hash.
    window = (window ^ window >> 30) * 0xbf58476d1ce4e5b9u;
    window = (window ^ window >> 27) * 0x94d049bb133111ebu;
    uint32_t &least = sketch.least[window >> (64 - binBits)];
    least = std::min(least, static_cast<uint32_t>(window));
  }
  return sketch;
}

unsigned similarityOf(const Sketch &a, const Sketch &b) {
  unsigned alike = 0;
  for (size_t bin = 0; bin < Sketch::bins; ++bin)
    alike += a.least[bin] == b.least[bin] && a.least[bin] != none ? 1 : 0;
  return alike;
}

} // namespace sextant::packager
