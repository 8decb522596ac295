// Cholesky factors of many small matrices: tiles beside the same by hand in CUDA, in turn on one
// stream; medians.
//
//   bench-cuda-tiles TILES.sxt
#include "tiles.h"
#include "timing.h"

#include <cmath>

using namespace sextant;

namespace {

constexpr int launchesPerRound = 10;

/// Matrices with large diagonals, n rows each.
std::vector<float> positive(int count, int n) {
  std::vector<float> all(size_t(count) * size_t(n * n));
  for (int b = 0; b < count; ++b)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        const unsigned mixed = unsigned(b * n * n + i * n + j) * 2654435761u;
        const float value = i == j ? float(n) : float(mixed >> 8) / float(1 << 24) - 0.5f;
        float *matrix = all.data() + size_t(b) * size_t(n * n);
        matrix[i * n + j] = matrix[j * n + i] = value;
      }
  return all;
}

/// Times a kernel beside its peer, each in place on its own copy. True: both gave the same at
/// first.
bool compare(const char *name, const Kernel &kernel, const Device &device, Stream &stream,
             int count, int n, const std::function<void(float *)> &peer) {
  const std::vector<float> input = positive(count, n);
  Array<float, 3> a(device, {count, n, n}), b(device, {count, n, n});
  auto pointer = reinterpret_cast<float *>(b.buffer().address());
  a.write(input);
  b.write(input);
  kernel(stream, a);
  peer(pointer);
  stream.synchronize();
  const std::vector<float> x = a.read(), y = b.read();
  bool same = true;
  for (size_t i = 0; i < x.size() && same; ++i) {
    const int row = int(i) / n % n, column = int(i) % n;
    same = column > row || std::fabs(x[i] - y[i]) <= 1e-5f * (1 + std::fabs(y[i]));
    if (!same)
      std::printf("%s: number %zu differs: %g, by hand %g\n", name, i, double(x[i]), double(y[i]));
  }
  timing::printRow(
      name, device, stream, launchesPerRound, [&] { kernel(stream, a); }, [&] { peer(pointer); });
  return same;
}

int run(const char *path) {
  Device device = Device::open("cuda");
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  Kernel small = program.kernel("cholesky16"), large = program.kernel("cholesky64");
  std::printf("%s, variant %s\n\n", device.info().description, small.variant().c_str());
  timing::printHead("tiles", "by hand");
  void *native = stream.native();
  constexpr int many = 1 << 16, some = 1 << 13;
  bool same = compare("2^16 of 16x16, a warp a matrix", small, device, stream, many, 16,
                      [&](float *a) { peerCholesky16(a, many, 32, native); });
  same &= compare("2^16 of 16x16; by hand two matrices a warp", small, device, stream, many, 16,
                  [&](float *a) { peerCholesky16(a, many, 16, native); });
  same &= compare("2^13 of 64x64, a warp a matrix", large, device, stream, some, 64,
                  [&](float *a) { peerCholesky64(a, some, native); });
  std::printf("\n%s\n", same ? "results agree" : "RESULTS DIFFER");
  return same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) { return timing::mainOf("bench-cuda-tiles", argc, argv, run); }
