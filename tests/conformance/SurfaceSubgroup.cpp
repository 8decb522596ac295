// Generated kernels of subgroup operations: shuffles, votes, ballots, folds, sorts.
#include "tests/conformance/Surface.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace conformance {

namespace {

unsigned log2(unsigned wave) { return unsigned(std::countr_zero(wave)); }

/// The operands of the placements, as the kernels make them.
template <class T> std::vector<T> diverged(const std::vector<T> &values) {
  std::vector<T> result = values;
  for (size_t i = 0; i < values.size(); i += 3)
    result[i] = values[i ^ 1];
  return result;
}
template <class T> std::vector<T> turned(const std::vector<T> &values, size_t round) {
  std::vector<T> result(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    result[i] = values[(i + 37 * round) % values.size()];
  return result;
}

} // namespace

//===--- Data movement -----------------------------------------------------===//

void runMove(Run &run, const SurfaceKernel &kernel) {
  const std::string name = kernel.kernel;
  withType(kernel.dtype, [&](auto zero) {
    using T = decltype(zero);
    const unsigned wave = run.wave, L = log2(wave);
    const auto values = anyBits<T>(run, threads);
    std::vector<uint32_t> lanes(threads);
    for (uint32_t &lane : lanes)
      lane = uint32_t(run.random() % wave);
    auto src = run.array(values);
    auto own = run.array(lanes);
    auto result = run.zeros2<T>(L + 7 + rounds, threads);
    run.launch(kernel.kernel, src, own, rounds, result);
    const auto out = result.read();
    const auto check = [&](const std::string &what, size_t row, const std::vector<T> &from,
                           auto operand) {
      form(run, what, [&] {
        for (size_t i = 0; i < threads; ++i) {
          const size_t base = i / wave * wave, lane = i % wave, by = operand(i);
          size_t source = by;
          if (name == "shuffle_xor")
            source = lane ^ by;
          else if (name == "shuffle_up")
            source = lane - by;
          else if (name == "shuffle_down")
            source = lane + by;
          else if (name == "broadcast_first")
            source = 0;
          // The pages leave open what comes from outside of the subgroup.
          if (source < wave &&
              std::memcmp(&out[row * threads + i], &from[base + source], sizeof(T)))
            throw Mismatch{what + "[" + std::to_string(i) + "] is " + show(out[row * threads + i]) +
                           ", expected " + show(from[base + source])};
        }
      });
    };
    const auto always = [](size_t by) { return [by](size_t) { return by; }; };
    for (unsigned k = 0; k < L; ++k)
      check("by " + std::to_string(1u << k), k, values, always(size_t(1) << k));
    check("by 0", L, values, always(0));
    check("by 3", L + 1, values, always(3));
    check("by the last", L + 2, values, always(wave - 1));
    check("by a run-time number", L + 3, values, always(rounds));
    if (name == "shuffle" || name == "shuffle_xor")
      check("by each lane's own", L + 4, values, [&](size_t i) { return lanes[i]; });
    check("under if", L + 5, values, always(kernel.twist % wave));
    check("diverged", L + 6, diverged(values), always((kernel.twist + 1) % wave));
    for (size_t r = 0; r < rounds; ++r)
      check("loop", L + 7 + r, turned(values, r), always(r));
  });
}

//===--- Folds and votes, by tile ------------------------------------------===//

namespace {

/// Compares one row with the references, tile by tile.
template <class T, class R>
void checkTiles(const SurfaceKernel &kernel, const std::vector<R> &out, size_t row,
                const Input<T> &input, const std::vector<T> &values,
                const std::vector<int32_t> &flags, size_t tile) {
  const std::string name = kernel.kernel, op = operatorOf(kernel.op), family = kernel.family;
  const bool all = name.starts_with("reduce_all_");
  for (size_t i = 0; i < threads; ++i) {
    const size_t base = i / tile * tile;
    const R got = out[row * threads + i];
    if constexpr (std::is_same_v<R, int32_t>)
      if (family == "vote") {
        size_t hits = 0;
        for (size_t j = base; j < base + tile; ++j)
          hits += name == "all_equal" ? values[j] == values[base] : values[j] != T(0);
        expectSame(input.name, i, got, R(name == "any_true" ? hits != 0 : hits == tile));
        continue;
      }
    if constexpr (std::is_same_v<R, T>) {
      if (name.starts_with("reduce_")) {
        if (all || i == base)
          expectFold(input.name, i, got, fold(op, &values[base], tile), input.anyOrder);
        continue;
      }
      size_t first = base, last = i + 1;
      if (family == "segmented")
        for (first = i; first > base && flags[first] == 0;)
          --first;
      if (name.starts_with("exclusive_"))
        --last;
      if (first == last)
        expectSame(input.name, i, got, identityOf<T>(op));
      else
        expectFold(input.name, i, got, fold(op, &values[first], last - first), input.anyOrder);
    }
  }
}

/// Runs of equal values, so that tiles agree now and then; zeros of both signs and NaN among
/// them; then all the same.
template <class T> std::vector<Input<T>> votes(Run &run) {
  std::vector<T> values(threads);
  for (size_t i = 0; i < threads;) {
    T value = T(run.random() % 3);
    if constexpr (std::is_floating_point_v<T>)
      if (run.random() % 4 == 0)
        value = std::vector<T>{T(-0.0), std::numeric_limits<T>::quiet_NaN(),
                               std::numeric_limits<T>::infinity()}[run.random() % 3];
    for (size_t end = std::min(threads, i + (size_t(1) << run.random() % 8)); i < end; ++i)
      values[i] = value;
  }
  auto zeros = std::vector<T>(threads);
  if constexpr (std::is_floating_point_v<T>)
    for (T &value : zeros)
      value = run.random() % 2 ? T(0) : T(-0.0);
  return {{"runs", values},
          {"any bits", run.seen(anyBits<T>(run, threads))},
          {"zeros", zeros},
          {"ones", std::vector<T>(threads, T(1))}};
}

template <class T, class R> void tilesOf(Run &run, const SurfaceKernel &kernel) {
  const unsigned wave = run.wave, L = log2(wave), t = kernel.twist;
  const bool segmented = kernel.family == std::string("segmented");
  const bool vote = kernel.family == std::string("vote");
  for (const Input<T> &input :
       vote ? votes<T>(run) : inputsFor<T>(run, operatorOf(kernel.op), threads)) {
    std::vector<int32_t> flags(threads);
    const unsigned density = 1 + unsigned(run.random() % 12);
    for (int32_t &flag : flags)
      flag = run.random() % density == 0 ? int32_t(run.random()) | 1 : 0;
    auto src = run.array(input.values);
    auto heads = run.array(flags);
    auto result = run.zeros2<R>(L + 5 + rounds, threads);
    if (segmented)
      run.launch(kernel.kernel, src, heads, rounds, result);
    else
      run.launch(kernel.kernel, src, rounds, result);
    const auto out = result.read();
    const auto check = [&](const std::string &what, size_t row, const std::vector<T> &values,
                           unsigned k) {
      const size_t tile = size_t(1) << k;
      form(run, (what.empty() ? "tile " : what + "/") + std::to_string(tile),
           [&] { checkTiles<T, R>(kernel, out, row, input, values, flags, tile); });
    };
    for (unsigned k = 0; k <= L; ++k)
      check("", k, input.values, k);
    check("subgroup", L + 1, input.values, L);
    check("under if", L + 2, input.values, t % (L + 1));
    check("diverged", L + 3, diverged(input.values), (t + 1) % (L + 1));
    for (unsigned r = 0; r < rounds; ++r)
      check("loop", L + 4 + r, turned(input.values, r), (t + 2) % (L + 1));
    check("half a wave", L + 4 + rounds, input.values, t % L);
  }
}

} // namespace

void runTiles(Run &run, const SurfaceKernel &kernel) {
  withType(kernel.dtype, [&](auto zero) {
    using T = decltype(zero);
    if (kernel.family == std::string("vote"))
      tilesOf<T, int32_t>(run, kernel);
    else
      tilesOf<T, T>(run, kernel);
  });
}

//===--- Lanes -------------------------------------------------------------===//

void runLane(Run &run, const SurfaceKernel &kernel) {
  const std::string name = kernel.kernel;
  const auto values = anyBits<int32_t>(run, threads);
  auto src = run.array(values);
  auto result = run.zeros2<int32_t>(3 + rounds, threads);
  run.launch(kernel.kernel, src, rounds, result);
  const auto out = result.read();
  const auto check = [&](const std::string &what, size_t row, auto expected) {
    form(run, what, [&] {
      for (size_t i = 0; i < threads; ++i)
        expectSame(what, i, out[row * threads + i], expected(i));
    });
  };
  if (name == "sync" || name == "mem_fence") {
    std::vector<int32_t> now(threads);
    for (size_t i = 0; i < threads; ++i)
      now[i] = values[i ^ 1];
    check("straight", 0, [&](size_t i) { return now[i]; });
    for (int32_t r = 0; r < rounds; ++r) {
      const auto before = now;
      for (size_t i = 0; i < threads; ++i)
        now[i] = add(before[i ^ 2], r);
      check("loop", size_t(1 + r), [&](size_t i) { return now[i]; });
    }
    return;
  }
  const auto value = [&](size_t lane) {
    return int32_t(name == "invocation_id" ? lane
                   : name == "elect"       ? lane == 0
                   : name == "group_size"  ? run.wave
                                           : log2(run.wave));
  };
  check("straight", 0, [&](size_t i) { return value(i % run.wave); });
  check("divergent", 1, [&](size_t i) { return i % 3 == 0 ? value(i % run.wave) : 0; });
  for (int32_t r = 0; r < rounds; ++r)
    check("loop", size_t(2 + r), [&](size_t i) { return value(i % run.wave) + r; });
  check("half a wave", 2 + rounds, [&](size_t i) { return value(i % (run.wave / 2)); });
}

//===--- Ballots and lane masks --------------------------------------------===//

namespace {

template <class T> T matchable(uint64_t random) {
  if constexpr (std::is_floating_point_v<T>)
    return std::array{T(0), T(-0.0), T(1), std::numeric_limits<T>::quiet_NaN()}[random % 4];
  else
    return T(uint64_t(random % 2) | uint64_t(random / 2 % 2) << (sizeof(T) * 8 - 1));
}

template <class T, class R> void ballotOf(Run &run, const SurfaceKernel &kernel) {
  const std::string name = kernel.kernel;
  const bool masks = name.starts_with("lanemask_"), first = name == "ballot_first_n";
  auto values = anyBits<T>(run, threads);
  for (T &value : values)
    if (masks)
      value = T(run.random() % 32);
    else if (run.random() % 2)
      value = T(0);
  // Lanes that match: a few values, of which the halves of the wide ones differ one by one, and
  // reals that are equal but have other bits.
  if (name == "match_any")
    for (T &value : values)
      value = matchable<T>(run.random());
  const bool every = first && kernel.dtype == std::string("i32");
  auto src = run.array(values);
  auto result = run.zeros2<R>(5 + rounds + (every ? 32 : 0), threads);
  run.launch(kernel.kernel, src, rounds, result);
  const auto out = result.read();
  const auto check = [&](const std::string &what, size_t row, const std::vector<T> &from,
                         unsigned n) {
    form(run, what, [&] {
      for (size_t i = 0; i < threads; ++i) {
        uint64_t bits = 0;
        for (unsigned bit = 0; bit < (masks ? 32 : std::min(n, run.wave)); ++bit) {
          const T lane = T(bit);
          const bool set =
              name == "lanemask_lt"   ? lane < from[i]
              : name == "lanemask_le" ? lane <= from[i]
              : name == "lanemask_eq" ? lane == from[i]
              : name == "lanemask_gt" ? lane > from[i]
              : name == "lanemask_ge" ? lane >= from[i]
              : name == "match_any"
                  ? std::memcmp(&from[i], &from[i / run.wave * run.wave + bit], sizeof(T)) == 0
                  : from[i / run.wave * run.wave + bit] != T(0);
          bits |= uint64_t(set) << bit;
        }
        expectSame(what, i, out[row * threads + i], R(bits));
      }
    });
  };
  const unsigned n = first ? 1 + kernel.twist % 32 : 64;
  check("straight", 0, values, n);
  check("under if", 1, values, n);
  check("diverged", 2, diverged(values), n);
  for (size_t r = 0; r < rounds; ++r)
    check("loop", 3 + r, turned(values, r), n);
  for (unsigned length = 1; every && length <= 32; ++length)
    check("first " + std::to_string(length), 4 + rounds + length, values, length);
}

} // namespace

void runBallot(Run &run, const SurfaceKernel &kernel) {
  withType(kernel.dtype, [&](auto zero) {
    using T = decltype(zero);
    if (kernel.kernel == std::string("match_any"))
      ballotOf<T, uint64_t>(run, kernel);
    else if constexpr (std::is_integral_v<T>) {
      if (kernel.kernel == std::string("ballot"))
        ballotOf<T, uint64_t>(run, kernel);
      else
        ballotOf<T, uint32_t>(run, kernel);
    }
  });
}

//===--- Sorting -----------------------------------------------------------===//

namespace {

template <class T> auto bitsOf(T value) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>(value);
}

/// The pairs of each tile in order: none lost, and where all keys and values have an order,
/// ascending.
template <class K, class V>
void checkSorted(const std::string &what, const std::vector<K> &keys, const std::vector<V> &values,
                 const K *gotKeys, const V *gotValues, size_t tile, bool ordered) {
  for (size_t base = 0; base < threads; base += tile) {
    std::vector<std::pair<K, V>> expected;
    std::vector<std::tuple<uint64_t, uint64_t>> before, after;
    for (size_t i = base; i < base + tile; ++i) {
      expected.emplace_back(keys[i], values[i]);
      before.emplace_back(bitsOf(keys[i]), bitsOf(values[i]));
      after.emplace_back(bitsOf(gotKeys[i]), bitsOf(gotValues[i]));
    }
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    if (before != after)
      throw Mismatch{what + ": the pairs of lanes " + std::to_string(base) + " to " +
                     std::to_string(base + tile - 1) + " are not those that were given"};
    if (!ordered)
      continue;
    std::sort(expected.begin(), expected.end());
    for (size_t i = 0; i < tile; ++i) {
      expectEqual(what + " keys", base + i, gotKeys[base + i], expected[i].first);
      expectEqual(what + " values", base + i, gotValues[base + i], expected[i].second);
    }
  }
}

template <class K, class V>
void sortOf(Run &run, const SurfaceKernel &kernel, const std::string &name, unsigned number) {
  const unsigned L = log2(run.wave), t = kernel.twist;
  for (const char *input : {"few keys", "any keys", "NaN keys"}) {
    const bool few = input == std::string("few keys"), unordered = input == std::string("NaN keys");
    if (unordered && !std::is_floating_point_v<K>)
      continue;
    const auto keys = run.seen(few         ? small<K>(run, threads, 3)
                               : unordered ? quiet(anyBits<K>(run, threads))
                                           : ordered<K>(run, threads));
    const auto values = few ? small<V>(run, threads, 20) : run.seen(ordered<V>(run, threads));
    auto k = run.array(keys);
    auto v = run.array(values);
    auto outKeys = run.zeros2<K>(3 + rounds, threads);
    auto outValues = run.zeros2<V>(3 + rounds, threads);
    run.launch(name, k, v, rounds, outKeys, outValues);
    const auto gotKeys = outKeys.read();
    const auto gotValues = outValues.read();
    const auto check = [&](const std::string &what, size_t row, const std::vector<K> &from,
                           unsigned log2Size) {
      const size_t tile = size_t(1) << log2Size;
      form(run, what + std::to_string(tile), [&] {
        checkSorted(input, from, values, &gotKeys[row * threads], &gotValues[row * threads], tile,
                    !unordered);
      });
    };
    check("tile ", 0, keys, (t + number) % (L + 1));
    if (number != t % 6)
      continue;
    check("subgroup/", 1, keys, L);
    check("diverged/", 2, diverged(keys), (t + 1) % (L + 1));
    for (size_t r = 0; r < rounds; ++r)
      check("loop/", 3 + r, turned(keys, r), (t + 2) % (L + 1));
  }
}

} // namespace

void runSort(Run &run, const SurfaceKernel &kernel, const std::string &values) {
  static const std::vector<std::string> types = {"i32", "u32", "i64", "u64", "f32", "f64"};
  const auto number = unsigned(std::find(types.begin(), types.end(), values) - types.begin());
  withType(kernel.dtype, [&](auto key) {
    withType(values, [&](auto value) {
      sortOf<decltype(key), decltype(value)>(run, kernel, kernel.kernel + ("_" + values), number);
    });
  });
}

} // namespace conformance
