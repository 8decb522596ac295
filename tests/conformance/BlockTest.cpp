// Block reductions and scans, radix rank, barriers, shared memory.
#include "tests/conformance/Harness.h"

#include <algorithm>

namespace conformance {

namespace {

constexpr size_t count = 2048;
constexpr size_t sizes[] = {64, 128, 256, 512};

template <class T> void typed(Run &run) {
  auto sums = std::is_integral_v<T> ? ordered<T>(run, count) : small<T>(run, count);
  auto extremes = ordered<T>(run, count);
  T (*ops[])(T, T) = {add<T>, minimum<T>, maximum<T>};
  const T identities[] = {T(0), highest<T>(), lowest<T>()};
  for (int input = 0; input < 2; ++input) {
    const auto &values = input ? extremes : sums;
    auto src = run.array(values);
    auto result = run.zeros2<T>(48, count);
    run.launch("typed", src, result);
    auto out = result.read();
    for (int s = 0; s < 4; ++s)
      for (int op = input; op < (input ? 3 : 1); ++op)
        for (size_t base = 0; base < count; base += sizes[s]) {
          std::string what = std::to_string(op) + " in blocks of " + std::to_string(sizes[s]);
          auto at = [&](int row, size_t i) { return out[size_t(12 * s + row + op) * count + i]; };
          T running = identities[op];
          for (size_t i = base; i < base + sizes[s]; ++i) {
            expectEqual("exclusive " + what, i, at(9, i), running);
            running = i == base ? values[i] : ops[op](running, values[i]);
            expectEqual("inclusive " + what, i, at(6, i), running);
          }
          expectEqual("reduce " + what, base, at(0, base), running);
          for (size_t i = base; i < base + sizes[s]; ++i)
            expectEqual("reduce_all " + what, i, at(3, i), running);
        }
  }
}

template <class T> void generic(Run &run) {
  auto values = small<T>(run, count);
  for (T &value : values)
    if (run.random() % 3)
      value = 0;
  auto src = run.array(values);
  auto result = run.zeros2<T>(16, count);
  run.launch("generic", src, result);
  auto out = result.read();
  for (int s = 0; s < 4; ++s)
    for (size_t base = 0; base < count; base += sizes[s]) {
      std::string what = " in blocks of " + std::to_string(sizes[s]);
      auto at = [&](int row, size_t i) { return out[size_t(4 * s + row) * count + i]; };
      T running = 0;
      for (size_t i = base; i < base + sizes[s]; ++i) {
        expectEqual("exclusive_scan" + what, i, at(3, i), i == base ? T(7) : running);
        running = values[i] != T(0) ? values[i] : running;
        expectEqual("inclusive_scan" + what, i, at(2, i), running);
      }
      expectEqual("reduce" + what, base, at(0, base), running);
      for (size_t i = base; i < base + sizes[s]; ++i)
        expectEqual("reduce_all" + what, i, at(1, i), running);
    }
}

template <class T> void repeated(Run &run) {
  auto values = small<T>(run, count);
  auto src = run.array(values);
  const int rounds = 20;
  auto result = run.zeros2<T>(2, count);
  run.launch("repeated", src, int32_t(rounds), result);
  auto out = result.read();
  std::vector<T> total(count), seen(count);
  for (int r = 0; r < rounds; ++r)
    for (size_t base = 0; base < count; base += 256) {
      auto at = [&](size_t i) { return values[(i + size_t(r) * 37) % count]; };
      T most = at(base), least = at(base);
      for (size_t i = base; i < base + 256; ++i) {
        most = std::max(most, at(i));
        least = std::min(least, at(i));
        seen[i] = add(seen[i], least);
      }
      for (size_t i = base; i < base + 256; ++i)
        total[i] = add(total[i], most);
      total[base] = add(total[base], least);
    }
  for (size_t i = 0; i < count; ++i) {
    expectEqual("total", i, out[i], total[i]);
    expectEqual("seen", i, out[count + i], seen[i]);
  }
}

uint32_t then(uint32_t f, uint32_t g) {
  uint32_t factor = (f >> 16) * (g >> 16);
  uint32_t offset = (f & 0xFFFF) * (g >> 16) + (g & 0xFFFF);
  return (factor << 16) | (offset & 0xFFFF);
}

void affine(Run &run) {
  std::vector<uint32_t> values(count);
  for (uint32_t &value : values)
    value = uint32_t(run.random()) | 0x10000; // odd factors: nothing collapses to zero
  auto src = run.array(values);
  auto result = run.zeros2<uint32_t>(4, count);
  run.launch("compose", src, result);
  auto out = result.read();
  for (size_t base = 0; base < count; base += 256) {
    uint32_t running = 0x10000;
    for (size_t i = base; i < base + 256; ++i) {
      expectSame("exclusive_scan", i, out[3 * count + i], running);
      running = then(running, values[i]);
      expectSame("inclusive_scan", i, out[2 * count + i], running);
    }
    expectSame("reduce", base, out[base], running);
    for (size_t i = base; i < base + 256; ++i)
      expectSame("reduce_all", i, out[count + i], running);
  }
}

void radixRank(Run &run) {
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<uint32_t> keys(1024);
    for (size_t i = 0; i < keys.size(); ++i)
      keys[i] = kind == 0 ? uint32_t(run.random()) : kind == 1 ? 0x07070707u * (i % 3 == 0) : ~0u;
    auto src = run.array(keys);
    auto ranks = run.zeros2<int32_t>(3, keys.size());
    auto counts = run.zeros2<int32_t>(3, keys.size());
    auto starts = run.zeros2<int32_t>(3, keys.size());
    run.launch("rank8", src, ranks, counts, starts);
    auto gotRanks = ranks.read(), gotCounts = counts.read(), gotStarts = starts.read();
    const unsigned start[] = {0, 24, 5}, bits[] = {8, 8, 3};
    for (unsigned row = 0; row < 3; ++row)
      for (size_t base = 0; base < keys.size(); base += 256) {
        auto digit = [&](size_t i) { return keys[i] >> start[row] & ((1u << bits[row]) - 1); };
        std::vector<int32_t> histogram(256), prefix(256);
        for (size_t i = base; i < base + 256; ++i)
          ++histogram[digit(i)];
        for (size_t d = 1; d < 256; ++d)
          prefix[d] = prefix[d - 1] + histogram[d - 1];
        auto next = prefix;
        std::string what = "digit at " + std::to_string(start[row]) + " ";
        for (size_t i = base; i < base + 256; ++i) {
          size_t at = row * keys.size() + i;
          expectSame(what + "ranks", i, gotRanks[at], next[digit(i)]++);
          expectSame(what + "counts", i, gotCounts[at], histogram[i - base]);
          expectSame(what + "starts", i, gotStarts[at], prefix[i - base]);
        }
      }
    auto sorted = run.zeros<uint32_t>(keys.size());
    run.launch("sort_block", src, sorted);
    for (size_t base = 0; base < keys.size(); base += 256)
      std::sort(keys.begin() + long(base), keys.begin() + long(base + 256));
    expectSame("sorted", sorted.read(), keys);
  }
}

/// Blocks of 64 and of 512 threads: fewer words of counts than lanes, and counts of 16 bits, of
/// which one digit may have 512.
void radixSizes(Run &run) {
  for (size_t block : {size_t(64), size_t(512)}) {
    std::vector<uint32_t> keys(2 * block);
    for (size_t i = 0; i < keys.size(); ++i)
      keys[i] = i < block ? uint32_t(run.random()) : 0xfffu;
    auto src = run.array(keys);
    auto ranks = run.zeros<int32_t>(keys.size()), counts = run.zeros<int32_t>(keys.size()),
         starts = run.zeros<int32_t>(keys.size());
    run.launch(block == 64 ? "rank6" : "rank9", src, ranks, counts, starts);
    auto gotRanks = ranks.read(), gotCounts = counts.read(), gotStarts = starts.read();
    for (size_t base = 0; base < keys.size(); base += block) {
      auto digit = [&](size_t i) { return keys[i] >> 3 & (block - 1); };
      std::vector<int32_t> histogram(block), next(block);
      for (size_t i = base; i < base + block; ++i)
        ++histogram[digit(i)];
      for (size_t d = 1; d < block; ++d)
        next[d] = next[d - 1] + histogram[d - 1];
      for (size_t i = base; i < base + block; ++i) {
        expectSame("counts", i, gotCounts[i], histogram[i - base]);
        if (i == base)
          expectSame("starts", i, gotStarts[i], 0);
        else
          expectSame("starts", i, gotStarts[i], gotStarts[i - 1] + histogram[i - base - 1]);
      }
      for (size_t i = base; i < base + block; ++i)
        expectSame("ranks", i, gotRanks[i], next[digit(i)]++);
    }
  }
}

//===--- Barriers and shared memory ----------------------------------------===//

void reverse(Run &run) {
  auto values = anyBits<float>(run, count);
  auto src = run.array(values);
  auto dst = run.zeros<float>(count);
  run.launch("reverse", src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < count; ++i)
    expectSame("reversed", i, out[i], values[i / 256 * 256 + 255 - i % 256]);
}

void transpose(Run &run) {
  const int64_t rows = 48, columns = 80;
  std::vector<int32_t> values(size_t(rows * columns));
  for (int32_t &value : values)
    value = int32_t(run.random());
  sextant::Array<int32_t, 2> src(run.device, {rows, columns}), dst(run.device, {columns, rows});
  src.write(values);
  run.launch("transpose", src, dst);
  auto out = dst.read();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      expectSame("transposed", size_t(c * rows + r), out[size_t(c * rows + r)],
                 values[size_t(r * columns + c)]);
}

void nonzero(Run &run) {
  for (unsigned density : {0u, 1u, 2u, 300u}) {
    std::vector<int32_t> values(count);
    for (int32_t &value : values)
      value = density == 0 ? 1 : run.random() % density == 0 ? int32_t(run.random()) | 1 : 0;
    auto src = run.array(values);
    auto result = run.zeros2<int32_t>(5, count);
    run.launch("nonzero", src, result);
    auto out = result.read();
    for (size_t i = 0; i < count; ++i) {
      int32_t hits = 0;
      for (size_t j = i / 128 * 128; j < i / 128 * 128 + 128; ++j)
        hits += values[j] != 0;
      expectSame("all", i, int32_t(out[i] != 0), int32_t(hits == 128));
      expectSame("any", i, int32_t(out[count + i] != 0), int32_t(hits != 0));
      expectSame("count", i, out[2 * count + i], hits);
      expectSame("thread_idx", i, out[3 * count + i], int32_t(i % 128));
      expectSame("global_thread_idx", i, out[4 * count + i], int32_t(i));
    }
  }
}

void reducingRounds(Run &run) {
  // Blocks differ in how many rounds they make.
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = uint32_t(run.random() >> (40 + i / 256 % 20)) & uint32_t(run.random());
  auto src = run.array(values);
  auto result = run.zeros<uint32_t>(count);
  run.launch("rounds", src, result);
  auto out = result.read();
  for (size_t begin = 0; begin < count; begin += 256) {
    std::vector<uint32_t> v(values.begin() + begin, values.begin() + begin + 256);
    auto holds = [&](auto predicate) { return uint32_t(std::ranges::count_if(v, predicate)); };
    uint32_t expected = 0;
    while (holds([](uint32_t x) { return x != 0; }) > 0) {
      const uint32_t ones = holds([](uint32_t x) { return x & 1; });
      expected = expected * 31 + ones;
      if (ones % 2 == 1) {
        const uint32_t odd = expected & 1;
        const uint32_t every = holds([=](uint32_t x) { return x | odd; }) == 256;
        expected = expected * 3 + every + 1009 * holds([](uint32_t x) { return x & 6; });
      }
      for (uint32_t &x : v)
        x >>= 1;
    }
    for (size_t i = begin; i < begin + 256; ++i)
      expectSame("rounds", i, out[i], expected);
  }
}

void tree(Run &run) {
  auto values = small<int32_t>(run, count);
  auto src = run.array(values);
  auto result = run.zeros<int32_t>(count);
  run.launch("tree", src, result);
  auto out = result.read();
  for (size_t i = 0; i < count; ++i) {
    int32_t sum = 0;
    for (size_t j = i / 128 * 128; j < i / 128 * 128 + 128; ++j)
      sum += values[j];
    for (size_t stride = 64; stride > 0; stride /= 2)
      sum += i % 128 < stride;
    expectSame("sums", i, out[i], sum);
  }
}

void twice(Run &run) {
  auto values = small<int32_t>(run, count);
  auto src = run.array(values);
  auto result = run.zeros<int32_t>(count);
  run.launch("twice", src, result);
  auto out = result.read();
  for (size_t i = 0; i < count; ++i) {
    size_t base = i / 128 * 128;
    auto at = [&](size_t by) { return values[base + (i + by) % 128]; };
    expectSame("exchanged", i, out[i], at(2) * 1000 + at(1) + 1);
  }
}

void vectors(Run &run) {
  auto values = small<float>(run, count);
  auto src = run.array(values);
  auto result = run.zeros<float>(count);
  run.launch("vectors", src, result);
  auto out = result.read();
  for (size_t i = 0; i < count; ++i)
    expectEqual("sums", i, out[i], values[i / 64 * 64 + 63 - i % 64] * 321.0f);
}

void perBlock(Run &run) {
  auto result = run.zeros<int32_t>(1024);
  run.launch("per_block", int32_t(1024), result);
  auto out = result.read();
  for (size_t i = 0; i < 1024; ++i) {
    int32_t b = int32_t(i / 64), first = b * 64;
    expectSame("totals", i, out[i], b % 2 ? 64 : 64 * first + 63 * 32);
  }
}

} // namespace

void addBlockCases(std::vector<Case> &cases) {
  forAllTypes([&](auto zero) {
    using T = decltype(zero);
    cases.push_back({moduleOf<T>("block_ops"), "reductions and scans", typed<T>});
    cases.push_back({moduleOf<T>("block_ops"), "generic operator", generic<T>});
    cases.push_back({moduleOf<T>("block_ops"), "in a loop", repeated<T>});
  });
  cases.push_back({"block_affine", "operator that does not commute", affine});
  cases.push_back({"radix", "radix rank", radixRank});
  cases.push_back({"radix_sizes", "other blocks", radixSizes});
  cases.push_back({"barriers", "reverse", reverse});
  cases.push_back({"barriers", "transpose", transpose});
  cases.push_back({"barriers", "sync_*_nonzero", nonzero});
  cases.push_back({"barriers", "barriers in a loop", tree});
  cases.push_back({"barrier_rounds", "sync_*_nonzero in rounds", reducingRounds});
  cases.push_back({"barriers", "an array per call", twice});
  cases.push_back({"barriers", "vectors in shared memory", vectors});
  cases.push_back({"barriers", "blocks that differ", perBlock});
}

} // namespace conformance
