// Sorts beside the standard library's: key types, ranges of bits, both orders.
#include "tests/algorithms/Sorting.h"

namespace conformance {

namespace {

/// Elements of a tile, around which sizes are of interest (frontend/library/algorithms/digits.py).
template <class T> size_t tileOf(const Run &run) {
  if (run.column.backend == "cuda")
    return 512 * (sizeof(T) == 8 ? 16 : 23);
  if (run.column.backend == "vulkan" && run.wave >= 32 && sizeof(T) == 8)
    return 256 * 10;
  return run.wave < 16 ? 512 : 4096;
}

template <class T, class Count = int32_t>
void sorts(Run &run, const std::vector<SortKernel> &kernels) {
  for (const SortKernel &kernel : kernels)
    for (size_t n : sizes(run, tileOf<T>(run), 70000))
      for (unsigned kind : {0u, 1u, 2u, 3u})
        if (kind == 0 || n > 300)
          sortBy<T, Count>(run, kernel, keysOf<T>(run, n, kind));
}

template <class T, class Count = int32_t> void upwards(Run &run) {
  sorts<T, Count>(run, {{"up", 0, 8 * sizeof(T), false}});
}

/// Every number of a type of 8 bits, by sign and magnitude.
void realsOfBytes(Run &run) {
  using Real = sextant::Float8E4M3;
  const auto orderOf = [](Real key) {
    return key.bits & 0x80 ? ~key.bits & 0xff : key.bits | 0x80;
  };
  for (size_t n : {size_t(1), size_t(300), size_t(9000)}) {
    std::vector<Real> keys(n);
    for (Real &key : keys)
      key.bits = uint8_t(run.random());
    std::vector<int32_t> places(n);
    std::iota(places.begin(), places.end(), 0);
    auto in = run.array(keys), tmp = run.array(keys);
    auto values = run.array(places), tmpValues = run.array(places);
    run.launch("up", in, tmp, values, tmpValues, run.zeros<uint32_t>(2 * n + 600), int32_t(n));
    std::ranges::sort(places, {},
                      [&](int32_t i) { return std::pair(orderOf(keys[size_t(i)]), i); });
    const std::vector<Real> got = in.read();
    for (size_t i = 0; i < n; ++i)
      expectSame("keys", i, got[i].bits, keys[size_t(places[i])].bits);
    expectSame("values", values.read(), places);
  }
}

void bySixteenBits(Run &run) { sorts<float>(run, {{"up", 0, 16, false}}); }

void byDigits(Run &run) {
  sorts<uint32_t>(run, {{"middle", 3, 18, false}, {"one_bit", 7, 8, false}, {"down", 0, 16, true}});
  sorts<int64_t>(run, {{"top", 52, 64, false}});
}

void withPlaces(Run &run) {
  for (size_t n : {size_t(0), size_t(1), size_t(700), size_t(5000)})
    for (unsigned kind : {0u, 1u}) {
      sortBy<float, int32_t>(run, {"places_up", 0, 32, false, true}, keysOf<float>(run, n, kind));
      sortBy<float, int32_t>(run, {"places_down", 0, 32, true, true}, keysOf<float>(run, n, kind));
    }
}

void keysAlone(Run &run) {
  std::vector<uint32_t> keys = keysOf<uint32_t>(run, 5000, 0);
  auto in = padded(run, keys), tmp = run.zeros<uint32_t>(5004);
  run.launch("keys_alone", in, tmp, run.zeros<uint32_t>(6000), int32_t(5000));
  std::vector<int32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int32_t i) { return std::pair(keys[size_t(i)] & 0xffff, i); });
  std::vector<uint32_t> expected;
  for (int32_t i : order)
    expected.push_back(keys[size_t(i)]);
  expectFront("only keys", in.read(), expected, 113u);
}

/// Keys of 15 bits.
std::vector<uint32_t> shortKeys(Run &run, size_t n) {
  std::vector<uint32_t> keys = keysOf<uint32_t>(run, n, 0);
  for (uint32_t &key : keys)
    key &= 0x7fff;
  return keys;
}

void countedByDevice(Run &run) {
  for (size_t n : sizes(run, 512, 6000)) {
    const std::vector<uint32_t> keys = shortKeys(run, n);
    sextant::Array<int32_t, 0> count(run.device, int32_t(n));
    auto in = padded(run, keys), tmp = run.zeros<uint32_t>(n + 4);
    auto values = run.zeros<int32_t>(n + 4), tmpValues = run.zeros<int32_t>(n + 4);
    run.launch("sort_counted", in, tmp, values, tmpValues, run.zeros<uint32_t>(2 * n + 600), count);
    std::vector<uint32_t> sorted = keys;
    std::ranges::sort(sorted);
    expectFront("keys", in.read(), sorted, 113u);
  }
}

/// A sort within a loop on the device.
void inGraph(Run &run) {
  std::vector<uint32_t> keys = shortKeys(run, 3000);
  sextant::Array<int32_t, 0> count(run.device, int32_t(3000)), rounds(run.device, int32_t(3));
  auto in = run.array(keys), tmp = run.zeros<uint32_t>(3000);
  run.launch("sort_until", in, tmp, run.zeros<uint32_t>(6000), count, rounds);
  for (int k = 0; k < 3; ++k) {
    std::ranges::sort(keys);
    keys[0] += 0x1000u;
  }
  expectSame("keys", in.read(), keys);
}

} // namespace

void addSortCases(std::vector<Case> &cases) {
  cases.push_back({"sorts_f32", "f32", upwards<float>});
  cases.push_back({"sorts_i16", "i16", upwards<int16_t>});
  cases.push_back({"sorts_u16", "u16, tuned otherwise", upwards<uint16_t>});
  cases.push_back({"sorts_f8e4m3", "f8e4m3", realsOfBytes});
  cases.push_back({"sorts_large", "f32, as on NVIDIA's GPUs", bySixteenBits});
  cases.push_back({"sorts_i64", "i16, counted in i64", upwards<int16_t, int64_t>});
  cases.push_back({"digits", "some bits", byDigits});
  cases.push_back({"digits", "places of keys", withPlaces});
  cases.push_back({"digits", "only keys", keysAlone});
  cases.push_back({"structs", "a sort whose count the device knows", countedByDevice});
  cases.push_back({"structs", "sorts in a loop on the device", inGraph});
}

} // namespace conformance
