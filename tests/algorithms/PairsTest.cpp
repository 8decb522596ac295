// Sorts by each range of bits (begin, end), for the key types that the command line names; see
// pairs.sh.
#include "tests/algorithms/Sorting.h"

#include <algorithm>

namespace conformance {

namespace {

/// Any bits, and few keys, of more than a tile each.
template <class T> void sortsByBits(Run &run, unsigned begin, unsigned end) {
  const std::string name = "bits_" + std::to_string(begin) + "_" + std::to_string(end);
  if (!std::ranges::count(run.module.kernels(), name))
    throw Skipped{"the module has only every so many pairs"};
  for (unsigned kind : {0u, 1u})
    sortBy<T, int32_t>(run, {name.c_str(), begin, end, false}, keysOf<T>(run, 2500, kind));
}

template <class T> void addPairs(std::vector<Case> &cases, const std::string &type) {
  const unsigned width = 8 * sizeof(T);
  for (unsigned begin = 0; begin < width; ++begin)
    for (unsigned end = begin + 1; end <= width; ++end)
      cases.push_back({"pairs_" + type, std::to_string(begin) + " to " + std::to_string(end),
                       [=](Run &run) { sortsByBits<T>(run, begin, end); }});
}

} // namespace

std::vector<Case> allCases() {
  std::vector<Case> cases;
  addPairs<uint8_t>(cases, "u8");
  addPairs<int8_t>(cases, "i8");
  addPairs<uint16_t>(cases, "u16");
  addPairs<int16_t>(cases, "i16");
  addPairs<uint32_t>(cases, "u32");
  addPairs<int32_t>(cases, "i32");
  addPairs<float>(cases, "f32");
  addPairs<uint64_t>(cases, "u64");
  addPairs<int64_t>(cases, "i64");
  addPairs<double>(cases, "f64");
  return cases;
}

} // namespace conformance
