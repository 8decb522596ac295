// Instructions of their own beside the steps that they replace: pairs of kernels that yield
// the same, timed in turn on one stream; medians.
//
//   sextant compile tests/bench/cuda/features.py -o features.sxt --targets=sm_90
//   bench-cuda-features features.sxt
#include "timing.h"

#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

using namespace sextant;

namespace {

constexpr int launchesPerRound = 5;

/// Both kernels on copies of `input`; whether they leave the same there, and their times.
bool inPlace(const char *name, const char *pair, const Program &program, const Device &device,
             Stream &stream, const std::vector<int> &input) {
  Kernel call = program.kernel((std::string(pair) + "_call").c_str());
  Kernel steps = program.kernel((std::string(pair) + "_steps").c_str());
  Array<int> a(device, std::span<const int>(input)), b(device, std::span<const int>(input));
  call(stream, a, 3);
  steps(stream, b, 3);
  stream.synchronize();
  bool same = a.read() == b.read();
  timing::printRow(
      name, device, stream, launchesPerRound, [&] { call(stream, a, 256); },
      [&] { steps(stream, b, 256); });
  return same;
}

bool ranks(const char *name, const Program &program, const Device &device, Stream &stream,
           const std::vector<unsigned> &input) {
  Kernel call = program.kernel("rank_call"), steps = program.kernel("rank_steps");
  Array<unsigned> keys(device, std::span<const unsigned>(input));
  Array<int> a(device, long(input.size())), b(device, long(input.size()));
  call(stream, keys, a);
  steps(stream, keys, b);
  stream.synchronize();
  bool same = a.read() == b.read();
  timing::printRow(
      name, device, stream, launchesPerRound, [&] { call(stream, keys, a); },
      [&] { steps(stream, keys, b); });
  return same;
}

/// 2^20 minima on few places or on many.
bool least(const char *name, const Program &program, const Device &device, Stream &stream,
           size_t places) {
  Kernel call = program.kernel("least_call"), steps = program.kernel("least_steps");
  std::vector<float> input(size_t(1) << 20), large(places, 1e30f);
  std::vector<int> largeBits(places);
  std::memcpy(largeBits.data(), large.data(), places * sizeof(float));
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = float(int(unsigned(i) * 2654435761u >> 8) - (1 << 23));
  Array<float> x(device, std::span<const float>(input)), a(device, std::span<const float>(large));
  Array<int> b(device, std::span<const int>(largeBits));
  call(stream, x, a);
  steps(stream, x, b);
  stream.synchronize();
  std::vector<float> found = a.read();
  std::vector<int> bits = b.read();
  bool same = std::memcmp(found.data(), bits.data(), places * sizeof(float)) == 0;
  // Places that hold the least number already still take the whole way.
  timing::printRow(
      name, device, stream, launchesPerRound, [&] { call(stream, x, a); },
      [&] { steps(stream, x, b); });
  return same;
}

int run(const char *path) {
  Device device = Device::open("cuda");
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  std::printf("%s, variant %s\n\n", device.info().description,
              program.kernel("sum_call").variant().c_str());
  timing::printHead("library", "steps");
  std::vector<int> ints(size_t(1) << 20);
  std::vector<unsigned> random(size_t(1) << 24);
  for (size_t i = 0; i < ints.size(); ++i)
    ints[i] = int(unsigned(i) * 2654435761u >> 20);
  for (size_t i = 0; i < random.size(); ++i)
    random[i] = unsigned(i) * 2654435761u >> 7;
  bool same = inPlace("reduce_all_add i32, 256 a thread", "sum", program, device, stream, ints);
  same &= inPlace("any_true_tiled of 8, 256 a thread", "vote", program, device, stream, ints);
  same &= ranks("radix rank, 2^24 random keys", program, device, stream, random);
  same &= ranks("radix rank, 2^24 equal keys", program, device, stream,
                std::vector<unsigned>(random.size(), 77));
  same &= least("atomic_min f32 on 2^16 places", program, device, stream, size_t(1) << 16);
  same &= least("atomic_min f32 on 64 places", program, device, stream, 64);
  std::printf("\n%s\n", same ? "results agree" : "RESULTS DIFFER");
  return same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) { return timing::mainOf("bench-cuda-features", argc, argv, run); }
