// Loops over several axes, sums of a grid, waits, values of arguments: beside CUDA C++, in turn on
// one stream; medians.
//
//   bench-cuda-grids GRIDS.sxt
#include "grids.h"
#include "timing.h"

#include <cmath>

using namespace sextant;

namespace {

constexpr int launchesPerRound = 10;
constexpr int side = 512, plane = 8192, count = 1 << 24, scanBlocks = count / 1024;

using Four = Vector<int32_t, 4>;

std::vector<float> reals(size_t size) {
  std::vector<float> all(size);
  for (size_t k = 0; k < size; ++k)
    all[k] = float((unsigned(k) * 2654435761u) >> 28); // 0 to 15: sums of few are exact
  return all;
}
std::vector<int32_t> ints(size_t size) {
  std::vector<int32_t> all(size);
  for (size_t k = 0; k < size; ++k)
    all[k] = int32_t((unsigned(k) * 2654435761u) >> 22); // 0 to 1023
  return all;
}

template <class T, unsigned N> T *pointer(Array<T, N> &array) {
  return reinterpret_cast<T *>(array.buffer().address());
}

template <class T>
bool agree(const char *name, const std::vector<T> &a, const std::vector<T> &b, double tolerance) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(double(a[i]) - double(b[i])) <= tolerance * (1 + std::fabs(double(b[i]))))) {
      std::printf("%s: element %zu differs: %g, by hand %g\n", name, i, double(a[i]), double(b[i]));
      return false;
    }
  return true;
}

int run(const char *path) {
  Device device = Device::open("cuda");
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  std::printf("%s, variant %s\n\n", device.info().description,
              program.kernel("stencil").variant().c_str());
  void *native = stream.native();
  const std::vector<float> cube = reals(size_t(side) * side * side);
  Array<float, 3> x(device, {side, side, side}), y(device, {side, side, side}),
      z(device, {side, side, side});
  Array<float, 2> p(device, {plane, plane}), q(device, {plane, plane}), r(device, {plane, plane});
  check(sxt_buffer_write(x.buffer().get(), 0, cube.data(), cube.size() * 4, nullptr));
  check(sxt_buffer_write(p.buffer().get(), 0, cube.data(), size_t(plane) * plane * 4, nullptr));
  for (auto *array : {&y, &z})
    array->clear();
  for (auto *array : {&q, &r})
    array->clear();
  const std::vector<float> line(cube.begin(), cube.begin() + count);
  const std::vector<int32_t> numbers = ints(count);
  Array<float> v(device, Span<const float>(line)), w(device, int64_t(count)),
      u(device, int64_t(count));
  Array<float> sum(device, int64_t(1)), sumPeer(device, int64_t(1));
  Array<int32_t> n(device, Span<const int32_t>(numbers)), found(device, int64_t(1)),
      foundPeer(device, int64_t(1));
  Array<Four> sx(device, int64_t(count / 4)), sy(device, int64_t(count / 4)),
      sz(device, int64_t(count / 4));
  check(sxt_buffer_write(sx.buffer().get(), 0, numbers.data(), numbers.size() * 4, nullptr));
  Array<int32_t> ticket(device, int64_t(1)), states(device, int64_t(scanBlocks)),
      sums(device, int64_t(scanBlocks)), prefixes(device, int64_t(scanBlocks)),
      work(device, int64_t(1 + 3 * scanBlocks));
  const auto *scanned = reinterpret_cast<const int *>(pointer(sx));
  auto *result = reinterpret_cast<int *>(pointer(sz));

  const Kernel wide = program.kernel("stencil_wide"), rows = program.kernel("rows"),
               stencil = program.kernel("stencil"), blur = program.kernel("blur"),
               total = program.kernel("total"), seldom = program.kernel("seldom"),
               scaled = program.kernel("scaled"), scan = program.kernel("scan"),
               clear = program.kernel("clear");
  struct Row {
    const char *name;
    timing::Launch ours, theirs;
  };
  const Row all[] = {
      {"7-point stencil, 512^3", [&] { stencil(stream, x, y); },
       [&] { peerStencil(pointer(x), pointer(z), side, native); }},
      {"the same in blocks of 512", [&] { wide(stream, x, y); },
       [&] { peerStencil(pointer(x), pointer(z), side, native); }},
      {"3x3 blur, 8192^2", [&] { blur(stream, p, q); },
       [&] { peerBlur(pointer(p), pointer(r), plane, native); }},
      {"out[0] += x[i], 2^24", [&] { total(stream, v, sum); },
       [&] { peerTotal(pointer(v), pointer(sumPeer), count, native); }},
      {"out[0] += x[i, j], 8192 rows of 64", [&] { rows(stream, p, sum); },
       [&] { peerRows(pointer(p), plane, pointer(sumPeer), native); }},
      {"one in 1024 adds to out[0], 2^24", [&] { seldom(stream, n, 1022, found); },
       [&] { peerSeldom(pointer(n), 1022, pointer(foundPeer), count, native); }},
      {"half of all add to out[0], 2^24", [&] { seldom(stream, n, 511, found); },
       [&] { peerSeldom(pointer(n), 511, pointer(foundPeer), count, native); }},
      {"y[i] = s * x[i], s of an extent, 2^24", [&] { scaled(stream, v, w); },
       [&] { peerScaled(pointer(v), pointer(u), count, native); }},
      {"scan in one pass, 2^24, with clearing",
       [&] {
         clear(stream, ticket, states);
         scan(stream, sx, sy, ticket, states, sums, prefixes);
       },
       [&] { peerScan(scanned, result, pointer(work), scanBlocks, native); }},
  };
  sum.clear(), sumPeer.clear(), found.clear(), foundPeer.clear();
  for (const Row &row : all) {
    row.ours();
    row.theirs();
  }
  stream.synchronize();
  bool same = agree("stencil", y.read(), z.read(), 1e-6);
  same &= agree("blur", q.read(), r.read(), 1e-5);
  same &= agree("total", sum.read(), sumPeer.read(), 1e-4);
  same &= agree("seldom", found.read(), foundPeer.read(), 0);
  same &= agree("scaled", w.read(), u.read(), 1e-6);
  const std::vector<Four> ourScan = sy.read(), theirScan = sz.read();
  int32_t expected = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    expected += numbers[i];
    if (ourScan[i / 4][unsigned(i % 4)] != expected ||
        theirScan[i / 4][unsigned(i % 4)] != expected) {
      std::printf("scan: element %zu differs\n", i);
      same = false;
      break;
    }
  }
  timing::printHead("sextant", "by hand");
  for (const Row &row : all)
    timing::printRow(row.name, device, stream, launchesPerRound, row.ours, row.theirs);
  std::printf("\n%s\n", same ? "results agree" : "RESULTS DIFFER");
  return same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) { return timing::mainOf("bench-cuda-grids", argc, argv, run); }
