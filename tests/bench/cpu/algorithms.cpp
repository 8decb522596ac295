// qd.algorithms on the CPU beside libstdc++'s parallel algorithms over TBB, and sorts also beside a
// radix sort by hand, all with the same number of threads. A round times one call of each, in turn;
// medians. Results are compared first. KMP_BLOCKTIME=1 lets OpenMP's threads fall asleep between.
//
//   KMP_BLOCKTIME=1 bench-cpu-algorithms algorithms.sxt THREADS [LARGEST_POWER_OF_TWO [ROUNDS]]
#define SEXTANT_THROWS
#include "../comparison.h"
#include "algorithms-peers.h"
#include "sextant/sextant.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace sextant;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + long(values.size() / 2), values.end());
  return values[values.size() / 2];
}

class Bench {
public:
  Bench(const char *module, int rounds)
      : device(Device::open("cpu")), program(Module::open(module), device),
        stream(device.defaultStream()), rounds(rounds) {
    const Device::Info info = device.info();
    std::printf("%s, %u threads, %s; ms, medians of %d rounds in turn\n\n", info.description,
                info.multiprocessors, program.kernel("reduce_u32").variant().c_str(), rounds);
    std::printf(
        "| | sextant | std, par_unseq | ratio | by hand | ratio |\n|---|---|---|---|---|---|\n");
  }

  template <class... Args> void launch(const std::string &name, const Args &...args) {
    auto found = kernels.find(name); // who times a kernel has found it before
    if (found == kernels.end())
      found = kernels.emplace(name, program.kernel(name.c_str())).first;
    found->second(stream, args...);
    stream.synchronize();
  }

  struct Way {
    std::function<void()> prepare, run; ///< the former is not timed
  };

  void row(const std::string &name, int power, const std::vector<Way> &ways) {
    std::vector<std::vector<double>> times(ways.size());
    const auto time = [&](const Way &way) {
      way.prepare();
      // The others' threads fall asleep.
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      return comparison::hostTime(device, 1, way.run);
    };
    if (comparison::takes((name + ", 2^" + std::to_string(power)).c_str(),
                          [&] { return time(ways[0]); }))
      return;
    for (int round = 0; round < rounds + 1; ++round)
      for (size_t k = 0; k < ways.size(); ++k) {
        const double took = time(ways[k]) / 1e3;
        if (round)
          times[k].push_back(took);
      }
    const double ours = median(times[0]);
    std::printf("| %s, 2^%d | %.4f |", name.c_str(), power, ours);
    for (size_t k = 1; k < ways.size(); ++k)
      std::printf(" %.4f | %.2f |", median(times[k]), median(times[k]) / ours);
    std::printf("\n");
    std::fflush(stdout);
  }

  template <class T>
  void expect(const std::vector<T> &ours, const std::vector<T> &peers, const std::string &what) {
    if (ours != peers) {
      std::fprintf(stderr, "%s: results differ\n", what.c_str());
      std::exit(1);
    }
  }

  Device device;
  Program program;
  Stream stream;
  std::map<std::string, Kernel> kernels;
  int rounds;
};

std::mt19937_64 bits(7);

template <class T> std::vector<T> numbers(size_t n) {
  std::vector<T> x(n);
  for (T &each : x)
    each = std::is_floating_point_v<T> ? T(bits() % 1000) : T(bits());
  return x;
}

const std::function<void()> nothing = [] {};

template <class T> void sums(Bench &bench, const char *type, int power) {
  const size_t n = size_t(1) << power;
  const std::string reduce = std::string("reduce_") + type;
  // So few and small that sums of reals are exact.
  std::vector<T> x(n);
  for (T &each : x)
    each = T(bits() % 8);
  const Array<T> in(bench.device, x), out(bench.device, int64_t(1));
  const Array<uint32_t> scratch(bench.device, int64_t(n / 64 + 4096));
  T sum = 0;
  const auto ours = [&] { bench.launch(reduce, in, out, scratch, int32_t(n)); };
  const auto peer = [&] { sum = peers::reduce(x.data(), n); };
  ours(), peer();
  if (power < 22 || !std::is_floating_point_v<T>)
    bench.expect(out.read(), std::vector<T>{sum}, reduce);
  bench.row(std::string("reduce ") + type, power, {{nothing, ours}, {nothing, peer}});
}

template <class T> void scans(Bench &bench, const char *type, int power) {
  const size_t n = size_t(1) << power;
  const std::string scan = std::string("scan_") + type;
  const std::vector<T> x = numbers<T>(n);
  std::vector<T> expected(n);
  const Array<T> in(bench.device, x), out(bench.device, int64_t(n));
  const Array<uint32_t> scratch(bench.device, int64_t(n / 16 + 4096));
  const auto ours = [&] { bench.launch(scan, in, out, scratch, int32_t(n)); };
  const auto peer = [&] { peers::scan(x.data(), expected.data(), n); };
  ours(), peer();
  bench.expect(out.read(), expected, scan);
  bench.row(std::string("exclusive scan ") + type, power, {{nothing, ours}, {nothing, peer}});
}

void selects(Bench &bench, int power) {
  const size_t n = size_t(1) << power;
  const std::vector<uint32_t> x = numbers<uint32_t>(n);
  std::vector<int32_t> flags(n);
  for (int32_t &flag : flags)
    flag = int32_t(bits() & 1);
  std::vector<uint32_t> expected(n);
  const Array<uint32_t> in(bench.device, x), out(bench.device, std::vector<uint32_t>(n));
  const Array<int32_t> marks(bench.device, flags), count(bench.device, int64_t(1));
  const Array<uint32_t> scratch(bench.device, int64_t(n + n / 64 + 4096));
  const auto ours = [&] { bench.launch("select_u32", in, marks, out, count, scratch, int32_t(n)); };
  const auto peer = [&] { peers::select(x.data(), flags.data(), expected.data(), n); };
  ours(), peer();
  bench.expect(out.read(), expected, "select");
  bench.row("select u32, half", power, {{nothing, ours}, {nothing, peer}});
}

template <class T> void sorts(Bench &bench, const char *type, int power) {
  const size_t n = size_t(1) << power;
  const std::string sort = std::string("sort_") + type;
  const std::vector<T> x = numbers<T>(n);
  std::vector<T> sorted = x, hand = x, tmp(n);
  Array<T> keys(bench.device, x), other(bench.device, int64_t(n));
  const Array<uint32_t> scratch(bench.device, int64_t(2 * n + 8192));
  std::vector<Bench::Way> ways = {
      {[&] { keys.write(x); }, [&] { bench.launch(sort, keys, other, scratch, int32_t(n)); }},
      {[&] { sorted = x; }, [&] { peers::sort(sorted.data(), n); }}};
  if constexpr (std::is_same_v<T, uint32_t>)
    ways.push_back({[&] { hand = x; },
                    [&] { peers::radixSort(hand.data(), tmp.data(), nullptr, nullptr, n); }});
  if constexpr (std::is_same_v<T, uint64_t>)
    ways.push_back({[&] { hand = x; }, [&] { peers::radixSort(hand.data(), tmp.data(), n); }});
  for (const Bench::Way &way : ways)
    way.prepare(), way.run();
  bench.expect(keys.read(), sorted, sort);
  if (ways.size() > 2)
    bench.expect(hand, sorted, "the sort by hand");
  bench.row(std::string("sort ") + type, power, ways);
}

void pairs(Bench &bench, int power) {
  const size_t n = size_t(1) << power;
  std::vector<uint32_t> x = numbers<uint32_t>(n), places(n);
  for (size_t i = 0; i < n; ++i)
    places[i] = uint32_t(i);
  std::vector<peers::Pair> start(n), sorted;
  for (size_t i = 0; i < n; ++i)
    start[i] = {x[i], places[i]};
  std::vector<uint32_t> hand, tmp(n), handValues, tmpValues(n);
  Array<uint32_t> keys(bench.device, x), other(bench.device, int64_t(n)),
      values(bench.device, places), otherValues(bench.device, int64_t(n));
  const Array<uint32_t> scratch(bench.device, int64_t(2 * n + 8192));
  const std::vector<Bench::Way> ways = {
      {[&] { keys.write(x), values.write(places); },
       [&] { bench.launch("sort_pairs", keys, other, values, otherValues, scratch, int32_t(n)); }},
      {[&] { sorted = start; }, [&] { peers::sort(sorted.data(), n); }},
      {[&] { hand = x, handValues = places; },
       [&] { peers::radixSort(hand.data(), tmp.data(), handValues.data(), tmpValues.data(), n); }}};
  for (const Bench::Way &way : ways)
    way.prepare(), way.run();
  std::vector<uint32_t> expected(n), expectedValues(n);
  for (size_t i = 0; i < n; ++i)
    expected[i] = sorted[i].key, expectedValues[i] = sorted[i].value;
  bench.expect(keys.read(), expected, "sort_pairs");
  bench.expect(values.read(), expectedValues, "values of sort_pairs");
  bench.expect(handValues, expectedValues, "values of the sort by hand");
  bench.row("sort u32 with u32", power, ways);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3 || argc > 5) {
    std::fprintf(stderr, "usage: %s MODULE THREADS [LARGEST_POWER_OF_TWO [ROUNDS]]\n", argv[0]);
    return 2;
  }
  setenv("SEXTANT_CPU_THREADS", argv[2], 1);
  const int most = argc > 3 ? std::atoi(argv[3]) : 24;
  peers::useThreads(unsigned(std::atoi(argv[2])));
  try {
    Bench bench(argv[1], argc > 4 ? std::atoi(argv[4]) : 11);
    for (int power = 12; power <= most; power += 4) {
      sums<uint32_t>(bench, "u32", power);
      sums<float>(bench, "f32", power);
      scans<uint32_t>(bench, "u32", power);
      scans<uint64_t>(bench, "u64", power);
      selects(bench, power);
      sorts<uint32_t>(bench, "u32", power);
      sorts<float>(bench, "f32", power);
      sorts<uint64_t>(bench, "u64", power);
      pairs(bench, power);
    }
    return 0;
  } catch (const Error &error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
