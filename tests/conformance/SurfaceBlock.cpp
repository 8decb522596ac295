// Generated kernels of block operations: folds, barriers, shared arrays.
#include "tests/conformance/Surface.h"

namespace conformance {

namespace {

constexpr size_t count = 1024; // threads: whole blocks of every size
constexpr size_t sizes[] = {64, 128, 256, 512};

template <class T> void blockOf(Run &run, const SurfaceKernel &kernel) {
  const std::string name = kernel.kernel, op = operatorOf(kernel.op);
  const size_t size = sizes[kernel.twist % 4];
  for (const Input<T> &input : inputsFor<T>(run, op, count)) {
    auto src = run.array(input.values);
    auto result = run.zeros2<T>(3 + rounds, count);
    run.launch(kernel.kernel, src, rounds, result);
    const auto out = result.read();
    const auto check = [&](const std::string &what, size_t row, size_t block, auto at) {
      form(run, what + "/" + std::to_string(block), [&] {
        std::vector<T> values(count);
        for (size_t i = 0; i < count; ++i)
          values[i] = input.values[at(i)];
        for (size_t base = 0; base < count; base += block) {
          const auto expect = [&](size_t i, const Folded<T> &folded) {
            expectFold(input.name, i, out[row * count + i], folded, input.anyOrder);
          };
          if (name.starts_with("reduce")) {
            const Folded<T> total = fold(op, &values[base], block);
            for (size_t i = base; i < base + (name.starts_with("reduce_all") ? block : 1); ++i)
              expect(i, total);
            continue;
          }
          // Folds of ever longer prefixes; long ones now and then where each is a fold of its own.
          Folded<T> running{};
          for (size_t i = base; i < base + block; ++i) {
            const bool exclusive = name.starts_with("exclusive");
            if (exclusive && i == base)
              expectSame(input.name, i, out[row * count + i], identityOf<T>(op));
            else if (exclusive && (!input.anyOrder || i % 7 == 0))
              expect(i, input.anyOrder ? fold(op, &values[base], i - base) : running);
            running.value = i == base ? values[i] : combine(op, running.value, values[i]);
            if (!exclusive && (!input.anyOrder || i % 7 == 0))
              expect(i, input.anyOrder ? fold(op, &values[base], i + 1 - base) : running);
          }
        }
      });
    };
    const auto same = [](size_t i) { return i; };
    check("one wave", 0, run.wave, same);
    check("under if", 1, size, same);
    check("diverged", 2, size, [](size_t i) { return i % 3 == 0 ? i ^ 1 : i; });
    for (size_t r = 0; r < rounds; ++r)
      check("loop", 3 + r, size, [r](size_t i) { return (i + 37 * r) % count; });
  }
}

} // namespace

void runBlock(Run &run, const SurfaceKernel &kernel) {
  withType(kernel.dtype, [&](auto zero) { blockOf<decltype(zero)>(run, kernel); });
}

void runBarrier(Run &run, const SurfaceKernel &kernel) {
  const std::string name = kernel.kernel;
  for (unsigned density : {1u, 2u, 300u, 1000000u}) {
    std::vector<int32_t> values(count);
    for (int32_t &value : values) // nearly all or nearly none are zero
      value = density == 1                  ? int32_t(run.random() % 300 != 0) << 8
              : run.random() % density == 0 ? int32_t(run.random()) | 1
                                            : 0;
    auto src = run.array(values);
    auto result = run.zeros2<int32_t>(2 * (rounds + 1), count);
    run.launch(kernel.kernel, src, rounds, result);
    const auto out = result.read();
    for (size_t half = 0; half < 2; ++half) {
      const size_t size = half ? 256 : run.wave, row = half * (rounds + 1);
      const auto check = [&](const std::string &what, size_t at, auto expected) {
        form(run, what + "/" + std::to_string(size), [&] {
          for (size_t i = 0; i < count; ++i)
            expected(i, out[at * count + i]);
        });
      };
      if (name == "sync") {
        std::vector<int32_t> slots = values, now(count);
        for (size_t i = 0; i < count; ++i)
          now[i] = slots[i / size * size + size - 1 - i % size];
        const auto seen = [&](size_t i, int32_t got) { expectSame("sync", i, got, now[i]); };
        check("straight", row, seen);
        for (int32_t r = 0; r < rounds; ++r) {
          for (size_t i = 0; i < count; ++i)
            if (i % size % 3 != 0)
              slots[i] = add(now[i], r);
          for (size_t i = 0; i < count; ++i)
            now[i] = slots[i / size * size + (i + 1) % size];
          check("loop", row + 1 + size_t(r), seen);
        }
        continue;
      }
      if (name.starts_with("sync_")) {
        const auto reduced = [&](auto at) {
          return [&, at](size_t i, int32_t got) {
            int32_t hits = 0;
            for (size_t j = i / size * size; j < i / size * size + size; ++j)
              hits += at(j) != 0;
            const bool all = name == "sync_all_nonzero", any = name == "sync_any_nonzero";
            expectSame(name, i, all || any ? int32_t(got != 0) : got,
                       all   ? int32_t(hits == int32_t(size))
                       : any ? int32_t(hits != 0)
                             : hits);
          };
        };
        check("straight", row, reduced([&](size_t i) { return values[i]; }));
        for (size_t r = 0; r < rounds; ++r)
          check("loop", row + 1 + r, reduced([&, r](size_t i) {
                  return i % 3 == 0 ? 0 : values[(i + 37 * r) % count];
                }));
        continue;
      }
      const auto index = [&](size_t i) { return int32_t(name == "thread_idx" ? i % size : i); };
      check("straight", row, [&](size_t i, int32_t got) { expectSame(name, i, got, index(i)); });
      for (int32_t r = 0; r < rounds; ++r)
        check("loop", row + 1 + size_t(r), [&](size_t i, int32_t got) {
          expectSame(name, i, got, i % 3 != 0 ? index(i) + r : 0);
        });
    }
  }
}

//===--- Memory of every type ----------------------------------------------===//

namespace {

/// Values of any bits, as bytes; a u1 is 0 or 1.
template <class T> auto anyElements(Run &run, size_t n) {
  std::vector<T> values(n);
  for (size_t i = 0; i < n; ++i)
    if constexpr (std::is_same_v<T, bool>) {
      values[i] = run.random() % 2 != 0;
    } else {
      const uint64_t bits = run.random();
      std::memcpy(&values[i], &bits, sizeof(T));
    }
  return values;
}
template <class T> uint64_t bitsAt(const T &value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T> sextant::Array<T> upload(Run &run, const std::vector<T> &values) {
  sextant::Array<T> result(run.device, int64_t(values.size()));
  if constexpr (std::is_same_v<T, bool>) {
    const auto bytes = std::make_unique<bool[]>(values.size());
    std::copy(values.begin(), values.end(), bytes.get());
    result.write(std::span<const bool>(bytes.get(), values.size()));
  } else {
    result.write(values);
  }
  return result;
}

/// Loads and stores move bits: rows of `out` against elements of `values`.
template <class T, class F>
void checkElements(Run &run, const std::string &what, const std::vector<T> &values, const auto &out,
                   size_t row, F source) {
  form(run, what, [&] {
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t from = source(int64_t(i));
      const uint64_t got = bitsAt(out[row * values.size() + i]);
      const uint64_t expected = from < 0 ? 0 : bitsAt(T(values[size_t(from)]));
      if (got != expected)
        throw Mismatch{what + "[" + std::to_string(i) + "] has the bits " + std::to_string(got) +
                       ", expected " + std::to_string(expected)};
    }
  });
}

} // namespace

void runShared(Run &run, const SurfaceKernel &kernel) {
  withAnyType(kernel.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto values = anyElements<T>(run, 256);
    auto src = upload(run, values);
    auto result = run.zeros2<T>(11, values.size());
    run.launch("shared_array", src, result);
    const auto out = result.read();
    const auto mirrored = [](int64_t t) {
      return [t](int64_t i) { return (i / 64 * 64 + 63 - i % 64) ^ t; };
    };
    const auto transposed = [](int64_t t) {
      return [t](int64_t i) {
        const int64_t at = 63 - i % 64;
        return (i / 64 * 64 + at % 8 * 8 + at / 8) ^ t;
      };
    };
    checkElements(run, "1-D", values, out, 0, mirrored(0));
    checkElements(run, "2-D", values, out, 1, transposed(0));
    checkElements(run, "3-D", values, out, 2, mirrored(0));
    for (int64_t c = 0; c < 3; ++c)
      checkElements(run, "vectors", values, out, size_t(3 + c), mirrored(c));
    for (int64_t c = 0; c < 4; ++c)
      checkElements(run, "matrices", values, out, size_t(6 + c), mirrored(c));
    checkElements(run, "component at run time", values, out, 10,
                  [&](int64_t i) { return mirrored(i % 64 % 3)(i); });
  });
}

void runLoad(Run &run, const SurfaceKernel &kernel) {
  withAnyType(kernel.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto values = anyElements<T>(run, 256);
    auto src = upload(run, values);
    auto result = run.zeros2<T>(3, values.size());
    run.launch(kernel.kernel, src, result);
    const auto out = result.read();
    checkElements(run, "array", values, out, 0, [](int64_t i) { return i; });
    checkElements(run, "divergent", values, out, 1,
                  [](int64_t i) { return i % 3 == 1 ? i ^ 1 : -1; });
    checkElements(run, "field", values, out, 2, [](int64_t i) { return i; });
  });
}

} // namespace conformance
