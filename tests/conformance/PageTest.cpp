// The examples of the pages, docs/examples/pages.
#include "tests/conformance/Harness.h"

#include <algorithm>
#include <numeric>

namespace conformance {

namespace {

constexpr size_t count = 1024;

/// Tiles of 32 lanes need a wave that holds them.
std::string tileOf32(unsigned wave) {
  return wave >= 32 ? "" : "a tile of 32 lanes is wider than the subgroup";
}
/// A block of 32 with a full-subgroup operation.
std::string blockOf32(unsigned wave) {
  return wave <= 32 ? "" : "a block of 32 is not a multiple of the subgroup";
}

template <class F> void mapped(Run &run, const char *kernel, bool inPlace, F reference) {
  auto values = small<float>(run, count);
  auto src = run.array(values);
  auto dst = run.zeros<float>(count);
  if (inPlace)
    run.launch(kernel, src);
  else
    run.launch(kernel, src, dst);
  auto out = (inPlace ? src : dst).read();
  for (size_t i = 0; i < count; ++i)
    expectSame(kernel, i, out[i], values[reference(i)]);
}

void broadcast(Run &run) {
  mapped(run, "broadcast", true, [&](size_t i) { return i / run.wave * run.wave; });
}

void countPositive(Run &run) {
  auto values = run.seen(anyBits<float>(run, count));
  auto src = run.array(values);
  auto counts = run.zeros<uint32_t>(count / 32);
  run.launch("count_positive", src, counts);
  auto out = counts.read();
  unsigned lanes = std::min(run.wave, 32u);
  for (size_t group = 0; group < out.size(); ++group) {
    // On narrower waves the last subgroup of the 32 threads to write wins: any of theirs.
    bool matches = false;
    for (size_t base = group * 32; base < group * 32 + 32; base += lanes) {
      uint32_t mask = 0;
      for (unsigned lane = 0; lane < lanes; ++lane)
        mask |= uint32_t(values[base + lane] > 0) << lane;
      matches |= mask == out[group];
    }
    if (!matches)
      throw Mismatch{"counts[" + std::to_string(group) + "] is " + show(out[group])};
  }
}

void identity(Run &run) {
  mapped(run, "identity", false, [](size_t i) { return i; });
}
void swapPairs(Run &run) {
  mapped(run, "swap_pairs", false, [](size_t i) { return i ^ 1; });
}
void reverse4(Run &run) {
  mapped(run, "reverse4", false, [](size_t i) { return i / 4 * 4 + 3 - i % 4; });
}

void reduce4(Run &run) {
  auto values = small<float>(run, count);
  auto src = run.array(values);
  auto dst = run.zeros<float>(count);
  run.launch("reduce4", src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < count; i += 4)
    expectSame("sum", i, out[i], values[i] + values[i + 1] + values[i + 2] + values[i + 3]);
}

void sum32(Run &run) {
  auto values = small<float>(run, count);
  auto src = run.array(values);
  auto dst = run.zeros<float>(count / 32);
  run.launch("sum32", src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < out.size(); ++i)
    expectSame("sum", i, out[i], std::accumulate(&values[i * 32], &values[i * 32] + 32, 0.0f));
}

void normalize32(Run &run) {
  auto values = small<float>(run, count);
  for (float &value : values)
    value = std::fabs(value) + 1;
  auto src = run.array(values);
  run.launch("normalize32", src);
  auto out = src.read();
  for (size_t i = 0; i < count; ++i) {
    float sum = std::accumulate(&values[i / 32 * 32], &values[i / 32 * 32] + 32, 0.0f);
    expectClose("share", i, out[i], values[i] / sum, 2);
  }
}

void sortContacts(Run &run) {
  for (int n : {0, 1, 17, 32}) {
    std::vector<float> keys(32);
    std::vector<int32_t> idxs(32);
    for (size_t i = 0; i < 32; ++i)
      keys[i] = float(run.random() % 10), idxs[i] = int32_t(run.random() % 100);
    auto k = run.array(keys);
    auto v = run.array(idxs);
    run.launch("sort_contacts", k, v, int32_t(n));
    std::vector<std::pair<float, int32_t>> pairs;
    for (size_t i = 0; i < size_t(n); ++i)
      pairs.emplace_back(keys[i], idxs[i]);
    // One subgroup sorts its own lanes.
    for (size_t base = 0; base < pairs.size(); base += run.wave)
      std::sort(pairs.begin() + long(base),
                pairs.begin() + long(std::min(pairs.size(), base + run.wave)));
    for (size_t i = 0; i < size_t(n); ++i)
      std::tie(keys[i], idxs[i]) = pairs[i];
    expectSame("keys", k.read(), keys);
    expectSame("idxs", v.read(), idxs);
  }
}

void cumsum(Run &run) {
  auto values = small<int32_t>(run, count);
  auto a = run.array(values);
  run.launch("cumsum", a);
  for (size_t i = 0; i < count; ++i)
    if (i % 32)
      values[i] += values[i - 1];
  expectSame("sums", a.read(), values);
}

void blockReduceAdd(Run &run) {
  auto values = small<float>(run, count);
  auto src = run.array(values);
  auto dst = run.zeros<float>(count / 128);
  run.launch("kern", src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < out.size(); ++i)
    expectSame("sum", i, out[i], std::accumulate(&values[i * 128], &values[i * 128] + 128, 0.0f));
}

void blockInclusiveAdd(Run &run) {
  auto values = small<int32_t>(run, count);
  auto src = run.array(values);
  auto dst = run.zeros<int32_t>(count);
  run.launch("kern", src, dst);
  for (size_t i = 0; i < count; ++i)
    if (i % 128)
      values[i] += values[i - 1];
  expectSame("sums", dst.read(), values);
}

void blockRadixRank(Run &run) {
  std::vector<uint32_t> keys(256);
  for (uint32_t &key : keys)
    key = uint32_t(run.random());
  auto src = run.array(keys);
  auto dst = run.zeros<int32_t>(256);
  run.launch("kern", src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < 256; ++i) {
    int32_t rank = 0;
    for (size_t j = 0; j < 256; ++j)
      rank += (keys[j] & 255) < (keys[i] & 255) || ((keys[j] & 255) == (keys[i] & 255) && j < i);
    expectSame("rank", i, out[i], rank);
  }
}

void publish(Run &run) {
  auto values = small<float>(run, count);
  auto src = run.array(values);
  auto dst = run.zeros<float>(count);
  run.launch("publish", src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < count; ++i)
    expectSame("seen", i, out[i], values[i / 64 * 64] * 2);
}

void lookback(Run &run) {
  const size_t blocks = 300, n = blocks * 128;
  auto values = small<int32_t>(run, n);
  auto src = run.array(values);
  auto dst = run.zeros<int32_t>(n);
  auto partials = run.zeros<int32_t>(blocks), prefixes = run.zeros<int32_t>(blocks);
  auto flags = run.zeros<int32_t>(blocks), ticket = run.zeros<int32_t>(1);
  run.launch("lookback_scan", src, dst, partials, prefixes, flags, ticket);
  std::partial_sum(values.begin(), values.end(), values.begin());
  expectSame("sums", dst.read(), values);
}

constexpr size_t waiters = 64 * 40;

/// Every thread but those of the first block saw what that one published.
void checkWaiters(const std::vector<int32_t> &out, int32_t expected) {
  size_t waited = 0;
  for (int32_t seen : out) {
    if (seen != expected && seen != 0)
      throw Mismatch{"a waiting thread saw " + show(seen)};
    waited += seen == expected;
  }
  expectSame("threads that waited", 0, waited, waiters - 64);
}

void waitWithFence(Run &run) {
  auto flags = run.zeros<int32_t>(1), data = run.zeros<int32_t>(1), ticket = run.zeros<int32_t>(1);
  auto out = run.zeros<int32_t>(waiters);
  run.launch("wait_with_fence", flags, data, ticket, out);
  checkWaiters(out.read(), 42);
}

void waitWithAtomic(Run &run) {
  auto flags = run.zeros<int32_t>(1), ticket = run.zeros<int32_t>(1);
  auto out = run.zeros<int32_t>(waiters);
  run.launch("wait_with_atomic", flags, ticket, out);
  checkWaiters(out.read(), 1);
}

void waitWithVolatile(Run &run) {
  auto flags = run.zeros<int32_t>(1), data = run.zeros<int32_t>(1), ticket = run.zeros<int32_t>(1);
  auto out = run.zeros<int32_t>(waiters);
  run.launch("wait_with_volatile", flags, data, ticket, out);
  checkWaiters(out.read(), 43);
}

void casLoop(Run &run) {
  std::vector<int32_t> candidates(2000);
  for (int32_t &candidate : candidates)
    candidate = int32_t(run.random() % 1000000);
  auto values = run.array(candidates);
  run.launch("cas_loop_max", values);
  run.device.defaultStream().synchronize();
  std::vector<int32_t> x(1);
  run.program.read("x", std::span<int32_t>(x));
  expectSame("x", 0, x[0], *std::max_element(candidates.begin(), candidates.end()));
}

void patterns(Run &run) {
  auto values = small<int32_t>(run, 1000);
  auto src = run.array(values);
  auto counter = run.zeros<int32_t>(1), dst = run.zeros<int32_t>(1000);
  run.launch("reserve", src, counter, dst);
  std::vector<int32_t> expected;
  std::copy_if(values.begin(), values.end(), std::back_inserter(expected),
               [](int32_t value) { return value > 0; });
  expectSame("counter", 0, counter.read()[0], int32_t(expected.size()));
  auto out = dst.read();
  out.resize(expected.size());
  std::sort(out.begin(), out.end());
  std::sort(expected.begin(), expected.end());
  expectSame("reserved", out, expected);

  std::vector<int32_t> tasks(100);
  std::iota(tasks.begin(), tasks.end(), 0);
  auto slots = run.array(tasks);
  auto done = run.zeros<int32_t>(100);
  run.launch("exchange", slots, done);
  expectSame("done", done.read(), std::vector<int32_t>(100, 1));
  expectSame("slots", slots.read(), std::vector<int32_t>(100, -1));

  run.launch("add_vectors", int32_t(500));
  run.device.defaultStream().synchronize();
  std::vector<float> sum(3);
  run.program.read("field_of_vec3", std::span<float>(sum));
  expectSame("sums", sum, {500.0f, 1000.0f, 1500.0f});
}

} // namespace

void addPageCases(std::vector<Case> &cases) {
  auto add = [&](const char *module, auto body, std::function<std::string(unsigned)> refused = {}) {
    cases.push_back({module, "page example", body, std::move(refused)});
  };
  add("subgroup_broadcast", broadcast);
  add("subgroup_count_positive", countPositive);
  add("subgroup_identity", identity);
  add("subgroup_swap_pairs", swapPairs);
  add("subgroup_reverse4", reverse4);
  add("subgroup_reduce4", reduce4);
  add("subgroup_sum32", sum32, tileOf32);
  add("subgroup_normalize32", normalize32, tileOf32);
  add("subgroup_sort_contacts", sortContacts, blockOf32);
  add("subgroup_cumsum", cumsum, tileOf32);
  add("block_reduce_add", blockReduceAdd);
  add("block_inclusive_add", blockInclusiveAdd);
  add("block_radix_rank", blockRadixRank);
  add("block_mem_fence", publish);
  add("grid_lookback_scan", lookback);
  cases.push_back({"grid_spin_wait", "waits by fences", waitWithFence});
  cases.push_back({"grid_spin_wait", "waits by atomics", waitWithAtomic});
  cases.push_back({"grid_spin_wait", "waits by volatile loads", waitWithVolatile});
  add("atomics_cas_loop", casLoop);
  add("atomics_patterns", patterns);
}

} // namespace conformance
