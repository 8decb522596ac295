// Shuffles, votes, reductions, scans, sorts within a subgroup.
#include "tests/conformance/Harness.h"

#include <algorithm>

namespace conformance {

namespace {

constexpr size_t count = 1024; // threads: whole blocks of every kernel here

unsigned log2(unsigned wave) { return unsigned(std::countr_zero(wave)); }

/// One result row; `valid` says which elements the pages define.
template <class T>
void checkRow(const std::string &what, const std::vector<T> &out, size_t row,
              const std::function<T(size_t)> &reference,
              const std::function<bool(size_t)> &valid = {}) {
  for (size_t i = 0; i < count; ++i)
    if (!valid || valid(i))
      expectEqual(what, i, out[row * count + i], reference(i));
}

template <class T> void move(Run &run) {
  unsigned wave = run.wave;
  auto values = anyBits<T>(run, count);
  std::vector<int32_t> lanes(count);
  for (int32_t &lane : lanes)
    lane = int32_t(run.random() % wave);
  auto src = run.array(values);
  auto from = run.array(lanes);
  auto result = run.zeros2<T>(3 + 3 * log2(wave), count);
  run.launch("move", src, from, result);
  auto out = result.read();
  auto base = [&](size_t i) { return i / wave * wave; };
  auto row = [&](const std::string &what, size_t number, auto lane) {
    for (size_t i = 0; i < count; ++i) {
      size_t source = lane(i);
      if (source >= base(i) && source < base(i) + wave)
        expectSame(what, i, out[number * count + i], values[source]);
    }
  };
  row("shuffle", 0, [&](size_t i) { return base(i) + size_t(lanes[i]); });
  row("broadcast", 1, [&](size_t i) { return base(i) + wave - 1; });
  row("broadcast_first", 2, [&](size_t i) { return base(i); });
  for (unsigned k = 0; k < log2(wave); ++k) {
    size_t step = size_t(1) << k;
    row("shuffle_xor", 3 + 3 * k, [&](size_t i) { return i ^ step; });
    row("shuffle_down", 4 + 3 * k, [&](size_t i) { return i + step; });
    row("shuffle_up", 5 + 3 * k, [&](size_t i) { return i - step; });
  }
}

template <class T> void placed(Run &run) {
  unsigned wave = run.wave;
  for (int rounds : {0, 1, 3, 6}) {
    auto values = anyBits<T>(run, count);
    auto src = run.array(values);
    auto result = run.zeros2<T>(4, count);
    run.launch("placed", src, int32_t(rounds), result);
    auto out = result.read();
    for (size_t i = 0; i < count; ++i) {
      size_t base = i / wave * wave, lane = i % wave;
      expectSame("rotated", i, out[i], values[base + (lane + size_t(rounds)) % wave]);
      expectSame("under if", i, out[count + i],
                 values[rounds > 2 ? base + (lane + 2) % wave : base]);
      expectSame("in while", i, out[2 * count + i], values[rounds / 2 % 2 ? i ^ 1 : i]);
      size_t partner = i ^ 1;
      expectSame("after divergence", i, out[3 * count + i],
                 values[partner % 3 == 0 ? (partner + 1) % count : partner]);
    }
  }
}

/// Folds values[first..last] from left to right.
template <class T> T fold(const std::vector<T> &values, size_t first, size_t last, T (*op)(T, T)) {
  T result = values[first];
  for (size_t i = first + 1; i <= last; ++i)
    result = op(result, values[i]);
  return result;
}

template <class T>
void checkReductions(const std::vector<T> &sums, const std::vector<T> &extremes,
                     const std::vector<T> &outSums, const std::vector<T> &outExtremes,
                     size_t firstRow, size_t tile, const std::string &suffix) {
  T (*ops[])(T, T) = {add<T>, minimum<T>, maximum<T>};
  const char *names[] = {"reduce_add", "reduce_min", "reduce_max"};
  for (int op = 0; op < 3; ++op)
    for (int all = 0; all < 2; ++all) {
      auto &values = op == 0 ? sums : extremes;
      auto &out = op == 0 ? outSums : outExtremes;
      checkRow<T>(
          std::string(names[op]) + (all ? "(all)" : "") + suffix, out, firstRow + 3 * all + op,
          [&](size_t i) {
            size_t base = i / tile * tile;
            return fold(values, base, base + tile - 1, ops[op]);
          },
          [&](size_t i) { return all || i % tile == 0; });
    }
}

template <class T> void reductions(Run &run) {
  // Exact sums; anything ordered for min and max.
  auto sums = std::is_integral_v<T> ? ordered<T>(run, count) : small<T>(run, count);
  auto extremes = ordered<T>(run, count);
  unsigned tiles = log2(run.wave) + 1;
  auto launch = [&](const char *kernel, const std::vector<T> &values, size_t rows) {
    auto src = run.array(values);
    auto result = run.zeros2<T>(rows, count);
    run.launch(kernel, src, result);
    return result.read();
  };
  auto outSums = launch("reduce", sums, 6 * tiles);
  auto outExtremes = launch("reduce", extremes, 6 * tiles);
  for (unsigned k = 0; k < tiles; ++k)
    checkReductions(sums, extremes, outSums, outExtremes, 6 * k, size_t(1) << k,
                    "_tiled " + std::to_string(k));
  outSums = launch("reduce_full", sums, 6);
  outExtremes = launch("reduce_full", extremes, 6);
  checkReductions(sums, extremes, outSums, outExtremes, 0, run.wave, "");
}

template <class T> void segmented(Run &run) {
  unsigned tiles = log2(run.wave) + 1;
  for (unsigned density : {1u, 4u, 40u}) {
    auto values = small<T>(run, count);
    std::vector<int32_t> heads(count);
    for (int32_t &head : heads)
      head = run.random() % density == 0 ? int32_t(run.random() % 7 + 1) : 0;
    auto src = run.array(values);
    auto flags = run.array(heads);
    auto check = [&](const std::vector<T> &out, size_t firstRow, size_t tile) {
      T (*ops[])(T, T) = {add<T>, minimum<T>, maximum<T>};
      for (int op = 0; op < 3; ++op)
        checkRow<T>("segmented_reduce " + std::to_string(op) + " tile " + std::to_string(tile), out,
                    firstRow + op, [&](size_t i) {
                      size_t head = i;
                      while (head % tile != 0 && heads[head] == 0)
                        --head;
                      return fold(values, head, i, ops[op]);
                    });
    };
    auto result = run.zeros2<T>(3 * tiles, count);
    run.launch("segmented", src, flags, result);
    auto out = result.read();
    for (unsigned k = 0; k < tiles; ++k)
      check(out, 3 * k, size_t(1) << k);
    auto full = run.zeros2<T>(3, count);
    run.launch("segmented_full", src, flags, full);
    check(full.read(), 0, run.wave);
  }
}

template <class T> void scans(Run &run) {
  auto extremes = ordered<T>(run, count);
  auto sums = std::is_integral_v<T> ? ordered<T>(run, count) : small<T>(run, count);
  std::vector<T> factors = small<T>(run, count);
  if constexpr (std::is_floating_point_v<T>)
    for (T &factor : factors) {
      static const T some[] = {T(1), T(-1), T(2), T(0.5)};
      factor = some[run.random() % 4];
    }
  T (*ops[])(T, T) = {add<T>, multiply<T>, minimum<T>, maximum<T>};
  const T identities[] = {T(0), T(1), highest<T>(), lowest<T>()};
  const std::vector<T> *inputs[] = {&sums, &factors, &extremes, &extremes};
  auto check = [&](const char *kernel, size_t rows, auto eachTile) {
    for (int op = 0; op < 4; ++op) {
      const std::vector<T> &values = *inputs[op];
      auto src = run.array(values);
      auto result = run.zeros2<T>(rows, count);
      run.launch(kernel, src, result);
      auto out = result.read();
      eachTile([&](size_t firstRow, size_t tile) {
        std::string what = "scan " + std::to_string(op) + " tile " + std::to_string(tile);
        checkRow<T>("inclusive " + what, out, firstRow + op,
                    [&](size_t i) { return fold(values, i / tile * tile, i, ops[op]); });
        checkRow<T>("exclusive " + what, out, firstRow + 4 + op, [&](size_t i) {
          return i % tile == 0 ? identities[op] : fold(values, i / tile * tile, i - 1, ops[op]);
        });
      });
    }
  };
  unsigned tiles = log2(run.wave) + 1;
  check("scan", 8 * tiles, [&](auto each) {
    for (unsigned k = 0; k < tiles; ++k)
      each(8 * k, size_t(1) << k);
  });
  check("scan_full", 8, [&](auto each) { each(0, run.wave); });
}

template <class T> T bitAnd(T a, T b) { return a & b; }
template <class T> T bitOr(T a, T b) { return a | b; }
template <class T> T bitXor(T a, T b) { return a ^ b; }

template <class T> void bitScans(Run &run) {
  auto values = anyBits<T>(run, count);
  for (T &value : values)
    if (run.random() % 2)
      value = T(run.random() | run.random() | run.random()); // so that `and` keeps some bits
  T (*ops[])(T, T) = {bitAnd<T>, bitOr<T>, bitXor<T>};
  const T identities[] = {T(~T(0)), T(0), T(0)};
  auto src = run.array(values);
  auto check = [&](const std::vector<T> &out, size_t firstRow, size_t tile) {
    for (int op = 0; op < 3; ++op) {
      std::string what = "bits " + std::to_string(op) + " tile " + std::to_string(tile);
      checkRow<T>("inclusive " + what, out, firstRow + op,
                  [&](size_t i) { return fold(values, i / tile * tile, i, ops[op]); });
      checkRow<T>("exclusive " + what, out, firstRow + 3 + op, [&](size_t i) {
        return i % tile == 0 ? identities[op] : fold(values, i / tile * tile, i - 1, ops[op]);
      });
    }
  };
  unsigned tiles = log2(run.wave) + 1;
  auto result = run.zeros2<T>(6 * tiles, count);
  run.launch("scan_bits", src, result);
  auto out = result.read();
  for (unsigned k = 0; k < tiles; ++k)
    check(out, 6 * k, size_t(1) << k);
  auto full = run.zeros2<T>(6, count);
  run.launch("scan_bits_full", src, full);
  check(full.read(), 0, run.wave);
}

template <class T> void votes(Run &run) {
  unsigned tiles = log2(run.wave) + 1;
  for (int round = 0; round < 3; ++round) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i) {
      // Runs of equal values, so that tiles agree now and then; zeros, -0 and NaN among them.
      T value = T(run.random() % 3);
      if constexpr (std::is_floating_point_v<T>)
        if (run.random() % 8 == 0)
          value = run.random() % 2 ? T(-0.0) : std::numeric_limits<T>::quiet_NaN();
      size_t length = size_t(1) << run.random() % 8;
      for (size_t end = std::min(count, i + length); i < end; ++i)
        values[i] = value;
      --i;
    }
    if (round == 2)
      std::fill(values.begin(), values.end(), T(1));
    auto src = run.array(values);
    auto check = [&](const std::vector<int32_t> &out, size_t firstRow, size_t tile) {
      std::string suffix = " tile " + std::to_string(tile);
      auto each = [&](size_t i, auto test) {
        size_t base = i / tile * tile, hits = 0;
        for (size_t j = base; j < base + tile; ++j)
          hits += bool(test(values[j], values[base]));
        return hits;
      };
      auto nonzero = [](T value, T) { return value != T(0); };
      auto equal = [](T value, T first) { return value == first; };
      checkRow<int32_t>("all_true" + suffix, out, firstRow,
                        [&](size_t i) { return each(i, nonzero) == tile; });
      checkRow<int32_t>("any_true" + suffix, out, firstRow + 1,
                        [&](size_t i) { return each(i, nonzero) != 0; });
      checkRow<int32_t>("all_equal" + suffix, out, firstRow + 2,
                        [&](size_t i) { return each(i, equal) == tile; });
    };
    auto result = run.zeros2<int32_t>(3 * tiles, count);
    run.launch("vote", src, result);
    auto out = result.read();
    for (unsigned k = 0; k < tiles; ++k)
      check(out, 3 * k, size_t(1) << k);
    auto full = run.zeros2<int32_t>(7, count);
    run.launch("vote_full", src, full);
    out = full.read();
    check(out, 0, run.wave);
    checkRow<int32_t>("elect", out, 3, [&](size_t i) { return i % run.wave == 0; });
    checkRow<int32_t>("invocation_id", out, 4, [&](size_t i) { return int32_t(i % run.wave); });
    checkRow<int32_t>("group_size", out, 5, [&](size_t) { return int32_t(run.wave); });
    checkRow<int32_t>("log2_group_size", out, 6, [&](size_t) { return int32_t(log2(run.wave)); });
  }
}

void ballots(Run &run) {
  unsigned wave = run.wave;
  std::vector<int32_t> values(count);
  for (int32_t &value : values)
    value = run.random() % 2 ? int32_t(run.random()) : 0;
  auto src = run.array(values);
  auto out32 = run.zeros2<uint32_t>(9, count);
  auto out64 = run.zeros<uint64_t>(count);
  run.launch("ballots", src, out32, out64);
  auto first = out32.read();
  auto whole = out64.read();
  auto mask = [&](size_t i, unsigned lanes) {
    uint64_t bits = 0;
    for (unsigned lane = 0; lane < std::min(lanes, wave); ++lane)
      bits |= uint64_t(values[i / wave * wave + lane] != 0) << lane;
    return bits;
  };
  for (size_t i = 0; i < count; ++i)
    expectSame("ballot", i, whole[i], mask(i, 64));
  unsigned lanes[] = {1, 5, 31, 32};
  for (int row = 0; row < 4; ++row)
    checkRow<uint32_t>("ballot_first_n", first, row,
                       [&](size_t i) { return uint32_t(mask(i, lanes[row])); });
  auto bits = [&](const char *name, int row, auto holds) {
    checkRow<uint32_t>(name, first, row, [&](size_t i) {
      uint32_t expected = 0;
      for (unsigned bit = 0; bit < 32; ++bit)
        expected |= uint32_t(holds(bit, unsigned(i % 32))) << bit;
      return expected;
    });
  };
  bits("lanemask_lt", 4, [](unsigned bit, unsigned lane) { return bit < lane; });
  bits("lanemask_le", 5, [](unsigned bit, unsigned lane) { return bit <= lane; });
  bits("lanemask_eq", 6, [](unsigned bit, unsigned lane) { return bit == lane; });
  bits("lanemask_gt", 7, [](unsigned bit, unsigned lane) { return bit > lane; });
  bits("lanemask_ge", 8, [](unsigned bit, unsigned lane) { return bit >= lane; });
}

/// Sorts each tile of pairs on the host.
template <class K, class V>
void sortTiles(std::vector<K> &keys, std::vector<V> &values, size_t tile) {
  for (size_t base = 0; base < keys.size(); base += tile) {
    std::vector<std::pair<K, V>> pairs;
    for (size_t i = base; i < base + tile; ++i)
      pairs.emplace_back(keys[i], values[i]);
    std::sort(pairs.begin(), pairs.end());
    for (size_t i = 0; i < tile; ++i)
      std::tie(keys[base + i], values[base + i]) = pairs[i];
  }
}

template <class T> void sorts(Run &run) {
  unsigned tiles = log2(run.wave) + 1;
  for (int range : {3, 1000}) { // few distinct keys, then many
    auto keys = range == 3 ? small<T>(run, count, range) : run.seen(ordered<T>(run, count));
    for (T &key : keys)
      if (key == T(0))
        key = T(0); // -0 and 0 compare equal: the order of their bits is not defined
    auto values = small<int32_t>(run, count, 100);
    auto k = run.array(keys);
    auto v = run.array(values);
    auto outKeys = run.zeros2<T>(tiles, count);
    auto outValues = run.zeros2<int32_t>(tiles, count);
    run.launch("sort_keys", k, v, outKeys, outValues);
    auto gotKeys = outKeys.read();
    auto gotValues = outValues.read();
    for (unsigned row = 0; row < tiles; ++row) {
      auto expectedKeys = keys;
      auto expectedValues = values;
      sortTiles(expectedKeys, expectedValues, size_t(1) << row);
      for (size_t i = 0; i < count; ++i) {
        std::string tile = " tile " + std::to_string(1u << row);
        expectSame("keys" + tile, i, gotKeys[row * count + i], expectedKeys[i]);
        expectSame("values" + tile, i, gotValues[row * count + i], expectedValues[i]);
      }
    }
    auto intKeys = small<int32_t>(run, count, range == 3 ? 2 : 1000000);
    auto k2 = run.array(intKeys);
    auto v2 = run.array(keys);
    auto out2 = run.zeros<int32_t>(count);
    auto out3 = run.zeros<T>(count);
    run.launch("sort_values", k2, v2, out2, out3);
    auto expectedValues = keys;
    sortTiles(intKeys, expectedValues, run.wave);
    expectSame("int keys", out2.read(), intKeys);
    expectSame("typed values", out3.read(), expectedValues);
  }
}

} // namespace

void addSubgroupCases(std::vector<Case> &cases) {
  forAllTypes([&](auto zero) {
    using T = decltype(zero);
    cases.push_back({moduleOf<T>("data_movement"), "shuffles and broadcasts", move<T>});
    cases.push_back({moduleOf<T>("data_movement"), "placement", placed<T>});
    cases.push_back({moduleOf<T>("reductions"), "reductions", reductions<T>});
    cases.push_back({moduleOf<T>("reductions"), "segmented", segmented<T>});
    cases.push_back({moduleOf<T>("scans"), "scans", scans<T>});
    cases.push_back({moduleOf<T>("votes"), "votes", votes<T>});
    cases.push_back({moduleOf<T>("sorting"), "sorts", sorts<T>});
  });
  forIntegers([&](auto zero) {
    using T = decltype(zero);
    cases.push_back({moduleOf<T>("bit_scans"), "bit scans", bitScans<T>});
  });
  cases.push_back({"votes_i32", "ballots", ballots});
}

} // namespace conformance
