// The promises for each function on every target: the one place. Our own expansions, which CPUs
// and Vulkan have, need no more than 2 units for most, and 4 for tan; some of the devices' own
// functions need more. As a yardstick, OpenCL's full profile asks for 3 of exp and log, 4 of sin,
// cos, asin, acos, sinh and cosh, 5 of tan, atan and tanh, 6 of atan2, 16 of pow.
#include "tests/math/Functions.h"

#include <stdexcept>

namespace accuracy {

namespace {

struct Promise {
  const char *function;
  double ulps[formatCount]; ///< for f16, f32, f64
};

constexpr Promise promises[] = {
    {"sqrt", {0.5, 0.5, 0.5}},
    {"rsqrt", {0.51, 2, 2}},
    {"exp", {0.51, 2, 2}},
    {"exp2", {0.51, 3, 2}},
    {"log", {0.51, 2, 2}},
    {"log2", {0.51, 2, 2}},
    {"log10", {0.51, 3, 2}},
    {"sin", {0.51, 3, 4}},
    {"cos", {0.51, 3, 4}},
    {"tan", {0.51, 4, 4}},
    {"asin", {0.51, 3, 3}},
    {"acos", {0.51, 3, 2}},
    {"atan", {0.51, 3, 3}},
    {"sinh", {0.51, 3, 3}},
    {"cosh", {0.51, 3, 3}},
    {"tanh", {0.51, 2, 2}},
    {"floor", {0, 0, 0}},
    {"ceil", {0, 0, 0}},
    {"round", {0, 0, 0}},
    {"trunc", {0, 0, 0}},
    {"abs", {0, 0, 0}},
    {"min", {0, 0, 0}},
    {"max", {0, 0, 0}},
    {"divide", {0.5, 0.5, 0.5}},
    // Python's own way, whose quotient is one below the exact one here and there.
    {"floor_divide", {0.51, 2, 2}},
    {"modulo", {0.5, 0.5, 0.5}},
    {"atan2", {0.51, 4, 4}},
    {"pow", {0.51, 2, 2}},
    {"pow_int", {0.51, 2, 2}},
};

} // namespace

double promiseOf(const Function &function, const Format &format) {
  for (const Promise &promise : promises)
    if (std::string(function.name) == promise.function)
      return promise.ulps[&format - formats];
  throw std::runtime_error(std::string("nothing is promised of ") + function.name);
}

} // namespace accuracy
