// Components that are indexed at run time; see kernels/indexed.py.
#include "tests/conformance/Harness.h"

#include <array>

namespace conformance {

namespace {

using Ints = std::vector<int32_t>;

void count(Run &run) {
  constexpr size_t n = 140, keyCount = 211;
  Ints keys(keyCount), seen(n);
  for (int32_t &key : keys)
    key = int32_t(run.random() % 1000);
  std::vector<sextant::Vector<int32_t, 5>> few(n);
  std::vector<sextant::Vector<int32_t, 20>> many(n);
  auto onFew = run.array(few);
  auto onMany = run.array(many);
  auto onSeen = run.zeros<int32_t>(n);
  for (size_t i = 0; i < n; ++i) {
    std::array<int32_t, 5> a{};
    std::array<int32_t, 20> b;
    b.fill(1);
    for (int r = 0; r < 40; ++r) {
      const auto k = size_t(keys[(i + 7 * size_t(r)) % keyCount]);
      a[k % 5] += r;
      b[k % 20] += r;
      seen[i] += a[(k + 1) % 5] * 3 + b[(k + 1) % 20];
      if (r == 20) {
        b[k % 20] = -b[k % 20];
        a[k % 5] = b[19];
      }
    }
    std::copy(a.begin(), a.end(), few[i].data);
    std::copy(b.begin(), b.end(), many[i].data);
  }
  run.launch("count", run.array(keys), onFew, onMany, onSeen);
  expectSame("seen", onSeen.read(), seen);
  const auto gotFew = onFew.read();
  const auto gotMany = onMany.read();
  for (size_t i = 0; i < n; ++i) {
    for (unsigned k = 0; k < 5; ++k)
      expectSame("few", i, gotFew[i][k], few[i][k]);
    for (unsigned k = 0; k < 20; ++k)
      expectSame("many", i, gotMany[i][k], many[i][k]);
  }
}

/// Small integers, whose products and sums are exact.
void loopProduct(Run &run) {
  constexpr size_t n = 70;
  for (int size : {6, 4}) { // the rest of the product stays zero
    std::vector<sextant::Matrix<float, 6, 6>> x(n), wanted(n);
    for (auto &matrix : x)
      for (float &number : matrix.data)
        number = float(int(run.random() % 19) - 9);
    for (size_t e = 0; e < n; ++e)
      for (unsigned i = 0; i < 6; ++i)
        for (unsigned j = 0; j < 6; ++j) {
          wanted[e](i, j) = 0;
          for (unsigned k = 0; k < unsigned(size) && int(i) < size && int(j) < size; ++k)
            wanted[e](i, j) += x[e](i, k) * x[e](k, j);
        }
    auto onDevice = run.array(x);
    run.launch("multiply", onDevice, size);
    const auto got = onDevice.read();
    for (size_t e = 0; e < n; ++e)
      for (unsigned k = 0; k < 36; ++k)
        expectSame("x", e, got[e][k], wanted[e][k]);
  }
}

void outside(Run &run) {
  const Ints at = {0, 2, 3, 11, 12, -1, 100, 1, std::numeric_limits<int32_t>::min(), 5};
  auto out = run.array(std::vector<sextant::Vector<int32_t, 2>>(at.size()));
  auto changed = run.zeros<int32_t>(at.size());
  run.launch("outside", run.array(at), out, changed);
  const auto got = out.read();
  const Ints sums = changed.read();
  for (size_t i = 0; i < at.size(); ++i) {
    const bool isFew = at[i] >= 0 && at[i] < 3, isMany = at[i] >= 0 && at[i] < 12;
    expectSame("few", i, got[i][0], isFew ? 10 * (at[i] + 1) : 30);
    expectSame("many", i, got[i][1], isMany ? 10 * at[i] : 110);
    expectSame("changed", i, sums[i],
               60 + 660 + (isFew ? 1000 - 10 * (at[i] + 1) : 0) + (isMany ? 1000 - 10 * at[i] : 0));
  }
}

void stacks(Run &run) {
  Ints numbers(300), wanted;
  for (int32_t &number : numbers)
    number = int32_t(run.random() % 65536);
  numbers[0] = 0;
  numbers[1] = 65535;
  for (int32_t n : numbers) {
    int32_t turned = 0, length = 0;
    while (length < 31 && n >> length != 0)
      ++length;
    for (int32_t k = 0; k < length; ++k)
      turned |= (n >> k & 1) << (length - 1 - k);
    wanted.push_back(turned);
  }
  auto out = run.zeros<int32_t>(numbers.size());
  run.launch("stacks", run.array(numbers), out);
  expectSame("out", out.read(), wanted);
}

void carried(Run &run) {
  const Ints at = {3, 11, 0, 3, 7};
  int32_t table[12], total = 0;
  for (int k = 0; k < 12; ++k)
    table[k] = k * k;
  for (int k = 0; k < 5; ++k)
    table[at[size_t(k)]] += 100 * k;
  Ints wanted;
  for (int i = 0; i < 50; ++i)
    wanted.push_back(table[i % 12]);
  table[5] = -1;
  for (int32_t one : table)
    total += one;
  for (int32_t &one : wanted)
    one += 10000 * total - 1;
  auto out = run.zeros<int32_t>(wanted.size());
  run.launch("carried", int32_t(at.size()), run.array(at), out);
  expectSame("out", out.read(), wanted);
}

void tables(Run &run) {
  constexpr int32_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  constexpr size_t n = 100;
  Ints at(n), wanted(n);
  std::vector<float> real(n);
  for (int i = 0; i < int(n); ++i) {
    const auto k = int(run.random() % 12);
    at[size_t(i)] = k;
    int power = 1;
    for (int p = 0; p < k; ++p)
      power *= i;
    wanted[size_t(i)] = primes[k] * 1000 + (k < 4 ? power : i + k);
    real[size_t(i)] = (0.5f + float(k % 3)) * float(i);
  }
  auto out = run.zeros<int32_t>(n);
  auto x = run.zeros<float>(n);
  run.launch("tables", run.array(at), out, x);
  expectSame("out", out.read(), wanted);
  expectSame("x", x.read(), real);
}

} // namespace

void addIndexedCases(std::vector<Case> &cases) {
  cases.push_back({"indexed", "additions at run-time places", count});
  cases.push_back({"indexed", "a product by loops", loopProduct});
  cases.push_back({"indexed", "indices outside", outside});
  cases.push_back({"indexed", "a stack in a struct", stacks});
  cases.push_back({"indexed", "a variable of several tasks", carried});
  cases.push_back({"indexed", "tables", tables});
}

} // namespace conformance
