// Kernels of ispc.py beside the same in ISPC, on one thread, at each level of x86-64 that this
// machine has. Both are measured twice: as they are by default, and with fast math. Each round
// times all in turn, so that a drift of the machine's speed meets all. Results are compared first.
//
//   bench-cpu-ispc EXACT.sxt FAST.sxt [rounds [word]]    only rows whose names have the word
#define SEXTANT_THROWS
#include "sextant/sextant.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

/// A function of ispc-peers.ispc, for AVX2 and AVX-512, by default and with fast math.
#define PEER(NAME, ...)                                                                            \
  extern "C" void NAME##_v3_exact(__VA_ARGS__), NAME##_v3_fast(__VA_ARGS__),                       \
      NAME##_v4_exact(__VA_ARGS__), NAME##_v4_fast(__VA_ARGS__);                                   \
  static constexpr Peer<void(__VA_ARGS__)> NAME = {{NAME##_v3_exact, NAME##_v3_fast},              \
                                                   {NAME##_v4_exact, NAME##_v4_fast}};

namespace peers {
template <class F> struct Peer {
  F *v3[2], *v4[2];
};
using In = const float *;
PEER(black_scholes, In, In, In, float *, int)
PEER(binomial, In, In, In, float *, int)
PEER(bodies, In, In, In, In, float *, float *, float *, int)
PEER(bodies_divided, In, In, In, In, float *, float *, float *, int)
PEER(rays, In, In, In, In, float *, int, int, int)
PEER(mandelbrot, int *, int, int, int)
PEER(noise, float *, In, int, int)
} // namespace peers

namespace {

using Floats = sextant::Array<float>;

/// The microseconds that this process has had on the processor. Other programs may run beside it.
double processorTime() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e6 + double(time.tv_nsec) / 1e3;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

std::mt19937 bits(7);

std::vector<float> reals(size_t count, float least, float most) {
  std::vector<float> values(count);
  for (float &value : values)
    value = least + (most - least) * float(bits() % 65536) / 65536;
  return values;
}

class Bench {
public:
  Bench(char **modules, bool isV4, int rounds, const char *word)
      : device(sextant::Device::open("cpu")), isV4(isV4), rounds(rounds), word(word),
        programs{open(modules[0]), open(modules[1])} {
    std::printf("\nx86-64-v%d; us of a launch on the processor, medians of %d rounds (least)\n\n"
                "| row | Sextant | ISPC | Sextant, fast | ISPC, fast | ISPC / Sextant | fast |\n"
                "|---|---|---|---|---|---|---|\n",
                isV4 ? 4 : 3, rounds);
  }

  /// One row. `peer` is called with one of ISPC's two functions.
  template <class T, class F, unsigned N, class... Args>
  void row(const char *name, sextant::Array<T, N> &result, const peers::Peer<F> &functions,
           std::vector<T> &expected, const std::function<void(F *)> &peer, const Args &...args) {
    if (!std::strstr(name, word))
      return;
    const sextant::Stream stream = device.defaultStream();
    std::array<std::function<void()>, 4> bodies;
    std::array<sextant::Kernel, 2> kernels;
    for (size_t fast : {0, 1}) {
      kernels[fast] = programs[fast].kernel(name);
      bodies[2 * fast] = [&, fast] {
        kernels[fast](stream, args...);
        stream.synchronize();
      };
      bodies[2 * fast + 1] = [&, fast] { peer((isV4 ? functions.v4 : functions.v3)[fast]); };
      bodies[2 * fast]();
      bodies[2 * fast + 1]();
      expectNear(result.read(), expected, name);
    }
    std::array<std::vector<double>, 4> times;
    for (int round = 0; round < rounds; ++round)
      for (size_t i = 0; i < 4; ++i) {
        const double begin = processorTime();
        bodies[i]();
        times[i].push_back(processorTime() - begin);
      }
    std::array<double, 4> us, least;
    std::printf("| %-14s |", name);
    for (size_t i = 0; i < 4; ++i) {
      us[i] = median(times[i]);
      least[i] = *std::min_element(times[i].begin(), times[i].end());
      std::printf(" %.0f (%.0f) |", us[i], least[i]);
    }
    for (size_t i : {0, 2})
      std::printf(" %.2f (%.2f) |", us[i + 1] / us[i], least[i + 1] / least[i]);
    std::printf("\n");
    std::fflush(stdout);
  }

  sextant::Device device;

private:
  sextant::Program open(const char *module) const {
    return {sextant::Module::open(module), device,
            std::string("cpu:x86-64-") + (isV4 ? "v4" : "v3"), 0};
  }

  /// Ends the program unless 99 of 100 numbers are the same but for rounding. A ray may meet
  /// another sphere, and a point leave the Mandelbrot set a step later.
  template <class T>
  static void expectNear(const std::vector<T> &ours, const std::vector<T> &peer, const char *what) {
    size_t differing = 0;
    for (size_t i = 0; i < peer.size(); ++i)
      differing += !(std::abs(double(ours[i] - peer[i])) <= 1e-4 * (1 + std::abs(double(peer[i]))));
    if (differing <= peer.size() / 100)
      return;
    std::fprintf(stderr, "%s: %zu of %zu results differ\n", what, differing, peer.size());
    std::exit(1);
  }

  bool isV4;
  int rounds;
  const char *word;
  std::array<sextant::Program, 2> programs;
};

void options(Bench &bench) {
  for (const bool isTree : {false, true}) {
    const size_t count = isTree ? 1 << 12 : 1 << 16;
    const std::vector<float> price = reals(count, 5, 30), strike = reals(count, 5, 30),
                             years = reals(count, 0.25f, 10);
    std::vector<float> call(count);
    Floats dPrice(bench.device, price), dStrike(bench.device, strike), dYears(bench.device, years),
        dCall(bench.device, int64_t(count));
    bench.row<float, void(peers::In, peers::In, peers::In, float *, int)>(
        isTree ? "binomial" : "black_scholes", dCall,
        isTree ? peers::binomial : peers::black_scholes, call,
        [&](auto *peer) {
          peer(price.data(), strike.data(), years.data(), call.data(), int(count));
        },
        dPrice, dStrike, dYears, dCall);
  }
}

void forces(Bench &bench) {
  const size_t count = 1 << 11;
  std::array<std::vector<float>, 4> in;
  for (std::vector<float> &each : in)
    each = reals(count, -1, 1);
  for (float &mass : in[3])
    mass = (mass + 2) / float(count);
  std::array<std::vector<float>, 3> out;
  out.fill(std::vector<float>(count));
  Floats x(bench.device, in[0]), y(bench.device, in[1]), z(bench.device, in[2]),
      mass(bench.device, in[3]), ax(bench.device, out[0]), ay(bench.device, out[1]),
      az(bench.device, out[2]);
  for (const bool divides : {false, true})
    bench.row<float,
              void(peers::In, peers::In, peers::In, peers::In, float *, float *, float *, int)>(
        divides ? "bodies_divided" : "bodies", ax, divides ? peers::bodies_divided : peers::bodies,
        out[0],
        [&](auto *peer) {
          peer(in[0].data(), in[1].data(), in[2].data(), in[3].data(), out[0].data(), out[1].data(),
               out[2].data(), int(count));
        },
        x, y, z, mass, ax, ay, az);
}

void images(Bench &bench) {
  constexpr int rows = 256, cols = 384, spheres = 64, limit = 256;
  const std::vector<float> cx = reals(spheres, -5, 5), cy = reals(spheres, -5, 5),
                           cz = reals(spheres, 4, 12), radius = reals(spheres, 0.3f, 1.2f),
                           table = reals(256, 0, 1);
  std::vector<float> image(size_t(rows) * cols);
  Floats dCx(bench.device, cx), dCy(bench.device, cy), dCz(bench.device, cz),
      dRadius(bench.device, radius), dTable(bench.device, table);
  sextant::Array<float, 2> dImage(bench.device, {rows, cols});
  sextant::Array<int32_t, 2> dCounts(bench.device, {rows, cols});
  std::vector<int32_t> counts(image.size());
  bench.row<float, void(peers::In, peers::In, peers::In, peers::In, float *, int, int, int)>(
      "rays", dImage, peers::rays, image,
      [&](auto *peer) {
        peer(cx.data(), cy.data(), cz.data(), radius.data(), image.data(), rows, cols, spheres);
      },
      dCx, dCy, dCz, dRadius, dImage);
  bench.row<int32_t, void(int *, int, int, int)>(
      "mandelbrot", dCounts, peers::mandelbrot, counts,
      [&](auto *peer) { peer(counts.data(), rows, cols, limit); }, dCounts, limit);
  bench.row<float, void(float *, peers::In, int, int)>(
      "noise", dImage, peers::noise, image,
      [&](auto *peer) { peer(image.data(), table.data(), rows, cols); }, dImage, dTable);
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench-cpu-ispc EXACT.sxt FAST.sxt [rounds [word]]\n");
    return 2;
  }
  setenv("SEXTANT_CPU_THREADS", "1", 1);
  __builtin_cpu_init();
  for (const bool isV4 : {false, true}) {
    if (!(isV4 ? __builtin_cpu_supports("avx512vl") : __builtin_cpu_supports("avx2")))
      continue;
    Bench bench(argv + 1, isV4, argc > 3 ? std::atoi(argv[3]) : 41, argc > 4 ? argv[4] : "");
    options(bench);
    forces(bench);
    images(bench);
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "bench-cpu-ispc: %s\n", error.what());
  return 1;
}
