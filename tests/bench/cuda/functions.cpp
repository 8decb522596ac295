// Kernels whose time is that of functions, beside CUDA C++ of the same kind of code, in turn on one
// stream; medians.
//
//   bench-cuda-functions FUNCTIONS.sxt
#include "functions.h"
#include "timing.h"

#include <cmath>

using namespace sextant;

namespace {

constexpr int launchesPerRound = 5;
constexpr int options = 1 << 24, stars = 1 << 15, side = 4096, limit = 256;

using Four = Vector<float, 4>;

/// Numbers from `low` to `high`.
std::vector<float> reals(size_t size, float low, float high, unsigned seed) {
  std::vector<float> all(size);
  for (size_t k = 0; k < size; ++k)
    all[k] = low + (high - low) * float((unsigned(k + seed) * 2654435761u) >> 8) / float(1 << 24);
  return all;
}

template <class T, unsigned N> float *pointer(Array<T, N> &array) {
  return reinterpret_cast<float *>(array.buffer().address());
}

/// True if all but one number in a hundred agree: rounding moves pixels at the edge of a set, and
/// what sines do to sines.
template <class T, unsigned N> bool agree(const Array<T, N> &ours, const Array<T, N> &theirs) {
  const auto a = ours.read(), b = theirs.read();
  size_t apart = 0;
  const auto differ = [](double x, double y) {
    return !(std::fabs(x - y) <= 1e-3 * (1 + std::fabs(y)));
  };
  for (size_t i = 0; i < a.size(); ++i)
    if constexpr (std::is_same_v<T, Four>)
      apart += differ(a[i][0], b[i][0]) || differ(a[i][1], b[i][1]) || differ(a[i][2], b[i][2]);
    else
      apart += differ(a[i], b[i]);
  return apart <= a.size() / 100;
}

int run(const char *path) {
  Device device = Device::open("cuda");
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  void *native = stream.native();
  const Kernel blackScholes = program.kernel("black_scholes"), nbody = program.kernel("nbody"),
               mandelbrot = program.kernel("mandelbrot"), waves = program.kernel("waves");
  std::printf("%s, variant %s\n\n", device.info().description, nbody.variant().c_str());
  const std::vector<float> prices = reals(options, 5, 30, 0), strikes = reals(options, 1, 100, 7),
                           years = reals(options, 0.25f, 10, 13),
                           places = reals(4 * stars, 0, 1, 3);
  Array<float> price(device, Span<const float>(prices)), strike(device, Span<const float>(strikes)),
      time(device, Span<const float>(years)), call(device, int64_t(options)),
      callPeer(device, int64_t(options));
  Array<Four> bodies(device, int64_t(stars)), force(device, int64_t(stars)),
      forcePeer(device, int64_t(stars));
  check(sxt_buffer_write(bodies.buffer().get(), 0, places.data(), places.size() * 4, nullptr));
  Array<int32_t, 2> picture(device, {side, side}), picturePeer(device, {side, side});
  struct Row {
    const char *name;
    timing::Launch ours, theirs;
    std::function<bool()> same;
  };
  const auto sameCalls = [&] { return agree(call, callPeer); };
  const Row all[] = {
      {"Black-Scholes, 2^24", [&] { blackScholes(stream, price, strike, time, call); },
       [&] {
         peerBlackScholes(pointer(price), pointer(strike), pointer(time), pointer(callPeer),
                          options, native);
       },
       sameCalls},
      {"N-body, 2^15", [&] { nbody(stream, bodies, force); },
       [&] { peerNbody(pointer(bodies), pointer(forcePeer), stars, native); },
       [&] { return agree(force, forcePeer); }},
      {"Mandelbrot, 4096^2", [&] { mandelbrot(stream, limit, picture); },
       [&] { peerMandelbrot(limit, reinterpret_cast<int *>(pointer(picturePeer)), side, native); },
       [&] { return agree(picture, picturePeer); }},
      {"sines and quotients, 2^24", [&] { waves(stream, price, call); },
       [&] { peerWaves(pointer(price), pointer(callPeer), options, native); }, sameCalls},
  };
  bool same = true;
  timing::printHead("sextant", "by hand");
  for (const Row &row : all) {
    row.ours();
    row.theirs();
    stream.synchronize();
    same &= row.same();
    timing::printRow(row.name, device, stream, launchesPerRound, row.ours, row.theirs);
  }
  std::printf("\n%s\n", same ? "results agree" : "RESULTS DIFFER");
  return same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) { return timing::mainOf("bench-cuda-functions", argc, argv, run); }
