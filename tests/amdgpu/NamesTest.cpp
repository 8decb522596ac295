// Code under every AMD target name: a few kernels of each kind, run on a device of each processor
// by every variant that the loader says it runs.
//
//   sextant-amdgpu-names MODULE   the module has to have been built for amdgpu:all/all-waves, and
//                                 devices have to run all of its variants
#define SEXTANT_THROWS
#include "sextant/sextant.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

using namespace sextant;

namespace {

constexpr size_t count = 384; // three blocks of 128

struct Failure {
  std::string message;
};

template <class T>
void expectSame(const char *what, const std::vector<T> &got, const std::vector<T> &expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (got[i] != expected[i])
      throw Failure{std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(got[i]) +
                    ", expected " + std::to_string(expected[i])};
}

void check(sxt_status status) {
  if (status != SXT_OK)
    throw Failure{sxt_last_error_message()};
}

/// A program that has only the variant, on its device.
struct Run {
  const Device &device;
  const Program &program;
  size_t wave;

  template <class... Args> void launch(const char *kernel, const Args &...args) const {
    program.kernel(kernel)(device.defaultStream(), args...);
  }
  template <class T> Array<T> array(const std::vector<T> &values) const {
    return Array<T>(device, Span<const T>(values.data(), values.size()));
  }
};

/// Numbers below 2^16 that look random: sums and products of two stay exact in f64 and i64.
std::vector<int32_t> numbers() {
  std::vector<int32_t> x(count);
  uint32_t state = 12345;
  for (int32_t &value : x) {
    state = state * 1664525 + 1013904223;
    value = int32_t(state >> 16);
  }
  return x;
}

void lanes(const Run &run) {
  const std::vector<int32_t> x = numbers();
  std::vector<int32_t> expected(4 * count);
  for (size_t first = 0; first < count; first += run.wave) {
    int32_t sum = 0, greatest = 0;
    for (size_t i = first; i < first + run.wave; ++i)
      sum += x[i];
    for (size_t i = first; i < first + run.wave; ++i) {
      greatest = std::max(greatest, x[i]);
      expected[i] = sum;
      expected[count + i] = greatest;
      expected[2 * count + i] = x[first + ((i - first) ^ (run.wave / 2))];
      expected[3 * count + i] = x[first + size_t(x[i]) % 1024 % run.wave];
    }
  }
  Array<int32_t, 2> out(run.device, {4, int64_t(count)});
  run.launch("lanes", run.array(x), out);
  expectSame("lanes", out.read(), expected);
}

void counts(const Run &run) {
  const std::vector<int32_t> x = numbers();
  std::vector<int32_t> expected(17);
  double sum = 0;
  for (int32_t value : x) {
    ++expected[value % 16];
    expected[16] = std::max(expected[16], value);
    sum += value;
  }
  auto bins = run.array(std::vector<int32_t>(17));
  auto total = run.array(std::vector<double>(1));
  run.launch("counts", run.array(x), bins, total);
  expectSame("bins", bins.read(), expected);
  expectSame("total", total.read(), {sum});
}

void turned(const Run &run) {
  std::vector<float> x(count), expected(count);
  for (size_t i = 0; i < count; ++i)
    x[i] = float(i) + 0.5f;
  for (size_t i = 0; i < count; ++i)
    expected[i] = x[i / 128 * 128 + 127 - i % 128];
  auto out = run.array(std::vector<float>(count));
  run.launch("turned", run.array(x), out);
  expectSame("turned", out.read(), expected);
}

void wide(const Run &run) {
  const std::vector<int32_t> n = numbers();
  std::vector<double> x(n.begin(), n.end()), y(count);
  std::vector<int64_t> factors(count), products(count);
  for (size_t i = 0; i < count; ++i) {
    y[i] = double(i) + 3;
    factors[i] = n[i] * int64_t(40000);
    products[i] = factors[i] * factors[i] + factors[i];
  }
  auto quotients = run.array(std::vector<double>(count)),
       roots = run.array(std::vector<double>(count));
  auto out = run.array(std::vector<int64_t>(count));
  run.launch("wide", run.array(x), run.array(y), quotients, roots, run.array(factors), out);
  expectSame("quotients", quotients.read(), x);
  expectSame("roots", roots.read(), x);
  expectSame("products", out.read(), products);
}

/// Returns the verdict of the loader on each variant, on the device of the program.
std::vector<sxt_verdict> verdictsOn(const Program &program) {
  size_t count = 0;
  check(sxt_program_verdict_count(program.get(), "lanes", &count));
  std::vector<sxt_verdict> verdicts(count);
  for (size_t i = 0; i < count; ++i) {
    verdicts[i].struct_size = sizeof verdicts[i];
    check(sxt_program_verdict(program.get(), "lanes", i, &verdicts[i]));
  }
  return verdicts;
}

int runAll(const char *path) {
  const Module module = Module::open(path);
  std::set<std::string> variants, ran;
  unsigned runs = 0, failures = 0;
  for (const Device::Info &info : Device::all()) {
    if (std::string(info.backend) != "amdgpu")
      continue;
    const Device device = Device::open(info.name);
    const Program all(module, device, "", 0);
    for (const sxt_verdict &verdict : verdictsOn(all)) {
      const std::string target = verdict.target;
      variants.insert(target);
      if (!verdict.usable)
        continue;
      try {
        const Program program(module, device, target, 0);
        if (const std::string variant = program.kernel("lanes").variant(); variant != target)
          throw Failure{variant + " would run instead"};
        const Run run{device, program, target.ends_with("/wave64") ? 64u : 32u};
        for (auto *kernel : {lanes, counts, turned, wide})
          kernel(run);
        ran.insert(target);
      } catch (const Failure &failure) {
        ++failures;
        std::printf("FAILED %s on %s: %s\n", verdict.target, info.arch, failure.message.c_str());
      } catch (const Error &error) {
        ++failures;
        std::printf("FAILED %s on %s: %s\n", verdict.target, info.arch, error.what());
      }
      ++runs;
    }
  }
  for (const std::string &target : variants)
    if (!ran.count(target))
      std::printf("NOT RUN: %s\n", target.c_str());
  std::printf("%zu of %zu targets, %u runs, %u failed\n", ran.size(), variants.size(), runs,
              failures);
  return failures || variants.empty() || ran != variants ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODULE\n", argv[0]);
    return 2;
  }
  try {
    return runAll(argv[1]);
  } catch (const Failure &failure) {
    std::fprintf(stderr, "error: %s\n", failure.message.c_str());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return 2;
}
