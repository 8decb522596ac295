// Tuning beside exhaustive search: for each kernel and size, the variant that sxt_program_measure
// finds, then each variant by itself, 21 samples each. Sorts are launched once a sample, on fresh
// keys, others 20 times. Prints a table of medians, and writes the measurements for `sextant
// compile
// --tuning`.
//
//   bench-tune MODULE.sxt [TUNING.txt [DEVICE]]
#define SEXTANT_THROWS
#include "packager/Tuning.h"
#include "sextant/sextant.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>

using namespace sextant;

namespace {

constexpr int samples = 21, inARow = 20;

struct Row {
  const char *kernel;
  int64_t n;      ///< the argument
  int64_t length; ///< length of the arrays
  sxt_dtype type; ///< type of their elements
  bool hasValues = false;
  bool isSort() const { return std::strncmp(kernel, "sort", 4) == 0; }
};
const Row rows[] = {{"sort", 1 << 20, 1 << 20, SXT_DTYPE_U32},
                    {"sort", 1 << 24, 1 << 24, SXT_DTYPE_U32},
                    {"sort", 1 << 27, 1 << 27, SXT_DTYPE_U32},
                    {"sort_u64", 1 << 20, 1 << 20, SXT_DTYPE_U64},
                    {"sort_u64", 1 << 24, 1 << 24, SXT_DTYPE_U64},
                    {"sort_u64", 1 << 27, 1 << 27, SXT_DTYPE_U64},
                    {"sort_pairs", 1 << 20, 1 << 20, SXT_DTYPE_U32, true},
                    {"sort_pairs", 1 << 24, 1 << 24, SXT_DTYPE_U32, true},
                    {"sort_pairs", 1 << 27, 1 << 27, SXT_DTYPE_U32, true},
                    {"scan", 1 << 20, 1 << 20, SXT_DTYPE_U32},
                    {"scan", 1 << 24, 1 << 24, SXT_DTYPE_U32},
                    {"scan", 1 << 27, 1 << 27, SXT_DTYPE_U32},
                    {"matmul", 1024, 1024 * 1024, SXT_DTYPE_F32},
                    {"matmul", 4096, 4096 * 4096, SXT_DTYPE_F32}};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + long(values.size() / 2), values.end());
  return values[values.size() / 2];
}

class Bench {
public:
  Bench(const char *path, const char *name)
      : module(Module::open(path)), device(Device::open(name)), stream(device.createStream()) {
    std::printf("%s, driver of backend %s\n\n", device.info().description, device.info().backend);
    std::printf("| %-20s | %10s | %10s | %10s | %9s | %s\n", "", "default", "tuned", "best",
                "best/tuned", "tuned to");
    std::printf("|---|---|---|---|---|---|\n");
  }

  void run(const Row &row, bool isLarge) {
    if (row.length > (1 << 24) && !isLarge)
      return;
    const size_t bytes = size_t(row.length) * sxt_dtype_size(row.type);
    std::vector<uint32_t> words(bytes / 4);
    uint64_t state = 88172645463325252u;
    for (uint32_t &word : words) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      word = uint32_t(state >> 16);
    }
    const bool isProduct = row.type == SXT_DTYPE_F32;
    if (isProduct)
      for (uint32_t &word : words) {
        const float value = float(word % 17) - 8;
        std::memcpy(&word, &value, 4);
      }
    source = Buffer(device, bytes);
    for (Buffer *each : {&first, &second, &third, &fourth, &fifth})
      *each = Buffer(device, bytes);
    size = bytes;
    check(sxt_buffer_write(source.get(), 0, words.data(), bytes, nullptr));
    arguments = {sxt_make_array1(first.get(), row.type, row.length),
                 sxt_make_array1(second.get(), row.type, row.length),
                 isProduct ? sxt_make_array1(third.get(), row.type, row.length)
                           : sxt_make_array1(third.get(), SXT_DTYPE_U32, int64_t(bytes / 4)),
                 sxt_make_i32(int32_t(row.n))};
    if (row.hasValues)
      for (Buffer *each : {&fourth, &fifth})
        arguments.push_back(sxt_make_array1(each->get(), row.type, row.length));
    check(sxt_buffer_copy(second.get(), 0, source.get(), 0, bytes, stream.get()));

    const auto begin = std::chrono::steady_clock::now();
    Program program(module, device);
    sxt_measure_options options{};
    options.struct_size = sizeof options;
    options.prepare = row.isSort() ? prepare : nullptr;
    options.user = this;
    size_t count = 0;
    check(sxt_program_measure(program.get(), row.kernel, stream.get(), arguments.data(),
                              arguments.size(), &options, &count));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    packager::Measurement measured{row.kernel,
                                   std::string(device.info().backend) + ":" + device.info().arch,
                                   device.info().description,
                                   "n=" + std::to_string(row.n),
                                   {}};
    std::string usual;
    std::vector<std::string> targets;
    for (size_t i = 0; i < count; ++i) {
      sxt_measurement one{};
      one.struct_size = sizeof one;
      check(sxt_program_measurement(program.get(), row.kernel, i, &one));
      targets.emplace_back(one.target);
      if (one.selected)
        usual = one.target;
      if (one.problem)
        std::printf("%s: %s\n", one.target, one.problem);
      else
        measured.milliseconds[one.target] = one.median_ms;
    }
    packager::addAll(all, {measured});
    const std::string tuned = packager::fastestOf({measured}).front().target;
    std::map<std::string, double> alone;
    for (const std::string &target : targets)
      alone[target] = timeAlone(row, target);
    const auto best =
        std::min_element(alone.begin(), alone.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    std::printf(
        "| %-10s %9lld | %7.4f ms | %7.4f ms | %7.4f ms | %9.3f | %s (%zu variants, %.1f s; "
        "best: %s)\n",
        row.kernel, static_cast<long long>(row.n), alone[usual], alone[tuned], best->second,
        best->second / alone[tuned], tuned.c_str(), count, took.count(), best->first.c_str());
    std::fflush(stdout);
  }

  std::vector<packager::Measurement> all;

private:
  Module module;
  Device device;
  Stream stream;
  Buffer source{}, first{}, second{}, third{}, fourth{}, fifth{};
  size_t size = 0;
  std::vector<sxt_argument> arguments;

  static sxt_status prepare(void *user, sxt_stream *stream) {
    const auto &own = *static_cast<Bench *>(user);
    return sxt_buffer_copy(own.first.get(), 0, own.source.get(), 0, own.size, stream);
  }

  double timeAlone(const Row &row, const std::string &target) {
    sxt_program_options pinned{};
    pinned.struct_size = sizeof pinned;
    pinned.variant = target.c_str();
    sxt_program *program = nullptr;
    check(sxt_program_create(module.get(), device.get(), &pinned, &program));
    sxt_kernel *kernel = nullptr;
    check(sxt_program_kernel(program, row.kernel, &kernel));
    const int launches = row.isSort() ? 1 : inARow;
    std::vector<double> times;
    for (int round = 0; round < samples + 2; ++round) {
      check(prepare(this, stream.get()));
      Event begin(device), end(device);
      begin.record(stream);
      for (int launch = 0; launch < launches; ++launch)
        check(sxt_kernel_launch(kernel, stream.get(), arguments.data(), arguments.size()));
      end.record(stream);
      end.synchronize();
      if (round >= 2)
        times.push_back(end.since(begin) / launches);
    }
    sxt_program_release(program);
    return median(times);
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: %s MODULE [TUNING [DEVICE]]\n", argv[0]);
    return 2;
  }
  try {
    const char *device = argc > 3 ? argv[3] : "";
    Bench bench(argv[1], device);
    const bool isLarge = std::strcmp(Device::open(device).info().backend, "cpu") != 0;
    for (const Row &row : rows)
      bench.run(row, isLarge);
    if (argc > 2)
      std::ofstream(argv[2]) << packager::textOf(bench.all);
    return 0;
  } catch (const Error &error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
