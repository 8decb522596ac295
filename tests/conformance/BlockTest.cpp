// Radix ranks; barriers and shared memory in whole algorithms. The operations one by one are
// generated (Surface.h).
#include "tests/conformance/Harness.h"

#include <algorithm>

namespace conformance {

namespace {

constexpr size_t count = 2048;

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
  cases.push_back({"radix", "radix rank", radixRank});
  cases.push_back({"radix_sizes", "other blocks", radixSizes});
  cases.push_back({"barriers", "barriers in a loop", tree});
  cases.push_back({"barrier_rounds", "sync_*_nonzero in rounds", reducingRounds});
  cases.push_back({"barriers", "an array per call", twice});
  cases.push_back({"barriers", "blocks that differ", perBlock});
}

} // namespace conformance
