// AMD kernels beside the same algorithms in OpenCL C: both run on the same data, and results are
// compared. Under amdsim with AMDSIM_STATS=1, each launch prints its instructions to stderr, ours
// and the peer's in turn; run.sh makes the table.
//
//   bench-amdgpu kernels.sxt peers.hsaco
#define SEXTANT_THROWS
#include "sextant/sextant.hpp"

#include <cmath>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

constexpr unsigned block = 128; ///< threads, as kernels without loop_config() have

/// The three functions of HIP that load and launch the peers.
struct Hip {
  Hip() {
    void *library = dlopen("libamdhip64.so", RTLD_NOW);
    if (!library)
      throw std::runtime_error(dlerror());
    load = reinterpret_cast<decltype(load)>(dlsym(library, "hipModuleLoadData"));
    find = reinterpret_cast<decltype(find)>(dlsym(library, "hipModuleGetFunction"));
    launch = reinterpret_cast<decltype(launch)>(dlsym(library, "hipModuleLaunchKernel"));
  }
  int (*load)(void **, const void *) = nullptr;
  int (*find)(void **, void *, const char *) = nullptr;
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                void *stream, void **arguments, void **extra) = nullptr;
};

/// A number as a peer takes it.
template <class T> struct Peer {
  explicit Peer(T value) : value(value) {}
  void add(std::vector<void *> &list) { list.push_back(&value); }
  T value;
};

/// An array: its address and its extents.
template <class T, unsigned N> struct Peer<sextant::Array<T, N>> {
  explicit Peer(const sextant::Array<T, N> &array)
      : address(reinterpret_cast<void *>(array.buffer().address())) {
    for (unsigned k = 0; k < N; ++k)
      extents[k] = int(array.shape()[k]);
  }
  void add(std::vector<void *> &list) {
    list.push_back(&address);
    for (int &extent : extents)
      list.push_back(&extent);
  }
  void *address;
  int extents[N];
};

/// A peer's grid.
struct Grid {
  unsigned x, y = 1, z = 1;
  unsigned width = 256, height = 1; ///< threads of a block
};

struct Bench {
  sextant::Device device = sextant::Device::open("hip");
  sextant::Stream stream = device.createStream();
  sextant::Program program;
  Hip hip;
  void *peers = nullptr;
  bool same = true;

  Bench(const char *module, const std::string &code)
      : program(sextant::Module::open(module), device) {
    if (hip.load(&peers, code.data()))
      throw std::runtime_error("the peers do not load");
  }

  template <class... Args> void ours(const char *name, const Args &...args) {
    program.kernel(name)(stream, args...);
    stream.synchronize();
  }
  template <class... Args> void theirs(const char *name, const Grid &grid, const Args &...args) {
    void *function = nullptr;
    if (hip.find(&function, peers, name))
      throw std::runtime_error(std::string("no peer ") + name);
    std::tuple arguments{Peer<Args>(args)...};
    std::vector<void *> list;
    std::apply([&](auto &...each) { (each.add(list), ...); }, arguments);
    if (hip.launch(function, grid.x, grid.y, grid.z, grid.width, grid.height, 1, 0, stream.native(),
                   list.data(), nullptr))
      throw std::runtime_error(std::string(name) + ": the peer does not run");
    stream.synchronize();
  }
  template <class Out> void expectSame(const char *name, const Out &out, const Out &peerOut) {
    const auto mine = out.read(), theirs = peerOut.read();
    const auto *a = reinterpret_cast<const float *>(mine.data());
    const auto *b = reinterpret_cast<const float *>(theirs.data());
    for (size_t k = 0; k < mine.size() * sizeof(mine[0]) / sizeof(float); ++k)
      if (!(std::fabs(a[k] - b[k]) <= 1e-4f * (1 + std::fabs(b[k])))) {
        std::printf("%s differs at %zu: %g, peer %g\n", name, k, a[k], b[k]);
        same = false;
        break;
      }
  }

  /// Launches a kernel and its peer, which write `out` and `peerOut`.
  template <class Out, class... Ins>
  void compare(const char *name, const Grid &grid, const Out &out, const Out &peerOut,
               const Ins &...ins) {
    ours(name, ins..., out);
    theirs(name, grid, ins..., peerOut);
    expectSame(name, out, peerOut);
  }
  template <class Out, class... Ins>
  void compare(const char *name, unsigned threads, const Out &out, const Out &peerOut,
               const Ins &...ins) {
    compare(name, Grid{(threads + block - 1) / block, 1, 1, block}, out, peerOut, ins...);
  }
};

/// Numbers from `least` on, below `least` + 1.
template <class T, unsigned N> void fill(const sextant::Array<T, N> &array, float least) {
  std::vector<T> values(size_t(array.size()));
  auto *scalars = reinterpret_cast<float *>(values.data());
  for (size_t k = 0; k < values.size() * sizeof(T) / sizeof(float); ++k)
    scalars[k] = least + float((unsigned(k) * 2654435761u) >> 8) / float(1 << 24);
  array.write(values);
}

int run(const char *module, const std::string &code) {
  using Vec4 = sextant::Vector<float, 4>;
  using Mat4 = sextant::Matrix<float, 4, 4>;
  Bench bench(module, code);
  const sextant::Device &d = bench.device;
  constexpr int rows = 256, cols = 96, n = 2048, bodies = 256;

  sextant::Array<float, 2> x(d, {rows, cols}), out(d, {rows, cols}), peerOut(d, {rows, cols}),
      turned(d, {cols, rows}), peerTurned(d, {cols, rows}), product(d, {rows, rows}),
      peerProduct(d, {rows, rows}), y(d, {cols, rows});
  sextant::Array<float> sums(d, rows), peerSums(d, rows);
  fill(x, -0.5f);
  fill(y, -0.5f);
  fill(out, 0);
  fill(peerOut, 0);
  bench.compare("row_sums", rows, sums, peerSums, x);
  bench.compare("stencil", rows * cols, out, peerOut, x);
  bench.compare("softmax", rows, out, peerOut, x);
  bench.compare("layernorm", rows, out, peerOut, x);
  bench.compare("transpose", rows * cols, turned, peerTurned, x);
  bench.compare("matmul", rows * rows / 16, product, peerProduct, x, y);

  sextant::Array<float> price(d, n), strike(d, n), years(d, n), call(d, n), peerCall(d, n);
  fill(price, 1);
  fill(strike, 1);
  fill(years, 0.1f);
  bench.compare("black_scholes", n, call, peerCall, price, strike, years);

  sextant::Array<Mat4> a(d, n), b(d, n), c(d, n), peerC(d, n);
  fill(a, -0.5f);
  fill(b, -0.5f);
  bench.compare("mat4_product", n, c, peerC, a, b);

  sextant::Array<Vec4> body(d, bodies), force(d, bodies), peerForce(d, bodies);
  fill(body, -0.5f);
  bench.compare("nbody", bodies, force, peerForce, body);

  using Vec3 = sextant::Vector<float, 3>;
  constexpr unsigned blocks = n / 256;
  // So many numbers that blocks take several turns.
  constexpr unsigned many = 1 << 20;
  sextant::Array<float> numbers(d, many), sum(d, 1), peerSum(d, 1);
  fill(numbers, -0.5f);
  fill(sum, 0);
  fill(peerSum, 0);
  bench.compare("total", Grid{many / 256}, sum, peerSum, numbers);

  sextant::Array<Vec3> velocity(d, n), peerVelocity(d, n), place(d, n), peerPlace(d, n);
  for (const auto *each : {&velocity, &peerVelocity})
    fill(*each, -0.5f);
  for (const auto *each : {&place, &peerPlace})
    fill(*each, 0);
  bench.ours("particles", 0.5f, velocity, place);
  bench.theirs("particles", {blocks}, 0.5f, peerVelocity, peerPlace);
  bench.expectSame("particles", velocity, peerVelocity);
  bench.expectSame("particles", place, peerPlace);

  bench.compare("transpose_tiles", Grid{cols / 32, rows / 32, 1, 32, 8}, turned, peerTurned, x);
  bench.compare("mandelbrot", Grid{(cols + 63) / 64, rows / 4, 1, 64, 4}, out, peerOut, 20);

  constexpr unsigned edge = 18, length = 66;
  sextant::Array<float, 3> space(d, {edge, edge, length}), next(d, {edge, edge, length}),
      peerNext(d, {edge, edge, length});
  for (const auto *each : {&space, &next, &peerNext})
    fill(*each, 0);
  bench.compare("stencil7", Grid{1, 4, 16, 64, 4}, next, peerNext, space);

  sextant::Array<float> table(d, 1000), places(d, n), peerPlaces(d, n);
  std::vector<float> sorted(1000);
  for (size_t k = 0; k < sorted.size(); ++k)
    sorted[k] = 1 + float(k) / 1000;
  table.write(sorted);
  bench.compare("lower_bound", Grid{blocks}, places, peerPlaces, table, price);
  return bench.same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench-amdgpu kernels.sxt peers.hsaco\n");
    return 2;
  }
  try {
    std::ifstream file(argv[2], std::ios::binary);
    return run(argv[1], {std::istreambuf_iterator<char>(file), {}});
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-amdgpu: %s\n", error.what());
    return 1;
  }
}
