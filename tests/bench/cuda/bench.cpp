// Our kernels through the loader beside CUB's, in one run on one stream: GB/s of
// 2^26 elements, one element a thread, 256 threads a block; and what a launch costs.
//
//   bench-cuda KERNELS.sxt
#include "peers.h"
#include "timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

using namespace sextant;

namespace {

constexpr int count = 1 << 26;
constexpr int rounds = 7, launchesPerRound = 20;

/// Prints the best of the rounds. They alternate, so that clocks and temperatures hit both alike.
void compare(const char *name, double bytes, const Device &device, Stream &stream,
             const timing::Launch &ours, const timing::Launch &peer) {
  ours();
  peer();
  stream.synchronize();
  if (comparison::takes(
          name, [&] { return timing::timeOne(device, stream, launchesPerRound, ours) * 1e3; }))
    return;
  double best = 1e30, peers = 1e30; // milliseconds of a launch
  for (int round = 0; round < rounds; ++round) {
    best = std::min(best, timing::timeOne(device, stream, launchesPerRound, ours));
    peers = std::min(peers, timing::timeOne(device, stream, launchesPerRound, peer));
  }
  std::printf("| %-36s | %8.0f GB/s | %8.0f GB/s | %5.2f |\n", name, bytes / best / 1e6,
              bytes / peers / 1e6, peers / best);
}

template <class T> T *pointer(const Array<T> &array) {
  return reinterpret_cast<T *>(array.buffer().address());
}

/// True if both hold the same, floats up to the order of their additions.
template <class T> bool agree(const Array<T> &a, const Array<T> &b, const char *name) {
  std::vector<T> x = a.read(), y = b.read();
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::abs(double(x[i]) - double(y[i])) > 1e-4 * (1 + std::abs(double(y[i])))) {
      std::printf("%s: element %zu differs: %g, CUB %g\n", name, i, double(x[i]), double(y[i]));
      return false;
    }
  }
  return true;
}

/// Microseconds of host time a launch, the queue kept short of full.
double launchCost(Stream &stream, const std::function<void()> &launch) {
  constexpr int batch = 500, batches = 40;
  double best = 1e30;
  for (int i = 0; i < batches; ++i) {
    auto begin = std::chrono::steady_clock::now();
    for (int j = 0; j < batch; ++j)
      launch();
    std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
    stream.synchronize();
    best = std::min(best, spent.count() / batch);
  }
  return best;
}

int run(const char *path) {
  Device device = Device::open("cuda");
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  std::vector<float> floats(count);
  std::vector<int> ints(count);
  for (int i = 0; i < count; ++i) {
    unsigned mixed = unsigned(i) * 2654435761u;
    floats[size_t(i)] = float(mixed >> 8) / float(1 << 24) - 0.5f;
    ints[size_t(i)] = int(mixed >> 20);
  }
  Array<float> x(device, std::span<const float>(floats));
  Array<int> v(device, std::span<const int>(ints));
  Array<float> sums(device, count / peers::block), peerSums(device, count / peers::block);
  Array<float> warpSums(device, count / 32), peerWarpSums(device, count / 32);
  Array<int> scanned(device, count), peerScanned(device, count);
  void *native = stream.native();

  std::printf("%s, 2^26 elements, one a thread, 256 threads a block\n\n",
              device.info().description);
  std::printf("| %-36s | %13s | %13s | %5s |\n", "", "sextant", "CUB", "ratio");
  std::printf("|--------------------------------------|---------------|---------------|-------|\n");
  Kernel blockReduce = program.kernel("block_reduce"), blockScan = program.kernel("block_scan"),
         warpReduce = program.kernel("warp_reduce"), touch = program.kernel("touch");
  compare(
      "block reduce f32 (cub::BlockReduce)", 4.0 * count, device, stream,
      [&] { blockReduce(stream, x, sums); },
      [&] { peers::blockReduce(pointer(x), pointer(peerSums), count, native); });
  compare(
      "block scan i32 (cub::BlockScan)", 8.0 * count, device, stream,
      [&] { blockScan(stream, v, scanned); },
      [&] { peers::blockScan(pointer(v), pointer(peerScanned), count, native); });
  compare(
      "warp reduce f32 (cub::WarpReduce)", 4.0 * count, device, stream,
      [&] { warpReduce(stream, x, warpSums); },
      [&] { peers::warpReduce(pointer(x), pointer(peerWarpSums), count, native); });

  Array<int> small(device, 32);
  bool launched = true;
  auto ours = [&] { touch(stream, small, 1); };
  auto bare = [&] { launched &= peers::bareTouch(pointer(small), 32, 2, native); };
  launchCost(stream, ours);
  if (!comparison::takes("a launch", [&] { return launchCost(stream, ours); })) {
    launchCost(stream, bare);
    double oursMicros = launchCost(stream, ours), bareMicros = launchCost(stream, bare);
    std::printf("| %-36s | %10.2f us | %10.2f us | %5.2f |\n", "a launch (bare cuLaunchKernel)",
                oursMicros, bareMicros, bareMicros / oursMicros);
  }

  bool same = agree(sums, peerSums, "block reduce");
  same &= agree(scanned, peerScanned, "block scan");
  same &= agree(warpSums, peerWarpSums, "warp reduce");
  std::printf("\n%s; variant %s\n", same && launched ? "results agree" : "RESULTS DIFFER",
              blockReduce.variant().c_str());
  return same && launched ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) { return timing::mainOf("bench-cuda", argc, argv, run); }
