// The conformance suite's frame: cases that run a kernel on a device and compare with a
// host reference, a run over all variants, and the table of results.
#pragma once
#define SEXTANT_THROWS

#include "sextant/sextant.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

/// A column of the table: which of a module's variants run, on the device at hand.
struct Column {
  std::string backend; ///< the variants' backend: "cpu", "cuda", "amdgpu", "vulkan", "metal"
  std::string variant; ///< pattern that pins them: "cpu:x86-64-v3", "vulkan"
  unsigned wave = 32;
  std::string name() const { return variant + "/wave" + std::to_string(wave); }
};

/// The argument of a case: one program on one device, for one wave size.
struct Run {
  const sextant::Device &device;
  const sextant::Module &module;
  sextant::Program &program;
  const Column &column;
  unsigned wave;
  std::mt19937_64 random;
  /// Arithmetic on f32 takes subnormal numbers for zeros, and gives zeros for them: Vulkan
  /// lets drivers, and some cannot be told not to.
  bool flushes = false;
  /// Generated kernels: the forms of the operation that were right so far, those that were not,
  /// and what was wrong with the first of these.
  std::set<std::string> right = {}, wrong = {};
  std::string mismatch = {};

  void passed(const std::string &form) {
    if (!wrong.count(form))
      right.insert(form);
  }
  void failed(const std::string &form, const std::string &message) {
    if (wrong.empty())
      mismatch = form + ": " + message;
    right.erase(form);
    wrong.insert(form);
  }

  /// The number as the device's arithmetic sees it.
  template <class T> T seen(T value) const {
    if constexpr (std::is_same_v<T, float>)
      if (flushes && std::fpclassify(value) == FP_SUBNORMAL)
        return std::copysign(0.0f, value);
    return value;
  }
  template <class T> std::vector<T> seen(std::vector<T> values) const {
    for (T &value : values)
      value = seen(value);
    return values;
  }

  template <class... Args> void launch(const std::string &kernel, const Args &...args) const {
    program.kernel(kernel)(device.defaultStream(), args...);
  }
  template <class T> sextant::Array<T> array(const std::vector<T> &values) const {
    return sextant::Array<T>(device, std::span<const T>(values));
  }
  /// `count` elements, zero.
  template <class T> sextant::Array<T> zeros(size_t count) const {
    return array(std::vector<T>(count));
  }
  /// So many numbers from 0 to `most` - 1.
  template <class T> std::vector<T> numbers(int64_t count, int most) {
    std::vector<T> all(static_cast<size_t>(count));
    for (T &each : all)
      each = T(int64_t(random() % uint64_t(most)));
    return all;
  }
  template <class T> sextant::Array<T, 2> zeros2(size_t rows, size_t columns) const {
    sextant::Array<T, 2> result(device, {int64_t(rows), int64_t(columns)});
    result.clear();
    return result;
  }
};

/// Thrown where a result is not what the reference says.
struct Mismatch {
  std::string message;
};

/// Thrown where this device cannot show what the case is about, though the kernel is built.
struct Skipped {
  std::string reason;
};

/// For cases that pass one array twice. The stand-in for Metal copies it for each argument.
inline void needOneMemory(const Run &run) {
  if (std::string_view(run.device.info().description).starts_with("Fake M"))
    throw Skipped{"mslsim gives each binding memory of its own"};
}

struct Case {
  std::string module; ///< file name without ".sxt"
  std::string name;
  std::function<void(Run &)> body;
  /// Why the kernel is not built for this wave size; null or "" where it is.
  std::function<std::string(unsigned wave)> refused = {};
  /// Set for a generated kernel: the operation that it is for, and its type ("i32/f64":
  /// keys/values).
  std::string op = {}, dtype = {};
};

/// Why the case's kernel is expected not to be built for a column: what its wave size or its
/// backend cannot do (Refusals.cpp). "" where it has to run. A kernel that is refused
/// without being expected to be, or the other way round, is a failure.
std::string refusalOf(const Case &test, const Column &column);

/// The cases that a program of the suite runs: Cases.cpp, or the file of a program of its own.
std::vector<Case> allCases();

/// All cases, by file.
void addBlockCases(std::vector<Case> &cases);
void addAtomicCases(std::vector<Case> &cases);
void addArithmeticCases(std::vector<Case> &cases);
void addLanguageCases(std::vector<Case> &cases);
void addLanguageRestCases(std::vector<Case> &cases);
void addPageCases(std::vector<Case> &cases);
void addBitCases(std::vector<Case> &cases);
void addGridCases(std::vector<Case> &cases);
void addLoopCases(std::vector<Case> &cases);
void addConversionCases(std::vector<Case> &cases);
void addCopyCases(std::vector<Case> &cases);
void addHintCases(std::vector<Case> &cases);
void addCallCases(std::vector<Case> &cases);
void addWarpCases(std::vector<Case> &cases);
void addClockCases(std::vector<Case> &cases);
void addTargetCases(std::vector<Case> &cases);
void addLightCases(std::vector<Case> &cases);
void addTallyCases(std::vector<Case> &cases);
void addRangeCases(std::vector<Case> &cases);
void addMoreCases(std::vector<Case> &cases);
void addRowCases(std::vector<Case> &cases);
void addAxesCases(std::vector<Case> &cases);
void addImplementationCases(std::vector<Case> &cases);
/// Those of the generated kernels (Surface.h).
void addSurfaceCases(std::vector<Case> &cases);
void addNarrowCases(std::vector<Case> &cases);
void addSharedVariableCases(std::vector<Case> &cases);
void addInverseCases(std::vector<Case> &cases);
void addValueCases(std::vector<Case> &cases);
void addSmallRealCases(std::vector<Case> &cases);
void addMemberCases(std::vector<Case> &cases);
void addGradientCases(std::vector<Case> &cases);
void addStructCases(std::vector<Case> &cases);
void addLinalgCases(std::vector<Case> &cases);
void addTileCases(std::vector<Case> &cases);
void addMatrixCases(std::vector<Case> &cases);
void addAttentionCases(std::vector<Case> &cases);
void addGraphCases(std::vector<Case> &cases);
void addWideCases(std::vector<Case> &cases);
void addIndexedCases(std::vector<Case> &cases);
void addLaunchesCases(std::vector<Case> &cases);
void addRecordCases(std::vector<Case> &cases);

//===--- Element types -----------------------------------------------------===//

template <class T> constexpr const char *nameOf() {
  if constexpr (std::is_same_v<T, int32_t>)
    return "i32";
  else if constexpr (std::is_same_v<T, uint32_t>)
    return "u32";
  else if constexpr (std::is_same_v<T, int64_t>)
    return "i64";
  else if constexpr (std::is_same_v<T, uint64_t>)
    return "u64";
  else if constexpr (std::is_same_v<T, float>)
    return "f32";
  else
    return "f64";
}
template <class T> std::string moduleOf(const char *file) {
  return std::string(file) + "_" + nameOf<T>();
}
template <class F> void forAllTypes(F f) {
  f(int32_t{});
  f(uint32_t{});
  f(int64_t{});
  f(uint64_t{});
  f(float{});
  f(double{});
}
template <class F> void forIntegers(F f) {
  f(int32_t{});
  f(uint32_t{});
  f(int64_t{});
  f(uint64_t{});
}

//===--- Inputs ------------------------------------------------------------===//

/// Any bit pattern, with the corner values among them: NaNs, infinities, zeros of both
/// signs, extremes.
template <class T> std::vector<T> anyBits(Run &run, size_t count) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> corners = {T(0), T(1), Limits::max(), Limits::lowest(), Limits::min(), T(-1)};
  if constexpr (std::is_floating_point_v<T>)
    for (T value : {T(-0.0), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                    Limits::denorm_min()})
      corners.push_back(value);
  std::vector<T> values(count);
  for (T &value : values) {
    uint64_t bits = run.random();
    if (bits % 4 == 0)
      value = corners[run.random() % corners.size()];
    else
      std::memcpy(&value, &bits, sizeof value);
  }
  return values;
}

/// Ordered values (no NaN), corners included.
template <class T> std::vector<T> ordered(Run &run, size_t count) {
  std::vector<T> values = anyBits<T>(run, count);
  for (T &value : values)
    if (value != value)
      value = T(run.random() % 1000);
  return values;
}

/// Small whole numbers, some negative where T has those: sums of them are exact.
template <class T> std::vector<T> small(Run &run, size_t count, int range = 50) {
  std::vector<T> values(count);
  for (T &value : values) {
    int number = int(run.random() % unsigned(2 * range + 1)) - range;
    value = std::is_unsigned_v<T> ? T(number < 0 ? -number : number) : T(number);
  }
  return values;
}

//===--- Comparison --------------------------------------------------------===//

template <class T> std::string show(const T &value) {
  std::ostringstream out;
  out.precision(17);
  if constexpr (sizeof(T) == 1)
    out << int(value);
  else
    out << value;
  return out.str();
}

/// The same bits; any NaN equals any other.
template <class T> bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a != a && b != b)
      return true;
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
void expectSame(const std::string &what, size_t index, const T &got, const T &expected) {
  if (!same(got, expected))
    throw Mismatch{what + "[" + std::to_string(index) + "] is " + show(got) + ", expected " +
                   show(expected)};
}
template <class T>
void expectSame(const std::string &what, const std::vector<T> &got,
                const std::vector<T> &expected) {
  if (got.size() != expected.size())
    throw Mismatch{what + " has " + std::to_string(got.size()) + " elements"};
  for (size_t i = 0; i < got.size(); ++i)
    expectSame(what, i, got[i], expected[i]);
}
/// Equal as numbers: 0 equals -0.
template <class T>
void expectEqual(const std::string &what, size_t index, const T &got, const T &expected) {
  if (!(got == expected) && !same(got, expected))
    throw Mismatch{what + "[" + std::to_string(index) + "] is " + show(got) + ", expected " +
                   show(expected)};
}
/// Within `ulps` of the reference's precision.
template <class T>
void expectClose(const std::string &what, size_t index, T got, T expected, double ulps) {
  double scale = std::numeric_limits<T>::epsilon() * std::max<double>(std::fabs(expected), 1e-30);
  if (!(std::fabs(double(got) - double(expected)) <= ulps * scale) && !same(got, expected))
    throw Mismatch{what + "[" + std::to_string(index) + "] is " + show(got) + ", expected " +
                   show(expected)};
}

//===--- Reference operators -----------------------------------------------===//

/// Integers wrap.
template <class T> T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else
    return a + b;
}
template <class T> T subtract(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) - std::make_unsigned_t<T>(b));
  else
    return a - b;
}
template <class T> T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) * std::make_unsigned_t<T>(b));
  else
    return a * b;
}
/// minNum and maxNum on reals.
template <class T> T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a != a ? b : b != b ? a : std::min(a, b);
  else
    return std::min(a, b);
}
template <class T> T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a != a ? b : b != b ? a : std::max(a, b);
  else
    return std::max(a, b);
}
/// The value that min starts from.
template <class T> T highest() {
  return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                     : std::numeric_limits<T>::max();
}
template <class T> T lowest() {
  return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                     : std::numeric_limits<T>::lowest();
}

} // namespace conformance
