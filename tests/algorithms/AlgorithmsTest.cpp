// Device-wide algorithms beside references of the standard library: reductions, scans, selections,
// runs. Sizes lie around each edge: of subgroups, blocks, tiles, and of one level of tiles.
#include "tests/algorithms/Algorithms.h"

#include <numeric>

namespace conformance {

namespace {

//===--- Reductions and scans ----------------------------------------------===//

/// The later one that is not 0.
template <class T> T lastSet(T a, T b) { return b != T(0) ? b : a; }

template <class T> std::vector<T> inputs(Run &run, size_t n) {
  if constexpr (std::is_floating_point_v<T>)
    return small<T>(run, n); // whose sums are exact in any order
  else
    return anyBits<T>(run, n);
}

template <class T, class Op>
std::vector<T> scanned(const std::vector<T> &x, T first, Op op, bool isInclusive) {
  std::vector<T> result(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const T next = op(first, x[i]);
    result[i] = isInclusive ? next : first;
    first = next;
  }
  return result;
}

template <class T> void foldArrays(Run &run) {
  using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const unsigned perThread = 64 / sizeof(T);
  for (size_t n : sizes(run, 256 * perThread)) {
    const std::vector<T> x = inputs<T>(run, n);
    std::vector<T> sparse(n); // few are set
    for (size_t i = 0; i < n; ++i)
      sparse[i] = run.random() % 700 == 0 ? T(1 + i % 1000) : T(0);
    const auto in = padded(run, x), few = padded(run, sparse);
    auto scratch = run.zeros<Word>(n / 256 + n / 65536 + 3);
    auto reduces = [&](const char *kernel, T first, auto op) {
      auto out = run.array(std::vector<T>{T(99), T(77)});
      run.launch(kernel, in, out, scratch, int32_t(n));
      const std::vector<T> got = out.read();
      expectSame(kernel, n, got[0], std::accumulate(x.begin(), x.end(), first, op));
      expectSame("past the result", 1, got[1], T(77));
    };
    auto scans = [&](const char *kernel, const auto &array, const std::vector<T> &values, T first,
                     auto op, bool isInclusive) {
      auto out = run.array(std::vector<T>(n + 3, T(77)));
      run.launch(kernel, array, out, scratch, int32_t(n));
      expectFront(kernel, out.read(), scanned(values, first, op, isInclusive), T(77));
    };
    reduces("reduce_add", T(0), add<T>);
    reduces("reduce_min", highest<T>(), minimum<T>);
    reduces("reduce_max", lowest<T>(), maximum<T>);
    scans("scan_add", in, x, T(0), add<T>, false);
    scans("scan_min", in, x, highest<T>(), minimum<T>, false);
    scans("scan_max", in, x, lowest<T>(), maximum<T>, false);
    scans("scan_last", few, sparse, T(0), lastSet<T>, false);
    scans("inclusive_last", few, sparse, T(0), lastSet<T>, true);
    if (n <= 256)
      scans("inclusive_add_small", in, x, T(0), add<T>, true);
  }
}

//===--- Other types, other counts -----------------------------------------===//

void composeMaps(Run &run) {
  for (size_t n : sizes(run, 256, 70000)) {
    std::vector<uint32_t> factors(n), terms(n), expectedFactors(n), expectedTerms(n);
    uint32_t factor = 1, term = 0;
    for (size_t i = 0; i < n; ++i) {
      factors[i] = uint32_t(run.random()) | 1;
      terms[i] = uint32_t(run.random());
      term = term * factors[i] + terms[i];
      factor *= factors[i];
      expectedFactors[i] = factor;
      expectedTerms[i] = term;
    }
    auto factorsOut = run.zeros<uint32_t>(n + 1), termsOut = run.zeros<uint32_t>(n + 1);
    run.launch("compose", padded(run, factors), padded(run, terms), factorsOut, termsOut,
               int32_t(n));
    expectFront("factors", factorsOut.read(), expectedFactors, 0u);
    expectFront("terms", termsOut.read(), expectedTerms, 0u);
  }
}

void scanBytes(Run &run) {
  for (size_t n : sizes(run, 256, 70000)) {
    std::vector<uint8_t> x(n), expected(n);
    uint8_t sum = 0;
    for (size_t i = 0; i < n; ++i) {
      x[i] = uint8_t(run.random());
      expected[i] = sum;
      sum = uint8_t(sum + x[i]);
    }
    auto out = run.array(std::vector<uint8_t>(n + 4, 77));
    run.launch("scan_bytes", padded(run, x), out, run.zeros<uint8_t>(n / 256 + 4), int32_t(n));
    expectFront("sums", out.read(), expected, uint8_t(77));
  }
}

void sumSquares(Run &run) {
  for (size_t n : sizes(run, 4096)) {
    const std::vector<int32_t> x = small<int32_t>(run, n);
    auto out = run.zeros<int32_t>(1);
    run.launch("squares", padded(run, x), out, run.zeros<uint32_t>(n / 256 + 3), int32_t(n));
    expectSame("sum", n, out.read()[0],
               std::accumulate(x.begin(), x.end(), 0, [](int s, int v) { return s + v * v; }));
  }
}

void countedByDevice(Run &run) {
  for (size_t n : sizes(run, 4096, 20000)) {
    const std::vector<int32_t> x = small<int32_t>(run, n);
    sextant::Array<int32_t, 0> count(run.device, int32_t(n));
    auto out = run.array(std::vector<int32_t>(n + 3, 77));
    run.launch("scan_counted", padded(run, x), out, run.zeros<uint32_t>(n / 256 + 3), count);
    expectFront("sums", out.read(), scanned(x, 0, add<int32_t>, false), 77);
  }
}

//===--- Selections --------------------------------------------------------===//

bool isOdd(int32_t x) { return x & 1; }

struct Selection {
  Run &run;
  size_t n;
  sextant::Array<uint32_t> scratch;
  sextant::Array<int32_t> count;

  Selection(Run &run, size_t n)
      : run(run), n(n), scratch(run.zeros<uint32_t>(n + n / 256 + 3)),
        count(run.array(std::vector<int32_t>(3, 77))) {}
  /// Checks the count, and `out` up to it; past it, that nothing was stored.
  template <class T>
  void expect(const char *what, const std::vector<T> &out, const std::vector<T> &expected) {
    const std::vector<int32_t> got = count.read();
    expectSame(std::string("the count of ") + what, n, got[0], int32_t(expected.size()));
    expectSame("past the count", 1, got[1], 77);
    expectFront(what, out, expected, T(77));
  }
};

void select(Run &run) {
  for (size_t n : sizes(run, 4096))
    for (unsigned rare : {1u, 2u, 300u}) { // all, half, few
      std::vector<int64_t> x(n), expected;
      std::vector<int32_t> flags(n);
      for (size_t i = 0; i < n; ++i) {
        x[i] = int64_t(run.random());
        flags[i] = run.random() % rare == 0;
        if (flags[i])
          expected.push_back(x[i]);
      }
      Selection all(run, n);
      auto out = run.array(std::vector<int64_t>(n + 3, 77));
      run.launch("select", padded(run, x), padded(run, flags), out, all.count, all.scratch,
                 int32_t(n));
      all.expect("select", out.read(), expected);
    }
}

void selectIf(Run &run) {
  for (size_t n : sizes(run, 4096)) {
    const std::vector<int32_t> x = small<int32_t>(run, n);
    std::vector<int32_t> odd, even;
    for (int32_t value : x)
      (isOdd(value) ? odd : even).push_back(value);
    Selection all(run, n);
    auto out = run.array(std::vector<int32_t>(n + 3, 77));
    run.launch("select_if", padded(run, x), out, all.count, all.scratch, int32_t(n));
    all.expect("select_if", out.read(), odd);
    run.launch("partition", padded(run, x), out, all.count, all.scratch, int32_t(n));
    expectSame("the count of partition", n, all.count.read()[0], int32_t(odd.size()));
    std::vector<int32_t> parted = odd; // the others from the end
    parted.insert(parted.end(), even.rbegin(), even.rend());
    expectFront("partition", out.read(), parted, 77);
  }
}

template <class Count> void partition3(Run &run) {
  for (size_t n : sizes(run, 2048)) {
    const std::vector<int32_t> x = small<int32_t>(run, n);
    std::vector<int32_t> parts[3];
    for (int32_t value : x)
      parts[isOdd(value) ? 0 : value % 3 == 0 ? 1 : 2].push_back(value);
    auto a = run.array(std::vector<int32_t>(n + 3, 77)), b = run.array(a.read()),
         c = run.array(a.read()), counts = run.array(std::vector<int32_t>(3, 77));
    run.launch("partition3", padded(run, x), a, b, c, counts, run.zeros<uint64_t>(n / 256 + 3),
               Count(n));
    expectSame("the first count", n, counts.read()[0], int32_t(parts[0].size()));
    expectSame("the second count", n, counts.read()[1], int32_t(parts[1].size()));
    expectFront("first", a.read(), parts[0], 77);
    expectFront("second", b.read(), parts[1], 77);
    expectFront("rest", c.read(), parts[2], 77);
  }
}

//===--- Runs --------------------------------------------------------------===//

/// Keys in runs: of about `length`, 1 where it is 1.
std::vector<int32_t> runsOf(Run &run, size_t n, unsigned length) {
  std::vector<int32_t> keys(n);
  int32_t key = 5;
  for (int32_t &each : keys) {
    if (run.random() % length == 0)
      key = int32_t(run.random() % 1000);
    each = key;
  }
  return keys;
}

template <class Count> void runs(Run &run) {
  for (size_t n : sizes(run, 2048))
    for (unsigned length : {1u, 7u, 3000u}) {
      const std::vector<int32_t> keys = runsOf(run, n, length);
      const std::vector<float> reals = small<float>(run, n);
      std::vector<int64_t> wide(n);
      std::vector<int32_t> heads, lengths;
      std::vector<float> sums;
      std::vector<int64_t> most;
      for (size_t i = 0; i < n; ++i) {
        wide[i] = int64_t(run.random());
        if (i == 0 || keys[i] != keys[i - 1]) {
          heads.push_back(keys[i]);
          lengths.push_back(0);
          sums.push_back(0);
          most.push_back(wide[i]);
        }
        ++lengths.back();
        sums.back() += reals[i];
        most.back() = std::max(most.back(), wide[i]);
      }
      Selection all(run, n);
      const auto in = padded(run, keys);
      auto out = [&] { return run.array(std::vector<int32_t>(n + 3, 77)); };
      auto unique = out(), values = out(), counts = out(), keysOut = out();
      run.launch("unique", in, unique, all.count, all.scratch, Count(n));
      all.expect("unique", unique.read(), heads);
      run.launch("run_lengths", in, values, counts, all.count, all.scratch, Count(n));
      all.expect("values of runs", values.read(), heads);
      all.expect("lengths of runs", counts.read(), lengths);
      auto sumsOut = run.array(std::vector<float>(n + 3, 77));
      run.launch("by_key_f32", in, padded(run, reals), keysOut, sumsOut, all.count, all.scratch,
                 Count(n));
      all.expect("keys", keysOut.read(), heads);
      all.expect("sums by key", sumsOut.read(), sums);
      auto mostOut = run.array(std::vector<int64_t>(n + 3, 77));
      run.launch("by_key_i64", in, padded(run, wide), keysOut, mostOut, all.count, all.scratch,
                 Count(n));
      all.expect("maxima by key", mostOut.read(), most);
    }
}

} // namespace

std::vector<Case> allCases() {
  std::vector<Case> cases;
  cases.push_back({"folds_i32", "i32", foldArrays<int32_t>});
  cases.push_back({"folds_u64", "u64", foldArrays<uint64_t>});
  cases.push_back({"folds_f32", "f32", foldArrays<float>});
  cases.push_back({"folds_f64", "f64", foldArrays<double>});
  cases.push_back({"structs", "maps that are composed", composeMaps});
  cases.push_back({"structs", "bytes", scanBytes});
  cases.push_back({"structs", "transformed", sumSquares});
  cases.push_back({"structs", "a count that the device knows", countedByDevice});
  cases.push_back({"selects", "by flags", select});
  cases.push_back({"selects", "by a function", selectIf});
  cases.push_back({"counts_i32", "three ways", partition3<int32_t>});
  cases.push_back({"counts_i32", "runs", runs<int32_t>});
  cases.push_back({"counts_i64", "three ways", partition3<int64_t>});
  cases.push_back({"counts_i64", "runs", runs<int64_t>});
  addSortCases(cases);
  addMoreAlgorithms(cases);
  return cases;
}

} // namespace conformance
