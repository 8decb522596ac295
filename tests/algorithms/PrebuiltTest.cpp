// The prebuilt module through sextant/algorithms.hpp, beside the standard library, and that a warm
// call allocates nothing.
//
//   sextant-algorithms-prebuilt MODULE
#define SEXTANT_THROWS
#include "sextant/algorithms.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <numeric>
#include <vector>

extern "C" int sort_in_c(sxt_algorithms *algorithms, sxt_device *device);

namespace {
std::atomic<long> allocations;
thread_local bool isCounting = false;
} // namespace

// Allocations of the thread that calls.
void *operator new(size_t size) {
  if (isCounting)
    ++allocations;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

int failures = 0;

void expect(bool holds, const char *what) {
  if (!holds) {
    std::printf("FAILED: %s\n", what);
    ++failures;
  }
}

std::vector<uint32_t> randomKeys(size_t n) {
  std::vector<uint32_t> keys(n);
  uint32_t state = 7;
  for (uint32_t &key : keys)
    key = (state = state * 1664525u + 1013904223u) >> 3;
  return keys;
}

void sorts(const sextant::Algorithms &algorithms, const sextant::Device &device) {
  const sextant::Stream stream = device.createStream();
  for (size_t n : {size_t(0), size_t(1), size_t(3000), size_t(9001)}) {
    std::vector<uint32_t> keys = randomKeys(n), order(n);
    std::iota(order.begin(), order.end(), 0u);
    sextant::Array<uint32_t> onDevice(device, keys);
    sextant::Array<float> values(device, std::vector<float>(order.begin(), order.end()));
    algorithms.sort(stream, onDevice, values);
    stream.synchronize();
    std::ranges::sort(order, {}, [&](uint32_t i) { return std::pair(keys[i], i); });
    std::ranges::sort(keys);
    expect(onDevice.read() == keys, "keys");
    expect(values.read() == std::vector<float>(order.begin(), order.end()), "values");
    algorithms.sortDescending(stream, onDevice);
    stream.synchronize();
    std::ranges::reverse(keys);
    expect(onDevice.read() == keys, "keys in descending order");
  }
}

void folds(const sextant::Algorithms &algorithms, const sextant::Device &device) {
  const sextant::Stream stream = device.defaultStream();
  std::vector<double> x(7001);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = double(i * 37 % 101) - 40;
  sextant::Array<double> in(device, x), out(device, int64_t(x.size())), one(device, int64_t(1));
  algorithms.sum(stream, in, one);
  expect(one.read()[0] == std::accumulate(x.begin(), x.end(), 0.0), "a sum");
  algorithms.reduce(stream, SXT_ALGORITHMS_MIN, in, one);
  expect(one.read()[0] == *std::ranges::min_element(x), "a minimum");
  std::vector<double> sums(x.size());
  std::partial_sum(x.begin(), x.end(), sums.begin());
  algorithms.inclusiveSum(stream, in, out);
  expect(out.read() == sums, "inclusive sums");
  algorithms.exclusiveSum(stream, in, out);
  std::exclusive_scan(x.begin(), x.end(), sums.begin(), 0.0);
  expect(out.read() == sums, "exclusive sums");
  std::vector<int32_t> flags(x.size());
  std::vector<double> chosen;
  for (size_t i = 0; i < x.size(); ++i)
    if ((flags[i] = i % 7 == 2 || i > 6000))
      chosen.push_back(x[i]);
  sextant::Array<int32_t> onDevice(device, flags), count(device, int64_t(1));
  algorithms.select(stream, in, onDevice, out, count);
  std::vector<double> got = out.read();
  got.resize(size_t(count.read()[0]));
  expect(got == chosen, "chosen elements");
}

/// On the CPU, whose work other threads do. A driver's allocations are its own.
void warmCalls(const sextant::Algorithms &algorithms, const sextant::Device &device) {
  if (device.info().backend != std::string_view("cpu")) {
    std::printf("skipped: allocations of warm calls, which a driver may make\n");
    return;
  }
  const sextant::Stream stream = device.createStream();
  sextant::Array<uint32_t> keys(device, randomKeys(5000)), sum(device, int64_t(1));
  for (int round = 0; round < 3; ++round) {
    allocations = 0;
    isCounting = round > 0;
    algorithms.sort(stream, keys);
    algorithms.sum(stream, keys, sum);
    isCounting = false;
    stream.synchronize();
    expect(round == 0 || allocations == 0, "a warm call allocates nothing");
  }
}

void errors(const sextant::Algorithms &algorithms, const sextant::Device &device) {
  sextant::Array<uint32_t> keys(device, randomKeys(5000)), few(device, int64_t(10));
  auto fails = [](auto call) {
    try {
      call();
      return SXT_OK;
    } catch (const sextant::Error &error) {
      return error.status();
    }
  };
  expect(fails([&] { algorithms.sort(device.defaultStream(), keys, few); }) ==
             SXT_ERROR_INVALID_ARGUMENT,
         "fewer values than keys");
  sextant::Array<float> reals(device, int64_t(10)); // this module has none
  expect(fails([&] { algorithms.sort(device.defaultStream(), reals); }) == SXT_ERROR_NOT_FOUND,
         "a type without kernels");
  expect(fails([&] { algorithms.exclusiveSum(device.defaultStream(), keys, few); }) ==
             SXT_ERROR_OUT_OF_RANGE,
         "a result that is too small");
  const sextant::Buffer small(device, 64);
  expect(fails([&] { algorithms.sort(device.defaultStream(), keys, small.get()); }) ==
             SXT_ERROR_OUT_OF_RANGE,
         "temporary memory that is too small");
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODULE\n", argv[0]);
    return 2;
  }
  try {
    const sextant::Device device = sextant::Device::open("");
    const sextant::Algorithms algorithms(sextant::Module::open(argv[1]), device);
    sorts(algorithms, device);
    folds(algorithms, device);
    warmCalls(algorithms, device);
    errors(algorithms, device);
    if (const int line = sort_in_c(algorithms.get(), device.get())) {
      std::printf("FAILED: prebuilt.c:%d: %s\n", line, sxt_last_error_message());
      ++failures;
    }
  } catch (const std::exception &error) {
    std::printf("FAILED: %s\n", error.what());
    return 1;
  }
  std::printf("%d failures\n", failures);
  return failures ? 1 : 0;
}
