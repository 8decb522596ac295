// Loops on the device: `qd.graph.do_while` beside a conditional node by hand, in turn on one
// stream; medians.
//
//   bench-cuda-loops LOOPS.sxt
#include "loops.h"
#include "timing.h"

using namespace sextant;

namespace {

constexpr int launchesPerRound = 5;

bool compare(const Kernel &kernel, const Device &device, Stream &stream, int size, int rounds) {
  std::vector<float> input(static_cast<size_t>(size));
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = float(i % 1000);
  Array<float> a(device, Span<const float>(input)), b(device, Span<const float>(input));
  Array<int32_t, 0> left(device, Array<int32_t, 0>::Shape{}),
      peerLeft(device, Array<int32_t, 0>::Shape{});
  auto pointer = [](auto &array) { return array.buffer().address(); };
  PeerLoop *peer = peerLoop(reinterpret_cast<float *>(pointer(b)), size,
                            reinterpret_cast<int *>(pointer(peerLeft)), rounds);
  void *native = stream.native();
  kernel(stream, a, left, rounds);
  peerRun(peer, native);
  stream.synchronize();
  const bool same = a.read() == b.read() && left.read()[0] == 0 && peerLeft.read()[0] == 0;
  const std::string name = std::to_string(rounds) + " rounds over " + std::to_string(size);
  if (!same)
    std::printf("%s: results differ\n", name.c_str());
  timing::printRow(
      name, device, stream, launchesPerRound, [&] { kernel(stream, a, left, rounds); },
      [&] { peerRun(peer, native); });
  peerRelease(peer);
  return same;
}

int run(const char *path) {
  Device device = Device::open("cuda");
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  Kernel kernel = program.kernel("rounds");
  std::printf("%s, variant %s\n\n", device.info().description, kernel.variant().c_str());
  timing::printHead("do_while", "by hand");
  bool same = true;
  for (int size : {1 << 10, 1 << 20, 1 << 24})
    for (int rounds : {1, 10, 100, 1000})
      if (size < 1 << 24 || rounds < 1000)
        same &= compare(kernel, device, stream, size, rounds);
  std::printf("\n%s\n", same ? "results agree" : "RESULTS DIFFER");
  return same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) { return timing::mainOf("bench-cuda-loops", argc, argv, run); }
