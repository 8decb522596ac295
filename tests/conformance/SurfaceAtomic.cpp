// Generated kernels of atomics: the arithmetic and the old value, one element a thread; then many
// threads on few elements.
#include "tests/conformance/Surface.h"

#include <algorithm>

namespace conformance {

namespace {

constexpr size_t count = 768;

/// compare-and-swap stores one more where the value is the expected one.
template <class T> T updated(const std::string &op, T x, T y) {
  if constexpr (std::is_integral_v<T>)
    if (op == "cas")
      return x == y ? add(y, T(1)) : x;
  return combine(op, x, y);
}

template <class T> bool isSubnormal(T value) {
  if constexpr (isSmallReal<T>)
    return value.bits << 1 & 0xFFFE && (value.bits & 0x7FFF) >> fractionBits<T> == 0;
  else if constexpr (std::is_floating_point_v<T>)
    return std::fpclassify(value) == FP_SUBNORMAL;
  else
    return false;
}

template <class T>
void expectUpdated(const std::string &what, size_t i, const T &got, const T &expected) {
  if constexpr (isSmallReal<T>) {
    if (isSubnormal(expected) && toDouble(got) == 0)
      return;
    expectEqual(what, i, toDouble(got), toDouble(expected));
  } else {
    // Some devices' atomics flush subnormal results (PTX ISA, "atom": f32 in global memory).
    if (isSubnormal(expected) && got == T(0))
      return;
    expectEqual(what, i, got, expected);
  }
}
/// Old values are bits that were there.
template <class T>
void expectOld(const std::string &what, size_t i, const T &got, const T &expected) {
  if constexpr (isSmallReal<T>)
    expectSame(what, i, toDouble(got), toDouble(expected));
  else
    expectSame(what, i, got, expected);
}

/// Any values but subnormal ones, which devices may flush.
template <class T> std::vector<T> elements(Run &run, size_t n) {
  std::vector<T> values(n);
  if constexpr (isSmallReal<T>) {
    // Zeros, infinities, NaN, the largest numbers, one, the least normal one.
    constexpr uint16_t infinity = uint16_t((2 * biasOf<T> + 1) << fractionBits<T>);
    constexpr uint16_t quietNan = infinity | 1 << (fractionBits<T> - 1);
    static const uint16_t corners[] = {0,
                                       0x8000,
                                       infinity,
                                       infinity | 0x8000,
                                       quietNan,
                                       infinity - 1,
                                       (infinity - 1) | 0x8000,
                                       uint16_t(biasOf<T> << fractionBits<T>),
                                       uint16_t(1 << fractionBits<T>)};
    for (T &value : values) {
      const uint64_t bits = run.random();
      value = bits % 4 ? T{uint16_t(bits >> 16)} : T{corners[bits / 4 % 9]};
    }
  } else {
    values = anyBits<T>(run, n);
  }
  for (T &value : values) {
    if (isSubnormal(value))
      value = T{};
    if constexpr (isSmallReal<T>)
      if (std::isnan(toDouble(value)))
        value = rounded<T>(toDouble(value)); // quiet
  }
  if constexpr (!isSmallReal<T>)
    values = quiet(values);
  return values;
}

/// Operands whose results do not depend on the order: small whole numbers, factors of one for
/// products.
template <class T> std::vector<T> operands(Run &run, const std::string &op, size_t n) {
  std::vector<T> values(n);
  for (T &value : values) {
    int number = op == "mul" ? (run.random() % 2 ? 1 : -1) : int(run.random() % 9) - 4;
    if (op == "exchange" || op == "cas")
      number = int(run.random() % 1000);
    if constexpr (isSmallReal<T>)
      value = rounded<T>(number);
    else
      value = T(number);
  }
  return values;
}

/// The values of three elements after threads first + k, first + k + 3, … updated element k; a
/// compare-and-swap depends on the order.
template <class T>
void checkFew(Run &run, const std::string &what, const std::string &op, const std::vector<T> &start,
              const std::vector<T> &y, size_t first, size_t last, const T *got) {
  form(run, what, [&] {
    for (size_t k = 0; k < 3; ++k) {
      T expected = start[k];
      bool given = false;
      for (size_t i = first + k; i < last; i += 3) {
        given |= !std::memcmp(&got[k], &y[i], sizeof(T));
        expected = op == "exchange" ? got[k] : combine(op, expected, y[i]);
      }
      if (op == "exchange" && !given)
        throw Mismatch{what + ": element " + std::to_string(k) + " holds what no thread gave"};
      expectUpdated(what, k, got[k], expected);
    }
  });
}

/// Exchanges hand every value on: what was there and what was given is what was taken and what
/// stays.
template <class T>
void checkChain(Run &run, const std::string &what, const std::vector<T> &start,
                const std::vector<T> &y, const T *old, const T *got) {
  const auto less = [](const T &a, const T &b) { return std::memcmp(&a, &b, sizeof(T)) < 0; };
  form(run, what, [&] {
    for (size_t k = 0; k < 3; ++k) {
      std::vector<T> given = {start[k]}, taken = {got[k]};
      for (size_t i = k; i < count; i += 3) {
        given.push_back(y[i]);
        taken.push_back(old[i]);
      }
      std::sort(given.begin(), given.end(), less);
      std::sort(taken.begin(), taken.end(), less);
      for (size_t i = 0; i < given.size(); ++i)
        if (std::memcmp(&given[i], &taken[i], sizeof(T)))
          throw Mismatch{what + ": values of element " + std::to_string(k) +
                         " are lost or doubled"};
    }
  });
}

/// One element a thread: the old value, and the new one where the thread is one that updates.
template <class T>
void checkUpdates(Run &run, const std::string &what, const std::string &op, const std::vector<T> &x,
                  const std::vector<T> &y, const T *old, const T *after, auto takes) {
  form(run, what, [&] {
    for (size_t i = 0; i < count; ++i) {
      if (!takes(i)) {
        expectOld(what + " untouched", i, after[i], x[i]);
        continue;
      }
      expectOld(what + " old", i, old[i], x[i]);
      expectUpdated(what + " new", i, after[i], updated(op, x[i], y[i]));
    }
  });
}

template <class T> std::vector<T> row(const std::vector<T> &values, size_t number, size_t length) {
  return {values.begin() + long(number * length), values.begin() + long((number + 1) * length)};
}

/// Elements for `rows` forms; every second compare-and-swap finds what it expects.
template <class T>
std::vector<T> targets(Run &run, const std::string &op, const std::vector<T> &y, size_t rows) {
  std::vector<T> x = elements<T>(run, rows * count);
  if (op == "cas")
    for (size_t i = 0; i < x.size(); i += 2)
      x[i] = y[i % count];
  return x;
}

/// True if many updates of one element have one result, whatever their order.
template <class T> bool anyOrder(const std::string &op, bool exact) {
  return op == "min" || op == "max" || op == "exchange" || (op != "cas" && (exact || !isReal<T>));
}

template <class T> void atomicOf(Run &run, const SurfaceKernel &kernel, bool exact) {
  const std::string op = operatorOf(kernel.op), field = kernel.kernel + std::string("_field");
  const auto y = exact ? operands<T>(run, op, count) : elements<T>(run, count);
  const auto x = targets(run, op, y, 5), start = operands<T>(run, op, 6);
  auto target = run.zeros2<T>(2, count);
  target.write(std::span<const T>(x.data(), 2 * count));
  std::vector<sextant::Vector<T, 3>> slots(count / 3);
  std::vector<sextant::Vector<T, 2>> pairs(count / 2);
  std::memcpy(slots.data(), &x[2 * count], count * sizeof(T));
  std::memcpy(pairs.data(), &x[4 * count], count * sizeof(T));
  run.program.write(field, std::span<const T>(&x[3 * count], count));
  auto operand = run.array(y);
  auto slotArray = run.array(slots);
  auto pairArray = run.array(pairs);
  auto olds = run.zeros2<T>(6, count);
  auto few = run.zeros2<T>(2, 3);
  few.write(start);
  run.launch(kernel.kernel, target, operand, slotArray, pairArray, olds, few);
  const auto after = target.read(), old = olds.read(), crowd = few.read();
  slots = slotArray.read();
  pairs = pairArray.read();
  std::vector<T> cells(count);
  run.program.read(field, std::span<T>(cells));
  const auto all = [](size_t) { return true; };
  const auto check = [&](const char *what, size_t n, const T *now, auto takes) {
    checkUpdates(run, what, op, row(x, n, count), y, &old[n * count], now, takes);
  };
  check("array", 0, &after[0], all);
  check("divergent", 1, &after[count], [](size_t i) { return i % 3 == 1; });
  check("slot", 2, &slots[0][0], all);
  check("field", 3, cells.data(), all);
  if (op != "cas")
    check("vector", 4, &pairs[0][0], all);
  if (anyOrder<T>(op, exact)) {
    checkFew(run, "contended", op, row(start, 0, 3), y, 0, count, &crowd[0]);
    checkFew(run, "contended, old value", op, row(start, 1, 3), y, 0, count, &crowd[3]);
  }
  if (op == "exchange")
    checkChain(run, "nothing lost", row(start, 1, 3), y, &old[5 * count], &crowd[3]);
}

template <class T> void sharedOf(Run &run, const SurfaceKernel &kernel, bool exact) {
  const std::string op = operatorOf(kernel.op);
  const size_t blocks = count / 128;
  const auto y = exact ? operands<T>(run, op, count) : elements<T>(run, count);
  auto x = targets(run, op, y, 2);
  if (op == "cas") // thread i updates element i ^ 1 of the first row
    for (size_t i = 0; i < count; i += 2)
      x[i] = y[i ^ 1];
  const auto start = operands<T>(run, op, 3 * blocks);
  auto target = run.zeros2<T>(2, count);
  target.write(x);
  auto operand = run.array(y);
  auto olds = run.zeros2<T>(2, count);
  auto few = run.zeros2<T>(blocks, 3);
  few.write(start);
  run.launch(kernel.kernel, target, operand, olds, few);
  const auto after = target.read(), old = olds.read(), crowd = few.read();
  // As thread i sees its element.
  std::vector<T> before(count), now(count);
  for (size_t i = 0; i < count; ++i) {
    before[i] = x[i ^ 1];
    now[i] = after[i ^ 1];
  }
  checkUpdates(run, "array", op, before, y, &old[0], now.data(), [](size_t) { return true; });
  checkUpdates(run, "divergent, slot", op, row(x, 1, count), y, &old[count], &after[count],
               [](size_t i) { return i % 3 == 1; });
  if (anyOrder<T>(op, exact))
    for (size_t b = 0; b < blocks; ++b)
      checkFew(run, "contended", op, row(start, b, 3), y, 128 * b, 128 * (b + 1), &crowd[3 * b]);
}

template <class F> void withAtomType(const std::string &dtype, F f) {
  if (dtype == "f16")
    f(Half{});
  else if (dtype == "bf16")
    f(Bfloat16{});
  else
    withType(dtype, f);
}

} // namespace

void runAtomic(Run &run, const SurfaceKernel &kernel) {
  withAtomType(kernel.dtype, [&](auto zero) {
    for (bool exact : {false, true})
      atomicOf<decltype(zero)>(run, kernel, exact);
  });
}

void runAtomicShared(Run &run, const SurfaceKernel &kernel) {
  withAtomType(kernel.dtype, [&](auto zero) {
    for (bool exact : {false, true})
      sharedOf<decltype(zero)>(run, kernel, exact);
  });
}

} // namespace conformance
