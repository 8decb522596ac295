// Conversions (kernels/conversions.py, conversion_constants.py) of each real type to each other
// type, and of integers to reals. To an integer: towards zero, the nearest end of its range where
// that is outside, 0 of NaN. To a real: the nearest, rounded once.
#include "tests/conformance/Surface.h"

namespace conformance {

namespace {

//===--- References --------------------------------------------------------===//

double asDouble(double value) { return value; }
double asDouble(float value) { return value; }
double asDouble(Half value) { return toDouble(value); }
double asDouble(Bfloat16 value) { return toDouble(value); }

template <class To> To saturated(double value) {
  using Limits = std::numeric_limits<To>;
  const double past = std::ldexp(1.0, Limits::digits);
  if (std::isnan(value))
    return 0;
  if (value >= past)
    return Limits::max();
  if (value <= double(Limits::min()))
    return Limits::min();
  return To(value);
}

/// The number as a double that rounds to the types of 16 bits as the number does.
template <class T> double oddDouble(T value) {
  if constexpr (std::is_integral_v<T>) {
    const auto exact = (long double)(value); // holds 64 bits
    const auto nearest = double(exact);
    if (nearest == exact)
      return nearest;
    const bool isTooFar = std::fabs((long double)(nearest)) > std::fabs(exact);
    const double towards = isTooFar ? std::nextafter(nearest, 0.0) : nearest;
    return std::bit_cast<double>(std::bit_cast<uint64_t>(towards) | 1);
  } else {
    return asDouble(value);
  }
}

template <class To, class T> To asReal(T value) {
  if constexpr (isSmallReal<To>)
    return rounded<To>(oddDouble(value));
  else if constexpr (std::is_integral_v<T>)
    return To(value);
  else
    return To(asDouble(value));
}

//===--- Numbers -----------------------------------------------------------===//

template <class T> T fromBits(uint64_t bits) {
  if constexpr (isSmallReal<T>)
    return {decltype(T::bits)(bits)};
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(uint32_t(bits));
  else
    return std::bit_cast<double>(bits);
}
template <class T> T fromDouble(double value) {
  if constexpr (isSmallReal<T>)
    return rounded<T>(value);
  else
    return T(value);
}

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The ends of all types and what lies beside them, numbers of every size, any bits.
template <class T> std::vector<T> reals(Run &run) {
  std::vector<double> wanted = {
      NAN,     infinity, 0.0,     0.25,      0.5,     0.999,   1e30,     1e300,
      65504.0, 65519.99, 65520.,  65536.1,   3.4e38,  3.39e38, 3.396e38, 0x1p-1074,
      1e-45,   1e-40,    0x1p-24, 0x1.8p-25, 0x1p-25, 0x1p-26, 1e-310,   3.4028235677973366e38};
  for (int power = 0; power <= 66; ++power)
    for (double offset : {-1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5}) {
      wanted.push_back(std::ldexp(1.0, power) + offset);
      wanted.push_back(std::ldexp(1.0, power) * (1 + offset * 0x1p-23));
      wanted.push_back(std::ldexp(1.0, power) * (1 + offset * 0x1p-52));
    }
  // Middles of two numbers of 16 bits, and what only a double has beside them.
  for (int k = 0; k < 600; ++k) {
    const bool isHalf = k % 2;
    const auto bits = uint16_t(run.random() % (isHalf ? 0x7BFF : 0x7F7F));
    auto number = [&](uint16_t n) { return isHalf ? toDouble(Half{n}) : toDouble(Bfloat16{n}); };
    const double middle = (number(bits) + number(uint16_t(bits + 1))) / 2;
    for (double beside : {-0x1p-40, 0.0, 0x1p-40})
      wanted.push_back(middle * (1 + beside));
  }
  std::vector<T> values;
  for (double value : wanted) {
    values.push_back(fromDouble<T>(value));
    values.push_back(fromDouble<T>(-value));
  }
  for (int k = 0; k < 1000; ++k) {
    values.push_back(fromBits<T>(run.random()));
    const double size = 1 + double(run.random() >> 11) * 0x1p-53;
    values.push_back(fromDouble<T>(std::ldexp(k % 2 ? size : -size, int(run.random() % 100) - 30)));
  }
  return values;
}

/// Any bits, of any number of digits; middles of what f16, bf16, f32 and f64 have, and beside them.
template <class T> std::vector<T> integers(Run &run) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {Limits::min(), Limits::max(), 0, 1, T(65504), T(65519), T(65520)};
  for (int k = 0; k < 1000; ++k)
    values.push_back(T(run.random()) >> (k % Limits::digits));
  for (int kept : {8, 11, 24, 53})
    for (int place = kept + 1; place < Limits::digits; ++place) {
      const auto bits = (uint64_t(1) << place) | (uint64_t(1) << (place - kept)) |
                        (run.random() % 2 << (place - kept + 1));
      for (int beside : {-1, 0, 1}) {
        values.push_back(T(bits + uint64_t(beside)));
        values.push_back(Limits::is_signed ? T(-T(bits)) : T(bits));
      }
    }
  return values;
}

//===--- Cases -------------------------------------------------------------===//

template <class To, class T>
void expectInts(const char *name, const std::vector<T> &values, const sextant::Array<To> &array) {
  const auto got = array.read();
  for (size_t i = 0; i < values.size(); ++i)
    expectSame(std::string(name) + " of " + show(asDouble(values[i])), i, got[i],
               saturated<To>(asDouble(values[i])));
}

template <class T> void toInts(Run &run) {
  const auto values = reals<T>(run);
  const size_t count = values.size();
  auto i8 = run.zeros<int8_t>(count);
  auto i16 = run.zeros<int16_t>(count);
  auto i32 = run.zeros<int32_t>(count);
  auto i64 = run.zeros<int64_t>(count);
  auto u8 = run.zeros<uint8_t>(count);
  auto u16 = run.zeros<uint16_t>(count);
  auto u32 = run.zeros<uint32_t>(count);
  auto u64 = run.zeros<uint64_t>(count);
  sextant::Array<bool> u1(run.device, int64_t(count));
  run.launch("to_ints", run.array(values), i8, i16, i32, i64, u8, u16, u32, u64, u1);
  expectInts("i8", values, i8);
  expectInts("i16", values, i16);
  expectInts("i32", values, i32);
  expectInts("i64", values, i64);
  expectInts("u8", values, u8);
  expectInts("u16", values, u16);
  expectInts("u32", values, u32);
  expectInts("u64", values, u64);
  const auto truths = u1.read();
  for (size_t i = 0; i < count; ++i) {
    const double value = asDouble(values[i]);
    if (!run.flushes || std::fabs(value) >= 0x1p-126 || value == 0)
      expectSame("u1 of " + show(value), i, truths[i], uint8_t(value != 0));
  }
}

/// As in kernels/conversion_constants.py.
constexpr double numbers[] = {NAN,    infinity,      -infinity, -0.0,   -0.75,
                              -1.0,   127.5,         128.0,     -129.0, 65536.0,
                              0x1p31, -2147483904.0, 0x1p32,    0x1p63, -9223373136366403584.0,
                              0x1p64};
constexpr size_t numberCount = std::size(numbers);

template <class T, class To> void constants(Run &run, const char *name) {
  auto out = run.zeros2<To>(3, numberCount);
  run.launch(name, out);
  const auto got = out.read();
  for (size_t k = 0; k < numberCount; ++k)
    for (size_t way = 0; way < 3; ++way) {
      const double number = way == 0 ? numbers[k] : asDouble(fromDouble<T>(numbers[k]));
      expectSame(std::string(name) + " of " + show(number) + ", way " + std::to_string(way), k,
                 got[way * numberCount + k], saturated<To>(number));
    }
}

template <class T> void allConstants(Run &run) {
  constants<T, int8_t>(run, "i8");
  constants<T, int16_t>(run, "i16");
  constants<T, int32_t>(run, "i32");
  constants<T, int64_t>(run, "i64");
  constants<T, uint8_t>(run, "u8");
  constants<T, uint16_t>(run, "u16");
  constants<T, uint32_t>(run, "u32");
  constants<T, uint64_t>(run, "u64");
}

template <class T> void bounded(Run &run) {
  const auto values = reals<T>(run);
  auto i8 = run.zeros<int8_t>(values.size());
  auto u8 = run.zeros<uint8_t>(values.size());
  auto i32 = run.zeros<int32_t>(values.size());
  run.launch("bounded", run.array(values), i8, u8, i32);
  const auto bytes = i8.read();
  const auto unsignedBytes = u8.read();
  const auto words = i32.read();
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = asDouble(values[i]);
    const double low = std::isnan(value) ? -100 : std::max(value, -100.0);
    expectSame("i8 of " + show(value), i, bytes[i], saturated<int8_t>(std::min(low, 127.9)));
    expectSame("u8 of " + show(value), i, unsignedBytes[i], saturated<uint8_t>(value));
    // Exact in f16 too: NVIDIA's Vulkan driver computes products of f16 with more digits.
    const double index = asDouble(fromDouble<T>(double(i & 1023)));
    expectSame("i32", i, words[i], int32_t(std::floor(index * 0.5) - 7));
  }
}

template <class T> std::vector<T> valuesOf(Run &run) {
  if constexpr (std::is_integral_v<T>)
    return integers<T>(run);
  else
    return reals<T>(run);
}

template <class To, class T>
void expectReals(Run &run, const char *name, const std::vector<T> &values,
                 const sextant::Array<To> &array) {
  const auto got = array.read();
  // The least normal numbers: a device that flushes may take less for zero.
  const double least = std::is_same_v<To, Half> ? 0x1p-14 : 0x1p-126;
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = oddDouble(values[i]);
    const double found = asDouble(got[i]), right = asDouble(asReal<To>(values[i]));
    if (run.flushes && std::fabs(value) < least)
      continue;
    if (std::isnan(right) ? !std::isnan(found)
                          : found != right || std::signbit(found) != std::signbit(right))
      throw Mismatch{std::string(name) + "[" + std::to_string(i) + "] of " + show(value) + " is " +
                     show(found) + ", expected " + show(right)};
  }
}

template <class T> void toReals(Run &run) {
  const auto values = valuesOf<T>(run);
  auto f16 = run.zeros<Half>(values.size());
  auto bf16 = run.zeros<Bfloat16>(values.size());
  auto f32 = run.zeros<float>(values.size());
  run.launch("to_reals", run.array(values), f16, bf16, f32);
  expectReals(run, "f16", values, f16);
  expectReals(run, "bf16", values, bf16);
  expectReals(run, "f32", values, f32);
}

template <class T> void toF64(Run &run) {
  const auto values = valuesOf<T>(run);
  auto f64 = run.zeros<double>(values.size());
  run.launch("to_f64", run.array(values), f64);
  expectReals(run, "f64", values, f64);
}

template <class T> void addFrom(std::vector<Case> &cases, const char *name) {
  const std::string module = std::string("conversions_") + name;
  cases.push_back({module, "to reals", toReals<T>});
  cases.push_back({module, "to f64", toF64<T>});
  if constexpr (!std::is_integral_v<T>) {
    cases.push_back({module, "to integers", toInts<T>});
    cases.push_back({module, "bounded", bounded<T>});
  }
}

} // namespace

void addConversionCases(std::vector<Case> &cases) {
  addFrom<Half>(cases, "f16");
  addFrom<Bfloat16>(cases, "bf16");
  addFrom<float>(cases, "f32");
  addFrom<double>(cases, "f64");
  addFrom<int32_t>(cases, "i32");
  addFrom<uint32_t>(cases, "u32");
  addFrom<int64_t>(cases, "i64");
  addFrom<uint64_t>(cases, "u64");
  cases.push_back({"conversion_constants_f32", "constants", allConstants<float>});
  cases.push_back({"conversion_constants_f64", "constants", allConstants<double>});
}

} // namespace conformance
