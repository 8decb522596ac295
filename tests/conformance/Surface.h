// The cases of the generated kernels: what their rows mean (generate.py), inputs, references.
#pragma once

#include "tests/conformance/Harness.h"

namespace conformance {

/// A generated kernel; the table of them is written by generate.py.
struct SurfaceKernel {
  const char *module, *kernel;
  const char *op; ///< as the frontend calls it; "/shared" on shared memory
  const char *dtype, *family;
  unsigned twist; ///< picks the tile of forms that have one
};
extern const std::vector<SurfaceKernel> surfaceKernels;

constexpr int32_t rounds = 3; ///< rounds of the kernels' loops
constexpr size_t threads = 512;

void runMove(Run &run, const SurfaceKernel &kernel);
void runTiles(Run &run, const SurfaceKernel &kernel);
void runLane(Run &run, const SurfaceKernel &kernel);
void runBallot(Run &run, const SurfaceKernel &kernel);
/// Keys of the kernel's type with values of another.
void runSort(Run &run, const SurfaceKernel &kernel, const std::string &values);
void runBlock(Run &run, const SurfaceKernel &kernel);
void runBarrier(Run &run, const SurfaceKernel &kernel);
void runShared(Run &run, const SurfaceKernel &kernel);
void runLoad(Run &run, const SurfaceKernel &kernel);
void runAtomic(Run &run, const SurfaceKernel &kernel);
void runAtomicShared(Run &run, const SurfaceKernel &kernel);

//===--- Element types -----------------------------------------------------===//

using sextant::Bfloat16;
using sextant::Float8E4M3;
using sextant::Float8E5M2;
using sextant::Half;

/// Bits of the fraction of reals of 16 and 8 bits, of which the host has only their bits, and the
/// exponent field's bias.
template <class T> constexpr int fractionBits = 0;
template <> inline constexpr int fractionBits<Half> = 10;
template <> inline constexpr int fractionBits<Bfloat16> = 7;
template <> inline constexpr int fractionBits<Float8E4M3> = 3;
template <> inline constexpr int fractionBits<Float8E5M2> = 2;
template <class T> constexpr bool isSmallReal = fractionBits<T> != 0;
template <class T> constexpr int biasOf = (1 << (8 * sizeof(T) - 2 - fractionBits<T>)) - 1;

/// Defined for reals of 16 and 8 bits.
template <class T> double toDouble(T real);
/// Rounded to the nearest, ties to even. Those of 8 bits saturate.
template <class T> T rounded(double value);
inline Half toHalf(double value) { return rounded<Half>(value); }

/// f(a value of the type).
template <class F> void withType(const std::string &dtype, F f) {
  if (dtype == "i32")
    f(int32_t{});
  else if (dtype == "u32")
    f(uint32_t{});
  else if (dtype == "i64")
    f(int64_t{});
  else if (dtype == "u64")
    f(uint64_t{});
  else if (dtype == "f32")
    f(float{});
  else if (dtype == "f64")
    f(double{});
  else
    throw Mismatch{"no type " + dtype};
}
/// The narrow ones too. A u1 is a byte, 0 or 1.
template <class F> void withAnyType(const std::string &dtype, F f) {
  if (dtype == "f16")
    f(Half{});
  else if (dtype == "bf16")
    f(Bfloat16{});
  else if (dtype == "f8e4m3")
    f(Float8E4M3{});
  else if (dtype == "f8e5m2")
    f(Float8E5M2{});
  else if (dtype == "i8")
    f(int8_t{});
  else if (dtype == "u8")
    f(uint8_t{});
  else if (dtype == "i16")
    f(int16_t{});
  else if (dtype == "u16")
    f(uint16_t{});
  else if (dtype == "u1")
    f(bool{});
  else
    withType(dtype, f);
}

template <class T> constexpr bool isReal = std::is_floating_point_v<T> || isSmallReal<T>;

//===--- Operators ---------------------------------------------------------===//

/// The last word of an operation's name: "add" of "inclusive_add".
std::string operatorOf(const std::string &name);

template <class T> T combine(const std::string &op, T a, T b) {
  if constexpr (isSmallReal<T>) {
    return rounded<T>(combine(op, toDouble(a), toDouble(b)));
  } else {
    if (op == "add")
      return add(a, b);
    if (op == "sub")
      return subtract(a, b);
    if (op == "mul")
      return multiply(a, b);
    if (op == "min")
      return minimum(a, b);
    if (op == "max")
      return maximum(a, b);
    if (op == "exchange")
      return b;
    if constexpr (std::is_integral_v<T>) {
      if (op == "and")
        return a & b;
      if (op == "or")
        return a | b;
      if (op == "xor")
        return a ^ b;
      if (op == "then") { // affine maps modulo 65536: f, and then g
        const uint32_t f = uint32_t(a), g = uint32_t(b);
        const uint32_t factor = (f >> 16) * (g >> 16);
        const uint32_t offset = (f & 0xFFFF) * (g >> 16) + (g & 0xFFFF);
        const uint32_t result = factor << 16 | (offset & 0xFFFF);
        return std::is_signed_v<T> && sizeof(T) == 4 ? T(int32_t(result)) : T(result);
      }
    } else if (op == "then") {
      return b != 0 ? b : a;
    }
    throw Mismatch{"no reference for " + op};
  }
}
/// The value that `combine` starts from.
template <class T> T identityOf(const std::string &op) {
  if (op == "mul")
    return T(1);
  if (op == "min")
    return highest<T>();
  if (op == "max")
    return lowest<T>();
  if (op == "then") // the kernel passes it
    return T(0x10000);
  if constexpr (std::is_integral_v<T>)
    if (op == "and")
      return T(~T(0));
  return T(0);
}

//===--- Inputs ------------------------------------------------------------===//

/// Values to try an operation on, and how far off results may be.
template <class T> struct Input {
  std::string name;
  std::vector<T> values;
  bool anyOrder = false; ///< a sum or product that rounds: compare within the bound of any order
};

/// Signaling NaNs become quiet: arithmetic may quieten them, min and max may not ignore them.
template <class T> std::vector<T> quiet(std::vector<T> values) {
  if constexpr (std::is_floating_point_v<T>)
    for (T &value : values)
      if (value != value)
        value = std::numeric_limits<T>::quiet_NaN();
  return values;
}

/// Inputs for an operator: each has one right result up to the sign of a zero, whatever the
/// order of the fold, but for the last, whose results are off by at most the bound of any order.
template <class T> std::vector<Input<T>> inputsFor(Run &run, const std::string &op, size_t count) {
  std::vector<Input<T>> inputs;
  if (op == "then") {
    std::vector<T> values = small<T>(run, count);
    for (T &value : values) {
      if constexpr (std::is_integral_v<T>)
        value = T(uint32_t(run.random()) & 0x7FFFFFFF) | T(0x10000); // odd factors lose nothing
      else if (run.random() % 3)
        value = 0;
    }
    inputs.push_back({"maps", values});
    return inputs;
  }
  const bool rounds = std::is_floating_point_v<T> && (op == "add" || op == "mul");
  if (!rounds) {
    inputs.push_back({"any bits", run.seen(quiet(anyBits<T>(run, count)))});
    inputs.push_back({"small", small<T>(run, count)});
    return inputs;
  }
  const auto factors = [&] {
    std::vector<T> values(count);
    for (T &value : values)
      value = std::vector<T>{T(1), T(-1), T(2), T(0.5)}[run.random() % 4];
    return values;
  };
  std::vector<T> exact = op == "add" ? small<T>(run, count) : factors();
  inputs.push_back({"exact", exact});
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    const T edges[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), T(0), T(-0.0)};
    for (T &value : exact)
      if (run.random() % 16 == 0)
        value = edges[run.random() % 5];
    inputs.push_back({"with edges", exact});
    std::vector<T> rough(count);
    for (T &value : rough) {
      const T unit = T(double(run.random() >> 11) / 9007199254740992.0);
      value = op == "add" ? std::ldexp(unit * 2 - 1, int(run.random() % 16)) : unit + T(0.5);
    }
    inputs.push_back({"rounding", rough, true});
  }
  return inputs;
}

//===--- Checks ------------------------------------------------------------===//

/// One form of a kernel: `check` throws Mismatch. Later forms are looked at all the same, so
/// that the report names all that fail.
template <class F> void form(Run &run, const std::string &name, F check) {
  try {
    check();
    run.passed(name);
  } catch (const Mismatch &mismatch) {
    run.failed(name, mismatch.message);
  }
}

/// The fold of values[0..n) from left to right; where it may round, the bound of |error| over
/// all orders: (n - 1) u of the sum of magnitudes, or of the product (Higham, Accuracy and
/// Stability of Numerical Algorithms, 4.2 and 3.1), doubled for the terms in u squared.
template <class T> struct Folded {
  T value{};
  long double exact = 0, bound = 0;
};
template <class T> Folded<T> fold(const std::string &op, const T *values, size_t n) {
  Folded<T> result{values[0]};
  if constexpr (std::is_floating_point_v<T>) {
    long double magnitude = std::fabs(values[0]);
    result.exact = values[0];
    for (size_t i = 1; i < n; ++i) {
      const long double value = values[i];
      result.exact = op == "mul" ? result.exact * value : result.exact + value;
      magnitude = op == "mul" ? magnitude * std::fabs(value) : magnitude + std::fabs(value);
    }
    result.bound = (long double)(n - 1) * std::numeric_limits<T>::epsilon() * magnitude;
  }
  for (size_t i = 1; i < n; ++i)
    result.value = combine(op, result.value, values[i]);
  return result;
}
template <class T>
void expectFold(const std::string &what, size_t index, T got, const Folded<T> &folded,
                bool anyOrder) {
  if constexpr (std::is_floating_point_v<T>)
    if (anyOrder) {
      if (!(std::fabs((long double)(got)-folded.exact) <= folded.bound))
        throw Mismatch{what + "[" + std::to_string(index) + "] is " + show(got) + ", expected " +
                       show(double(folded.exact)) + " within " + show(double(folded.bound))};
      return;
    }
  expectEqual(what, index, got, folded.value);
}

} // namespace conformance
