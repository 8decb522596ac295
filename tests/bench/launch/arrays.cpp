// The host's cost of a launch of a kernel with many arrays, beside copying as many bytes as its
// argument block has: 16 an array, an address and an extent. Kernels are those of arrays.py.
//
//   bench-arrays KERNELS.sxt COUNT…      SEXTANT_DEVICE and SEXTANT_VARIANT choose what runs
#define SEXTANT_THROWS
#include "rows.h"
#include "sextant/sextant.hpp"

#include <cstring>
#include <memory>

using namespace sextant;
using namespace rows;

namespace {

constexpr uint64_t apart = 256; ///< bytes from array to array, in one buffer

/// A kernel, its arguments, and the bytes to copy.
struct Many {
  Many(const Program &program, const Array<int> &memory, uint64_t count, uint64_t shift)
      : kernel(program.kernel("arrays_" + std::to_string(count))), from(count * 16),
        to(from.size()) {
    for (uint64_t i = 0; i < count; ++i)
      arguments.push_back(toArgument(ArrayView<int>{memory.view().buffer, {1}, i * apart + shift}));
    check(sxt_launch_create(kernel.get(), arguments.data(), arguments.size(), &prepared));
  }
  ~Many() { sxt_launch_release(prepared); }
  Many(const Many &) = delete;
  Many &operator=(const Many &) = delete;

  Kernel kernel;
  std::vector<sxt_argument> arguments;
  std::vector<char> from, to;
  sxt_launch *prepared = nullptr;
};

int run(const char *path, const std::vector<uint64_t> &counts) {
  Device device = Device::open();
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  Array<int> memory(device, int64_t(counts.back() * apart));
  std::vector<std::unique_ptr<Many>> kernels;
  std::vector<Row> table;
  auto add = [&](uint64_t count, uint64_t shift, const std::string &name) {
    Many *one = kernels.emplace_back(std::make_unique<Many>(program, memory, count, shift)).get();
    table.push_back({name + ", launch", 1,
                     [one, &stream] {
                       check(sxt_kernel_launch(one->kernel.get(), stream.get(),
                                               one->arguments.data(), one->arguments.size()));
                     },
                     false});
    table.push_back({name + ", prepared launch", 1,
                     [one, &stream] { check(sxt_launch_enqueue(one->prepared, stream.get())); },
                     false});
    if (shift == 0)
      table.push_back({name + ", copying the argument block", 1,
                       [one] {
                         std::memcpy(one->to.data(), one->from.data(), one->from.size());
                         asm volatile("" ::"r"(one->to.data()) : "memory");
                       },
                       false});
    std::printf("%s: %s\n", name.c_str(), one->kernel.variant().c_str());
  };
  for (uint64_t count : counts) {
    add(count, 0, std::to_string(count) + " arrays");
    add(count, 4, std::to_string(count) + " arrays, 4 bytes on");
  }
  std::printf("%s; ", device.info().description);
  measure(table, [&] { stream.synchronize(); });
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<uint64_t> counts;
  for (int i = 2; i < argc; ++i)
    counts.push_back(std::strtoull(argv[i], nullptr, 10));
  if (counts.empty()) {
    std::fprintf(stderr, "usage: bench-arrays KERNELS.sxt COUNT…\n");
    return 2;
  }
  try {
    return run(argv[1], counts);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-arrays: %s\n", error.what());
    return 1;
  }
}
