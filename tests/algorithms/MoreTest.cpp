// Histograms, segments, merges, the best keys and copies of pieces, beside loops on the host.
#include "tests/algorithms/Algorithms.h"

#include <numeric>

namespace conformance {

namespace {

void evenBins(Run &run) {
  for (size_t n : sizes(run, 2048)) {
    const std::vector<int32_t> x = small<int32_t>(run, n, 60); // some lie outside
    std::vector<int32_t> expected(10);
    for (int32_t value : x)
      if (value >= -50 && value < 51)
        ++expected[size_t((value + 50) * 10 / 101)];
    auto hist = run.array(std::vector<int32_t>(12, 77));
    run.launch("even", padded(run, x), hist, int32_t(n));
    expectFront("even", hist.read(), expected, 77);
    // Quarters, whose bins are exact, and more bins than shared memory takes.
    std::vector<float> reals(n);
    std::vector<int32_t> many(5000);
    for (float &value : reals) {
      value = float(run.random() % 24000) / 4;
      if (value < 5000)
        ++many[size_t(value)];
    }
    auto bins = run.array(std::vector<int32_t>(5002, 77));
    run.launch("even_reals", padded(run, reals), bins, int32_t(n), 0.0f, 5000.0f);
    expectFront("even reals", bins.read(), many, 77);
  }
}

void rangeBins(Run &run) {
  const std::vector<float> levels = {-3, 0, 0.5f, 7, 7, 40};
  for (size_t n : sizes(run, 2048)) {
    const std::vector<float> x = small<float>(run, n);
    std::vector<int32_t> expected(5);
    for (float value : x)
      for (size_t b = 0; b < 5; ++b)
        expected[b] += levels[b] <= value && value < levels[b + 1];
    auto hist = run.array(std::vector<int32_t>(7, 77));
    run.launch("levels", padded(run, x), hist, run.array(levels), int32_t(n));
    expectFront("levels", hist.read(), expected, 77);
  }
}

/// Offsets of segments that are empty, short, and longer than a tile, after 3 unused elements.
std::vector<int32_t> segmentsOf(Run &run) {
  std::vector<int32_t> offsets = {3};
  for (int32_t length : {0, 1, 31, 256, 257, 2049, 0, 5000, 12})
    offsets.push_back(offsets.back() + length);
  for (int k = 0; k < 20; ++k)
    offsets.push_back(offsets.back() + int32_t(run.random() % 40));
  return offsets;
}

void segments(Run &run) {
  const std::vector<int32_t> offsets = segmentsOf(run);
  const size_t count = offsets.size() - 1, n = size_t(offsets.back());
  const std::vector<float> x = small<float>(run, n);
  std::vector<int32_t> sparse(n);
  for (size_t i = 0; i < n; ++i)
    sparse[i] = run.random() % 90 == 0 ? int32_t(i) : 0;
  std::vector<float> sums(count);
  std::vector<int32_t> scanned(n, 77), order(n, 77);
  std::vector<float> keys = anyBits<float>(run, n);
  for (float &key : keys) // the order of others is what SortTest.cpp asks for
    if (key != key || key == 0)
      key = 1.5f;
  std::vector<float> sorted = keys;
  for (size_t s = 0; s < count; ++s) {
    int32_t last = 0;
    const auto begin = size_t(offsets[s]), end = size_t(offsets[s + 1]);
    for (size_t i = begin; i < end; ++i) {
      sums[s] += x[i];
      scanned[i] = last;
      last = sparse[i] ? sparse[i] : last;
    }
    std::iota(order.begin() + long(begin), order.begin() + long(end), int32_t(begin));
    std::sort(order.begin() + long(begin), order.begin() + long(end), [&](int32_t a, int32_t b) {
      return std::pair(keys[size_t(a)], a) < std::pair(keys[size_t(b)], b);
    });
    for (size_t i = begin; i < end; ++i)
      sorted[i] = keys[size_t(order[i])];
  }
  auto onDevice = run.array(offsets);
  auto out = run.array(std::vector<float>(count + 2, 77));
  run.launch("segment_sums", padded(run, x), out, onDevice, int32_t(count));
  expectFront("sums", out.read(), sums, 77.0f);
  auto scans = run.array(std::vector<int32_t>(n + 2, 77));
  run.launch("segment_scans", padded(run, sparse), scans, onDevice, int32_t(count));
  expectFront("scans", scans.read(), scanned, 77);
  std::vector<int32_t> places(n);
  std::iota(places.begin(), places.end(), 0);
  std::fill(places.begin(), places.begin() + 3, 77);
  auto in = run.array(keys), tmp = run.zeros<float>(n);
  auto values = run.array(places), tmpValues = run.zeros<int32_t>(n);
  run.launch("segment_sorts", in, tmp, values, tmpValues, onDevice, int32_t(count));
  expectSame("keys", in.read(), sorted);
  expectSame("values", values.read(), order);
}

template <class Count> void merge(Run &run) {
  for (size_t na : {size_t(0), size_t(1), size_t(300), size_t(5000)})
    for (size_t nb : {size_t(0), size_t(8), size_t(301), size_t(2000)}) {
      // Few upper halves, which order; lower halves tell where elements came from.
      auto made = [&](size_t n, uint64_t from) {
        std::vector<uint64_t> values(n);
        for (uint64_t &value : values)
          value = (run.random() % 40) << 32;
        std::ranges::sort(values);
        for (size_t i = 0; i < n; ++i)
          values[i] |= from + i;
        return values;
      };
      const std::vector<uint64_t> a = made(na, 0), b = made(nb, 100000);
      std::vector<uint64_t> expected(na + nb);
      std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(),
                 [](uint64_t x, uint64_t y) { return x >> 32 < y >> 32; });
      auto out = run.array(std::vector<uint64_t>(na + nb + 3, 77));
      run.launch("merges", padded(run, a), padded(run, b), out, Count(na), Count(nb));
      expectFront("merged", out.read(), expected, uint64_t(77));
    }
}

/// Better ones in the order of the input, then the first of those that equal the last one.
template <class Count, class T>
void bestOf(Run &run, const char *kernel, const std::vector<T> &keys, size_t k, bool isLargest) {
  const size_t n = keys.size();
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int32_t i) {
    const T key = keys[size_t(i)];
    return std::pair(isLargest ? T(0) - key : key, i);
  });
  order.resize(std::min(k, n));
  if (!order.empty()) {
    const T last = keys[size_t(order.back())];
    const auto middle =
        std::ranges::find_if(order, [&](int32_t i) { return keys[size_t(i)] == last; });
    std::sort(order.begin(), middle);
  }
  std::vector<T> expected;
  for (int32_t i : order)
    expected.push_back(keys[size_t(i)]);
  auto out = run.array(std::vector<T>(n + 3, T(77)));
  auto places = run.array(std::vector<int32_t>(n + 3, 77));
  run.launch(kernel, padded(run, keys), out, places, run.zeros<uint32_t>(n / 64 + 300), Count(n),
             Count(k));
  expectFront(kernel, out.read(), expected, T(77));
  expectFront("places", places.read(), order, 77);
}

template <class Count> void best(Run &run) {
  for (size_t n : {size_t(0), size_t(1), size_t(257), size_t(9000)})
    for (size_t k : {size_t(0), size_t(1), size_t(100), n}) {
      bestOf<Count>(run, "best", small<float>(run, n), k, true);
      std::vector<uint64_t> keys(n);
      for (uint64_t &key : keys)
        key = run.random() >> run.random() % 60;
      bestOf<Count>(run, "least", keys, k, false);
    }
}

/// \tparam Int the type of sizes, offsets and their number
template <class Int> void copies(Run &run) {
  for (size_t count : {size_t(0), size_t(1), size_t(3000)}) {
    std::vector<Int> from(count), to(count), lengths(count);
    Int n = 0;
    for (size_t k = 0; k < count; ++k) {
      lengths[k] = k % 1000 == 0 ? 6000 : Int(run.random() % 5);
      n += lengths[k];
    }
    Int at = 0;
    for (size_t k = count; k-- > 0; at += lengths[k])
      from[k] = at; // backwards
    at = 2;
    for (size_t k = 0; k < count; ++k, at += lengths[k - 1] + 1)
      to[k] = at;
    std::vector<int32_t> src(size_t(n) + 1), expected(size_t(at) + 1, 77);
    std::iota(src.begin(), src.end(), 100);
    for (size_t k = 0; k < count; ++k)
      for (Int j = 0; j < lengths[k]; ++j)
        expected[size_t(to[k] + j)] = src[size_t(from[k] + j)];
    auto dst = run.array(std::vector<int32_t>(expected.size(), 77));
    run.launch(sizeof(Int) == 8 ? "wide_copies" : "copies", run.array(src), dst, padded(run, from),
               padded(run, to), padded(run, lengths),
               run.zeros<uint32_t>((count + count / 256 + 3) * sizeof(Int) / 4), Int(count));
    expectSame("copies", dst.read(), expected);
  }
}

} // namespace

void addMoreAlgorithms(std::vector<Case> &cases) {
  cases.push_back({"more", "even bins", evenBins});
  cases.push_back({"more", "bins between levels", rangeBins});
  cases.push_back({"more", "segments", segments});
  cases.push_back({"counts_i32", "merge", merge<int32_t>});
  cases.push_back({"counts_i32", "the best keys", best<int32_t>});
  cases.push_back({"more", "copies of pieces", copies<int32_t>});
  cases.push_back({"more", "copies of pieces, counted in i64", copies<int64_t>});
  cases.push_back({"counts_i64", "merge", merge<int64_t>});
  cases.push_back({"counts_i64", "the best keys", best<int64_t>});
}

} // namespace conformance
