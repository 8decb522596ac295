// The math functions beside libmvec's and SLEEF's, at the width of each level: 4, 8 and 16 lanes of
// f32, half as many of f64. A round times each in turn, so that a drift of the machine's speed
// meets all; the best round counts. Errors are against the C library's functions of long double, on
// the same numbers.
//
//   bench-cpu-math FOLDER [rounds [word]]
//
// FOLDER has functions_f32.sxt and functions_f64.sxt, of tests/math/functions.py. Only functions
// whose names have the word are measured. SLEEF is left out where its library is not installed.
#define SEXTANT_THROWS
#include "sextant/sextant.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t count = 1 << 16;
constexpr int calls = 8; ///< calls in a round, so that a thread that slept wakes once for all

struct Range {
  double low, high;
};

struct Function {
  const char *name;
  Range x, y; ///< y of functions of one operand: empty
  long double (*exact)(long double x, long double y);
  bool isBinary() const { return y.low < y.high; }
};

template <long double (*F)(long double)> long double one(long double x, long double) {
  return F(x);
}
long double inverseRoot(long double x, long double) { return 1 / std::sqrt(x); }

constexpr Function functions[] = {
    {"exp", {-20, 20}, {}, one<std::exp>},         {"exp2", {-20, 20}, {}, one<std::exp2>},
    {"log", {0.001, 1000}, {}, one<std::log>},     {"log2", {0.001, 1000}, {}, one<std::log2>},
    {"log10", {0.001, 1000}, {}, one<std::log10>}, {"pow", {0.01, 30}, {-4, 4}, std::pow},
    {"sin", {-100, 100}, {}, one<std::sin>},       {"cos", {-100, 100}, {}, one<std::cos>},
    {"tan", {-100, 100}, {}, one<std::tan>},       {"asin", {-1, 1}, {}, one<std::asin>},
    {"acos", {-1, 1}, {}, one<std::acos>},         {"atan", {-50, 50}, {}, one<std::atan>},
    {"atan2", {-50, 50}, {-50, 50}, std::atan2},   {"sinh", {-5, 5}, {}, one<std::sinh>},
    {"cosh", {-5, 5}, {}, one<std::cosh>},         {"tanh", {-3, 3}, {}, one<std::tanh>},
    {"rsqrt", {0.001, 1000}, {}, inverseRoot},
};

//===--- Peers -------------------------------------------------------------===//

template <class T>
using Loop = void (*)(void *function, bool isBinary, const T *x, const T *y, T *out);

// Calls the function on all vectors, or computes inverse roots without one.
#define LOOP(NAME, ISA, BYTES)                                                                     \
  template <class T>                                                                               \
  __attribute__((target(ISA))) void NAME(void *function, bool isBinary, const T *x, const T *y,    \
                                         T *out) {                                                 \
    using Vector __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias)) = T;           \
    for (size_t i = 0; i < count; i += BYTES / sizeof(T)) {                                        \
      Vector a = *reinterpret_cast<const Vector *>(x + i), result;                                 \
      if (!function)                                                                               \
        result = T(1) / __builtin_elementwise_sqrt(a);                                             \
      else if (isBinary)                                                                           \
        result = reinterpret_cast<Vector (*)(Vector, Vector)>(function)(                           \
            a, *reinterpret_cast<const Vector *>(y + i));                                          \
      else                                                                                         \
        result = reinterpret_cast<Vector (*)(Vector)>(function)(a);                                \
      *reinterpret_cast<Vector *>(out + i) = result;                                               \
    }                                                                                              \
  }
LOOP(overSse, "sse4.2", 16)
LOOP(overAvx2, "avx2,fma", 32)
LOOP(overAvx512, "avx512f,avx512vl,avx512dq", 64)

struct Level {
  const char *arch;
  unsigned bytes;
  char mvec; ///< libmvec's letter
  const char *sleef;
  bool isHere;
  template <class T> Loop<T> loop() const {
    return bytes == 16 ? overSse<T> : bytes == 32 ? overAvx2<T> : overAvx512<T>;
  }
};

std::vector<Level> levels() {
  __builtin_cpu_init();
  return {{"x86-64-v2", 16, 'b', "sse4", bool(__builtin_cpu_supports("sse4.2"))},
          {"x86-64-v3", 32, 'd', "avx2", bool(__builtin_cpu_supports("avx2"))},
          {"x86-64-v4", 64, 'e', "avx512f", bool(__builtin_cpu_supports("avx512vl"))}};
}

/// Returns null if the library, or the function in it, is not there.
void *find(const char *library, const std::string &symbol) {
  void *handle = dlopen(library, RTLD_NOW);
  return handle ? dlsym(handle, symbol.c_str()) : nullptr;
}

template <class T> void *mvec(const Level &level, const Function &function) {
  return find("libmvec.so.1", std::string("_ZGV") + level.mvec + "N" +
                                  std::to_string(level.bytes / sizeof(T)) +
                                  (function.isBinary() ? "vv_" : "v_") + function.name +
                                  (sizeof(T) == 4 ? "f" : ""));
}
template <class T> void *sleef(const Level &level, const Function &function, const char *bound) {
  return find("libsleef.so.3", std::string("Sleef_") + function.name +
                                   (sizeof(T) == 4 ? "f" : "d") +
                                   std::to_string(level.bytes / sizeof(T)) + bound + level.sleef);
}

//===--- One function ------------------------------------------------------===//

template <class T> std::vector<T> numbers(Range range, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::uniform_real_distribution<double> spread(range.low, std::max(range.low, range.high));
  std::vector<T> values(count);
  for (T &value : values)
    value = T(spread(bits));
  return values;
}

/// The largest error, in units of the last place.
template <class T>
double worst(const Function &function, const std::vector<T> &x, const std::vector<T> &y,
             const std::vector<T> &got) {
  double most = 0;
  for (size_t i = 0; i < count; ++i) {
    const long double want = function.exact(x[i], y[i]);
    int exponent = 0;
    std::frexp(want, &exponent);
    const long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
    most = std::max(most, double(std::abs((long double)got[i] - want) / unit));
  }
  return most;
}

struct Runner {
  std::function<void()> run;
  double error = 0;
  double nanoseconds = INFINITY; ///< an element, in the best round
};

void measure(std::vector<std::optional<Runner>> &runners, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (std::optional<Runner> &runner : runners) {
      if (!runner)
        continue;
      const Clock::time_point begin = Clock::now();
      runner->run();
      const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
      runner->nanoseconds = std::min(runner->nanoseconds, time.count() / calls / count);
    }
}

template <class T>
void row(const sextant::Device &device, const sextant::Program &program, const Level &level,
         const Function &function, int rounds) {
  const std::vector<T> x = numbers<T>(function.x, 1), y = numbers<T>(function.y, 2);
  std::vector<T> out(count);
  sextant::Array<T> ourX(device, std::span<const T>(x)), ourY(device, std::span<const T>(y)),
      ourOut(device, int64_t(count));
  sextant::Kernel kernel = program.kernel(function.name);
  const sextant::Stream stream = device.defaultStream();
  std::vector<std::optional<Runner>> runners;
  runners.push_back(Runner{[&] {
    for (int i = 0; i < calls; ++i)
      kernel(stream, ourX, ourY, ourOut);
    stream.synchronize();
  }});
  runners[0]->run();
  runners[0]->error = worst(function, x, y, ourOut.read());
  const bool isPlain = !std::strcmp(function.name, "rsqrt");
  for (void *peer : {mvec<T>(level, function), sleef<T>(level, function, "_u10"),
                     sleef<T>(level, function, "_u35")}) {
    if (!peer && !(isPlain && runners.size() == 1)) {
      runners.emplace_back();
      continue;
    }
    runners.push_back(Runner{[&, peer, loop = level.loop<T>()] {
      for (int i = 0; i < calls; ++i)
        loop(peer, function.isBinary(), x.data(), y.data(), out.data());
    }});
    runners.back()->run();
    runners.back()->error = worst(function, x, y, out);
  }
  measure(runners, rounds);
  std::printf("| %-5s |", function.name);
  for (const std::optional<Runner> &runner : runners)
    if (runner)
      std::printf(" %6.3f (%.2f) |", runner->nanoseconds, runner->error);
    else
      std::printf(" |");
  for (size_t i = 1; i < runners.size(); ++i)
    if (runners[i])
      std::printf(" %.2f |", runners[i]->nanoseconds / runners[0]->nanoseconds);
    else
      std::printf(" |");
  std::printf("\n");
  std::fflush(stdout);
}

template <class T>
void table(const std::string &folder, const Level &level, int rounds, const char *word) {
  const char *type = sizeof(T) == 4 ? "f32" : "f64";
  const sextant::Device device = sextant::Device::open("cpu");
  const sextant::Program program(sextant::Module::open(folder + "/functions_" + type + ".sxt"),
                                 device, std::string("cpu:") + level.arch, 0);
  std::printf("\n%s, %s, %zu lanes\n\n", level.arch, type, level.bytes / sizeof(T));
  std::printf(
      "| function | Sextant | libmvec | SLEEF 1.0 | SLEEF 3.5 | libmvec / ours | SLEEF 1.0 / "
      "ours | SLEEF 3.5 / ours |\n|---|---|---|---|---|---|---|---|\n");
  for (const Function &function : functions)
    if (std::strstr(function.name, word))
      row<T>(device, program, level, function, rounds);
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench-cpu-math FOLDER [rounds [word]]\n");
    return 2;
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 61;
  const char *word = argc > 3 ? argv[3] : "";
  setenv("SEXTANT_CPU_THREADS", "1", 1);
  std::printf("ns an element, the best of %d rounds in turn (largest error in ulp)\n", rounds);
  for (const Level &level : levels()) {
    if (!level.isHere)
      continue;
    table<float>(argv[1], level, rounds, word);
    table<double>(argv[1], level, rounds, word);
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "bench-cpu-math: %s\n", error.what());
  return 1;
}
