// Kernels of rows.py beside C++ with OpenMP on as many threads. Each round times some launches of
// ours, then as many calls of the peer's; a pause between them lets the other's threads fall asleep
// (KMP_BLOCKTIME is set to 1 ms for it). Results are compared first.
//
//   bench-cpu-rows rows.sxt THREADS [rounds [word]]     only rows whose names have the word
#define SEXTANT_THROWS
#include "../comparison.h"
#include "rows-peers.h"
#include "sextant/sextant.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Floats = sextant::Array<float>;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

double least(const std::vector<double> &values) {
  return *std::min_element(values.begin(), values.end());
}

class Bench {
public:
  Bench(const char *module, int rounds, const char *word)
      : device(sextant::Device::open("cpu")), program(sextant::Module::open(module), device),
        stream(device.defaultStream()), rounds(rounds), word(word) {
    std::printf("%s, %u threads, %s; us of a launch, medians of %d rounds in turn (least)\n\n",
                device.info().description, device.info().multiprocessors,
                program.kernel("saxpy").variant().c_str(), rounds);
    std::printf("| row | sextant | OpenMP | peer / ours | of the least |\n|---|---|---|---|---|\n");
  }

  template <class... Args> void launch(const char *name, const Args &...args) {
    if (name != current) { // who times a kernel has found it before
      current = name;
      kernel = program.kernel(name);
    }
    kernel(stream, args...);
    stream.synchronize();
  }

  void row(const char *name, const std::function<void()> &ours, const std::function<void()> &peer) {
    if (!std::strstr(name, word))
      return;
    constexpr double batch = 2000; // us
    std::vector<double> us, them, ratios;
    auto time = [&](const std::function<void()> &body, int calls) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      body(); // wakes the threads
      return comparison::hostTime(device, calls, body);
    };
    // The least of some: a round of few launches would time how threads are woken.
    double brief = batch;
    for (int i = 0; i < 5; ++i)
      brief = std::min(brief, time(comparison::isOn() ? ours : peer, 3));
    const int calls = int(std::clamp(batch / brief, 1.0, 200.0));
    if (comparison::takes(name, [&] { return time(ours, calls); }))
      return;
    for (int i = 0; i < rounds; ++i) {
      us.push_back(time(ours, calls));
      them.push_back(time(peer, calls));
      ratios.push_back(them.back() / us.back());
    }
    std::printf("| %-26s | %8.1f (%.1f) | %8.1f (%.1f) | %5.2f | %5.2f |\n", name, median(us),
                least(us), median(them), least(them), median(ratios), least(them) / least(us));
    std::fflush(stdout);
  }

  /// Ends the program unless the numbers are the same but for rounding.
  static void expectNear(const std::vector<float> &ours, const std::vector<float> &peer,
                         const char *what) {
    for (size_t i = 0; i < peer.size(); ++i)
      if (!(std::abs(ours[i] - peer[i]) <= 1e-4f * (1 + std::abs(peer[i])))) {
        std::fprintf(stderr, "%s: element %zu is %g, should be %g\n", what, i, ours[i], peer[i]);
        std::exit(1);
      }
  }

  sextant::Device device;
  sextant::Program program;
  sextant::Stream stream;
  const char *current = nullptr;
  sextant::Kernel kernel;
  int rounds;
  const char *word;
};

std::mt19937 bits(7);

std::vector<float> reals(size_t count) {
  std::vector<float> values(count);
  for (float &value : values)
    value = float(bits() % 1000) / 512;
  return values;
}

void grids(Bench &bench) {
  for (int n : {128, 100, 64}) {
    std::vector<float> x = reals(size_t(n) * n * n), y(x.size());
    sextant::Array<float, 3> dX(bench.device, {n, n, n}), dY(bench.device, {n, n, n});
    dX.write(x);
    auto ours = [&] { bench.launch("stencil7", dX, dY); };
    auto peer = [&] { rows::stencil7(x.data(), y.data(), n, n, n); };
    ours(), peer();
    Bench::expectNear(dY.read(), y, "stencil7");
    bench.row(("stencil7 " + std::to_string(n) + "^3").c_str(), ours, peer);
  }
  for (int n : {1024, 1000, 256}) {
    std::vector<float> x = reals(size_t(n) * n), y(x.size());
    sextant::Array<float, 2> dX(bench.device, {n, n}), dY(bench.device, {n, n});
    dX.write(x);
    auto blur = [&] { bench.launch("blur3", dX, dY); };
    auto blurPeer = [&] { rows::blur3(x.data(), y.data(), n, n); };
    blur(), blurPeer();
    Bench::expectNear(dY.read(), y, "blur3");
    bench.row(("blur3 " + std::to_string(n) + "^2").c_str(), blur, blurPeer);
    auto transform = [&] { bench.launch("transform", dX, dY); };
    auto transformPeer = [&] { rows::transform(x.data(), y.data(), n, n); };
    transform(), transformPeer();
    Bench::expectNear(dY.read(), y, "transform");
    bench.row(("transform " + std::to_string(n) + "^2").c_str(), transform, transformPeer);
    auto transpose = [&] { bench.launch("transpose", dX, dY); };
    auto transposePeer = [&] { rows::transpose(x.data(), y.data(), n); };
    transpose(), transposePeer();
    Bench::expectNear(dY.read(), y, "transpose");
    bench.row(("transpose " + std::to_string(n) + "^2").c_str(), transpose, transposePeer);
  }
}

/// An array of vectors over an array of numbers.
template <unsigned N> sextant::ArrayView<sextant::Vector<float, N>> vectors(const Floats &array) {
  return {array.buffer().get(), {array.size() / N}, 0};
}

void structs(Bench &bench, int log2) {
  const int n = 1 << log2;
  const std::string size = " 2^" + std::to_string(log2);
  std::vector<float> x = reals(4 * n), y(x.size() / 4), z = reals(4 * n), mass = reals(n);
  Floats dX(bench.device, x), dY(bench.device, int64_t(n)), dZ(bench.device, z),
      dMass(bench.device, mass);
  auto reduce = [&] { bench.launch("reduce4", vectors<4>(dX), dY); };
  auto reducePeer = [&] { rows::reduce4(x.data(), y.data(), n); };
  reduce(), reducePeer();
  Bench::expectNear(dY.read(), y, "reduce4");
  bench.row(("reduce4" + size).c_str(), reduce, reducePeer);
  auto saxpy = [&] { bench.launch("saxpy4", 1e-6f, vectors<4>(dX), vectors<4>(dZ)); };
  auto saxpyPeer = [&] { rows::saxpy(1e-6f, x.data(), z.data(), 4 * n); };
  saxpy(), saxpyPeer();
  Bench::expectNear(dZ.read(), z, "saxpy4");
  bench.row(("saxpy of vec4" + size).c_str(), saxpy, saxpyPeer);
  std::vector<float> pos = reals(3 * n), vel = reals(3 * n);
  Floats dPos(bench.device, pos), dVel(bench.device, vel);
  auto move = [&] { bench.launch("particles", vectors<3>(dPos), vectors<3>(dVel), dMass, 1e-6f); };
  auto movePeer = [&] { rows::particles(pos.data(), vel.data(), mass.data(), 1e-6f, n); };
  move(), movePeer();
  Bench::expectNear(dPos.read(), pos, "particles");
  Bench::expectNear(dVel.read(), vel, "particles");
  bench.row(("particles" + size).c_str(), move, movePeer);
}

void products4(Bench &bench) {
  for (int log2 : {11, 16}) {
    const int n = 1 << log2;
    std::vector<float> x = reals(16 * n), y = reals(16 * n), z(size_t(16) * n);
    Floats dX(bench.device, x), dY(bench.device, y), dZ(bench.device, z);
    using Matrices = sextant::ArrayView<sextant::Matrix<float, 4, 4>>;
    auto matrices = [n](const Floats &array) { return Matrices{array.buffer().get(), {n}, 0}; };
    auto ours = [&] { bench.launch("product4", matrices(dX), matrices(dY), matrices(dZ)); };
    auto peer = [&] { rows::product4(x.data(), y.data(), z.data(), n); };
    ours(), peer();
    Bench::expectNear(dZ.read(), z, "product4");
    bench.row(("products of mat4 2^" + std::to_string(log2)).c_str(), ours, peer);
  }
}

void sums(Bench &bench) {
  constexpr int n = 1 << 22;
  std::vector<float> x = reals(n);
  Floats dX(bench.device, x), dOut(bench.device, std::vector<float>{0});
  float out = 0;
  auto total = [&] { bench.launch("total", dX, dOut); };
  auto totalPeer = [&] { out = rows::total(x.data(), n); };
  total(), totalPeer();
  Bench::expectNear(dOut.read(), {out}, "total");
  bench.row("sum of f32 2^22", total, totalPeer);
  for (int size : {16, 256, 4096, 1 << 20}) {
    std::vector<int32_t> at(n), counts(size), ours(size);
    for (int32_t &each : at)
      each = int32_t(bits() % unsigned(size));
    sextant::Array<int32_t> dAt(bench.device, at), dCounts(bench.device, counts);
    auto bins = [&] { bench.launch("bins", dAt, dCounts); };
    auto binsPeer = [&] { rows::bins(at.data(), counts.data(), size, n); };
    bins(), binsPeer();
    if (dCounts.read() != counts) {
      std::fprintf(stderr, "bins: results differ\n");
      std::exit(1);
    }
    bench.row(("bins " + std::to_string(size) + " 2^22").c_str(), bins, binsPeer);
  }
}

void products(Bench &bench) {
  constexpr int n = 512;
  std::vector<float> a = reals(n * n), b = reals(n * n), c(n * n);
  sextant::Array<float, 2> dA(bench.device, {n, n}), dB(bench.device, {n, n}),
      dC(bench.device, {n, n});
  dA.write(a);
  dB.write(b);
  auto peer = [&] { rows::matmul(a.data(), b.data(), c.data(), n); };
  peer();
  for (const char *name : {"matmul_tiled", "matmul_registers", "matmul_blocks"}) {
    auto ours = [&] { bench.launch(name, dA, dB, dC); };
    ours();
    Bench::expectNear(dC.read(), c, name);
    bench.row((name + std::string(" 512")).c_str(), ours, peer);
  }
}

void sparse(Bench &bench) {
  constexpr int n = 1 << 16;
  std::vector<int32_t> begin{0}, column;
  for (int row = 0; row < n; ++row) {
    begin.push_back(begin.back() + int32_t(8 + bits() % 17));
    while (int32_t(column.size()) < begin.back())
      column.push_back(int32_t((unsigned(row) + bits() % 512) % n));
  }
  std::vector<float> value = reals(column.size()), x = reals(n), y(n);
  sextant::Array<int32_t> dBegin(bench.device, begin), dColumn(bench.device, column);
  Floats dValue(bench.device, value), dX(bench.device, x), dY(bench.device, int64_t(n));
  auto ours = [&] { bench.launch("spmv", dBegin, dColumn, dValue, dX, dY); };
  auto peer = [&] { rows::spmv(begin.data(), column.data(), value.data(), x.data(), y.data(), n); };
  ours(), peer();
  Bench::expectNear(dY.read(), y, "spmv");
  bench.row("spmv by rows 2^16", ours, peer);
}

/// Costly rows lie together.
void mandelbrots(Bench &bench) {
  constexpr int limit = 256;
  for (int n : {1024, 512, 128}) {
    const int cols = n / 2 * 3;
    std::vector<int32_t> image(size_t(n) * cols);
    sextant::Array<int32_t, 2> dImage(bench.device, {n, cols});
    auto ours = [&] { bench.launch("mandelbrot", dImage, limit); };
    for (bool isDynamic : {true, false}) {
      auto peer = [&] { rows::mandelbrot(image.data(), n, cols, limit, isDynamic); };
      ours(), peer();
      size_t differing = 0; // a fused operation moves a few pixels at the set's edge
      const std::vector<int32_t> our = dImage.read();
      for (size_t i = 0; i < image.size(); ++i)
        differing += our[i] != image[i];
      if (differing > image.size() / 100) {
        std::fprintf(stderr, "mandelbrot: results differ\n");
        std::exit(1);
      }
      bench.row(("mandelbrot " + std::to_string(n) + (isDynamic ? " dynamic" : " static")).c_str(),
                ours, peer);
    }
  }
}

void radix(Bench &bench) {
  constexpr int tile = 256 * 16; // as in rows.py
  for (int log2 : {16, 20}) {
    const int n = 1 << log2;
    std::vector<uint32_t> keys(static_cast<size_t>(n)), out(keys.size());
    for (uint32_t &key : keys)
      key = uint32_t(bits());
    sextant::Array<uint32_t> dKeys(bench.device, keys), dOut(bench.device, int64_t(n));
    sextant::Array<int32_t> dCounts(bench.device, int64_t(n / tile * 256));
    auto ours = [&] {
      bench.launch("radix_count", dKeys, dCounts);
      bench.launch("radix_places", dCounts);
      bench.launch("radix_scatter", dKeys, dCounts, dOut);
    };
    auto peer = [&] { rows::radixPass(keys.data(), out.data(), n); };
    ours(), peer();
    if (dOut.read() != out) {
      std::fprintf(stderr, "radix pass: results differ\n");
      std::exit(1);
    }
    bench.row(("radix pass 2^" + std::to_string(log2)).c_str(), ours, peer);
  }
}

/// A launch of so much work: what is more than a thread's part of it is the launch's cost.
void forks(Bench &bench) {
  constexpr int size = 1 << 12;
  Floats dOut(bench.device, std::vector<float>(size));
  std::vector<float> out(size);
  for (int count : {0, 8, 64, 512}) {
    auto ours = [&] { bench.launch("steps", dOut, count); };
    auto peer = [&] { rows::steps(out.data(), size, count); };
    ours(), peer();
    Bench::expectNear(dOut.read(), out, "steps");
    bench.row(("steps " + std::to_string(count)).c_str(), ours, peer);
  }
}

void launches(Bench &bench) {
  for (int log2 : {10, 14, 16, 18, 22}) {
    const int n = 1 << log2;
    std::vector<float> x = reals(size_t(n)), y(size_t(n), 1);
    Floats dX(bench.device, x), dY(bench.device, y);
    auto ours = [&] { bench.launch("saxpy", 1e-6f, dX, dY); };
    auto peer = [&] { rows::saxpy(1e-6f, x.data(), y.data(), n); };
    ours(), peer();
    Bench::expectNear(dY.read(), y, "saxpy");
    bench.row(("saxpy 2^" + std::to_string(log2)).c_str(), ours, peer);
  }
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench-cpu-rows rows.sxt THREADS [rounds [word]]\n");
    return 2;
  }
  setenv("SEXTANT_CPU_THREADS", argv[2], 1);
  rows::setThreads(std::atoi(argv[2]));
  Bench bench(argv[1], argc > 3 ? std::atoi(argv[3]) : 41, argc > 4 ? argv[4] : "");
  grids(bench);
  for (int log2 : {18, 16, 14})
    structs(bench, log2);
  products4(bench);
  sums(bench);
  products(bench);
  sparse(bench);
  radix(bench);
  mandelbrots(bench);
  forks(bench);
  launches(bench);
  return 0;
} catch (const sextant::Error &error) {
  std::fprintf(stderr, "bench-cpu-rows: %s\n", error.what());
  return 1;
}
