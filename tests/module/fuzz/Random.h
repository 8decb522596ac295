// Numbers for the mutator: from a seed, and mostly those that hurt.
#pragma once

#include <cstdint>
#include <random>

namespace sextant::fuzz {

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}

  uint64_t below(uint64_t bound) { return bound == 0 ? 0 : bits() % bound; }
  bool oneIn(unsigned n) { return below(n) == 0; }
  uint64_t bits() { return uint64_t(engine()) << 32 | engine(); }

  /// A neighbour of `old`, a number at an edge, or any. `size` is one that matters
  /// there: of the file, of the record.
  uint64_t number(uint64_t old, uint64_t size) {
    switch (below(12)) {
    case 0:
      return old + 1;
    case 1:
      return old - 1;
    case 2:
      return old + below(64) - 32;
    case 3:
      return old * 2;
    case 4:
      return below(8);
    case 5:
      return ~uint64_t(0) - below(16);
    case 6:
      return uint64_t(1) << below(64);
    case 7:
      return (uint64_t(1) << below(64)) - 1 - below(8);
    case 8:
      return size - old + below(3) - 1; // the rest after an offset
    case 9:
      return size + below(17) - 8;
    case 10:
      return old ^ uint64_t(1) << below(64);
    default:
      return below(size + 1);
    }
  }

private:
  std::mt19937 engine;
};

} // namespace sextant::fuzz
