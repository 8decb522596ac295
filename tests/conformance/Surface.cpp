// The generated kernels as cases: which program runs which, and what is common to those.
#include "tests/conformance/Surface.h"

namespace conformance {

template <class T> double toDouble(T real) {
  constexpr int bits = fractionBits<T>, special = 2 * biasOf<T> + 1, top = 8 * sizeof(T) - 1;
  const int exponent = real.bits >> bits & special, fraction = real.bits & ((1 << bits) - 1);
  const double sign = real.bits >> top ? -1 : 1;
  const bool isE4M3 = std::is_same_v<T, Float8E4M3>; // it has no infinities, and one NaN
  if (exponent == special && (!isE4M3 || fraction == (1 << bits) - 1))
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  const int place = 1 - biasOf<T> - bits;
  return sign * (exponent ? std::ldexp(fraction + (1 << bits), place + exponent - 1)
                          : std::ldexp(fraction, place));
}

template <class T> T rounded(double value) {
  using Bits = decltype(T::bits);
  constexpr int bits = fractionBits<T>, bias = biasOf<T>, place = 1 - bias - bits;
  const auto sign = unsigned(std::signbit(value)) << (8 * sizeof(T) - 1);
  const auto infinity = unsigned(2 * bias + 1) << bits;
  double magnitude = std::fabs(value);
  if (value != value)
    return {Bits(sizeof(T) == 1 ? sign | 0x7F : infinity | 1u << (bits - 1))};
  if (sizeof(T) == 1)
    magnitude = std::fmin(magnitude, bits == 3 ? 448 : 57344);
  if (magnitude == 0)
    return {Bits(sign)};
  // Half way from the largest number to the next power of two.
  if (sizeof(T) == 2 && magnitude >= std::ldexp(1, bias + 1) - std::ldexp(1, bias - bits - 1))
    return {Bits(sign | infinity)};
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude < 2^exponent
  const int unit = std::max(exponent - bits - 1, place);
  const double steps = std::nearbyint(std::ldexp(magnitude, -unit)); // ties to even
  // Rounding up to the next power carries into the exponent by itself.
  const unsigned all =
      unit == place ? unsigned(steps) : (unsigned(unit - place) << bits) + unsigned(steps);
  return {Bits(sign | all)};
}

#define SMALL_REAL(T)                                                                              \
  template double toDouble(T);                                                                     \
  template T rounded<T>(double);
SMALL_REAL(Half)
SMALL_REAL(Bfloat16)
SMALL_REAL(Float8E4M3)
SMALL_REAL(Float8E5M2)
#undef SMALL_REAL

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
