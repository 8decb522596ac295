// The generated kernels as cases: which program runs which, and what is common to those.
#include "tests/conformance/Surface.h"

namespace conformance {

double toDouble(Half half) {
  const int exponent = half.bits >> 10 & 31, fraction = half.bits & 0x3FF;
  const double sign = half.bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent ? std::ldexp(fraction + 1024, exponent - 25) : std::ldexp(fraction, -24));
}

Half toHalf(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (value != value)
    return {0x7E00};
  if (magnitude == 0)
    return {sign};
  if (magnitude >= 65520) // half way from the largest to the next power
    return {uint16_t(sign | 0x7C00)};
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude < 2^exponent
  const int unit = std::max(exponent - 11, -24);
  const double steps = std::nearbyint(std::ldexp(magnitude, -unit)); // ties to even
  // Rounding up to 2048 carries into the exponent by itself.
  const unsigned bits =
      unit == -24 ? unsigned(steps) : (unsigned(unit + 24) << 10) + unsigned(steps);
  return {uint16_t(sign | bits)};
}

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
