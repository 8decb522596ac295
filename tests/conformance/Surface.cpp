// The generated kernels as cases: which program runs which, and what is common to those.
#include "tests/conformance/Surface.h"

namespace conformance {

namespace {

template <class T> double numberOf(T real) {
  constexpr int bits = fractionBits<T>, special = 2 * biasOf<T> + 1;
  const int exponent = real.bits >> bits & special, fraction = real.bits & ((1 << bits) - 1);
  const double sign = real.bits >> 15 ? -1 : 1;
  if (exponent == special)
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  const int place = 1 - biasOf<T> - bits;
  return sign * (exponent ? std::ldexp(fraction + (1 << bits), place + exponent - 1)
                          : std::ldexp(fraction, place));
}

template <class T> T nearest(double value) {
  constexpr int bits = fractionBits<T>, bias = biasOf<T>, place = 1 - bias - bits;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint16_t infinity = uint16_t((2 * bias + 1) << bits);
  const double magnitude = std::fabs(value);
  if (value != value)
    return {uint16_t(infinity | 1 << (bits - 1))};
  if (magnitude == 0)
    return {sign};
  // Half way from the largest number to the next power of two.
  if (magnitude >= std::ldexp(1, bias + 1) - std::ldexp(1, bias - bits - 1))
    return {uint16_t(sign | infinity)};
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude < 2^exponent
  const int unit = std::max(exponent - bits - 1, place);
  const double steps = std::nearbyint(std::ldexp(magnitude, -unit)); // ties to even
  // Rounding up to the next power carries into the exponent by itself.
  const unsigned all =
      unit == place ? unsigned(steps) : (unsigned(unit - place) << bits) + unsigned(steps);
  return {uint16_t(sign | all)};
}

} // namespace

double toDouble(Half half) { return numberOf(half); }
double toDouble(Bfloat16 bfloat) { return numberOf(bfloat); }
Half toHalf(double value) { return nearest<Half>(value); }
Bfloat16 toBfloat16(double value) { return nearest<Bfloat16>(value); }

std::string operatorOf(const std::string &name) {
  for (const char *generic : {"reduce", "reduce_all", "inclusive_scan", "exclusive_scan"})
    if (name == std::string("block.") + generic)
      return "then";
  const std::string base = name.substr(0, name.find('/'));
  return base.substr(base.rfind('_') + 1);
}

void addSurfaceCases(std::vector<Case> &cases) {
  for (const SurfaceKernel &kernel : surfaceKernels) {
    const std::string family = kernel.family;
    const auto addCase = [&](const std::string &dtype, std::function<void(Run &)> body) {
      const std::string name = std::string(kernel.op) + " " + dtype;
      cases.push_back({kernel.module, name, std::move(body), {}, kernel.op, dtype});
    };
    if (family == "sort") {
      for (const char *values : {"i32", "u32", "i64", "u64", "f32", "f64"})
        addCase(std::string(kernel.dtype) + "/" + values,
                [&kernel, values](Run &run) { runSort(run, kernel, values); });
      continue;
    }
    void (*run)(Run &, const SurfaceKernel &) = runTiles;
    if (family == "move")
      run = runMove;
    else if (family == "lane")
      run = runLane;
    else if (family == "ballot")
      run = runBallot;
    else if (family == "block_reduce" || family == "block_scan")
      run = runBlock;
    else if (family == "barrier")
      run = runBarrier;
    else if (family == "shared")
      run = runShared;
    else if (family == "load")
      run = runLoad;
    else if (family == "atomic")
      run = runAtomic;
    else if (family == "atomic_shared")
      run = runAtomicShared;
    addCase(kernel.dtype, [&kernel, run](Run &r) { run(r, kernel); });
  }
}

} // namespace conformance
