// Arrays of structs in one piece, against structs of C++ in memory; see kernels/records.py and
// kernels/records_wide.py.
#include "tests/conformance/Harness.h"

#include <cstddef>

namespace conformance {

namespace {

/// As the kernel files have them. Halves are bits.
struct Spot {
  float x;
  bool on;
};
struct Grain {
  uint8_t kind;
  int64_t id;
  float pos[3];
  int8_t flags[3];
  Spot spot;
  uint16_t half;
  int16_t n;
  uint16_t brain;
  float turn[2][2];
  uint32_t count;
  bool on;
};
struct Short {
  int16_t n;
  float f;
  uint16_t m;
};
struct Node {
  int32_t next;
  float weight;
};
struct Wide {
  float a[4];
  int32_t b[4];
  uint32_t c[2];
  float d[2];
};
struct Big {
  bool on;
  double mass, spin[2];
  uint16_t half;
  uint64_t id;
};
static_assert(sizeof(Grain) == 72 && sizeof(Short) == 12 && sizeof(Big) == 48);

/// The layout that kernels and hosts agree on: units of the size of the smallest scalar.
template <class S> struct UnitOf;
template <> struct UnitOf<Grain> {
  using Type = uint8_t;
};
template <> struct UnitOf<Short> {
  using Type = uint16_t;
};
template <> struct UnitOf<Node> {
  using Type = uint32_t;
};
template <> struct UnitOf<Wide> {
  using Type = uint32_t;
};
template <> struct UnitOf<Big> {
  using Type = uint8_t;
};
template <class S>
using Element =
    sextant::Vector<typename UnitOf<S>::Type, sizeof(S) / sizeof(typename UnitOf<S>::Type)>;

template <class E, class M> void put(E &element, size_t offset, const M &member) {
  std::memcpy(reinterpret_cast<char *>(&element) + offset, &member, sizeof member);
}
template <class M, class E> M take(const E &element, size_t offset) {
  M member;
  std::memcpy(&member, reinterpret_cast<const char *>(&element) + offset, sizeof member);
  return member;
}
#define PUT(element, S, member, ...)                                                               \
  put(element, offsetof(S, member), decltype(S::member)(__VA_ARGS__))

/// `count` elements whose bytes, and so all padding, are `fill`.
template <class S> std::vector<Element<S>> filled(size_t count, int fill) {
  std::vector<Element<S>> elements(count);
  std::memset(elements.data(), fill, count * sizeof(S));
  return elements;
}

/// Compares byte by byte, and names the first that differs.
template <class E>
void expectBytes(const char *what, const std::vector<E> &got, const std::vector<E> &wanted) {
  std::vector<int> gotBytes(got.size() * sizeof(E)), wantedBytes(wanted.size() * sizeof(E));
  for (size_t k = 0; k < gotBytes.size(); ++k)
    gotBytes[k] = reinterpret_cast<const unsigned char *>(got.data())[k];
  for (size_t k = 0; k < wantedBytes.size(); ++k)
    wantedBytes[k] = reinterpret_cast<const unsigned char *>(wanted.data())[k];
  expectSame(what, gotBytes, wantedBytes);
}

using Three = std::array<float, 3>;
using Flags = std::array<int8_t, 3>;
using Turn = std::array<float, 4>;

constexpr uint16_t halfOne = 0x3c00, halfTwo = 0x4000; // f16
constexpr uint16_t brainHalf = 0x3f00, brainTwoAndHalf = 0x4020;

std::vector<Element<Grain>> someGrains(size_t count) {
  auto grains = filled<Grain>(count, 0xa5);
  for (size_t i = 0; i < count; ++i) {
    const int k = int(i);
    Element<Grain> &grain = grains[i];
    PUT(grain, Grain, kind, 200 + 3 * k);
    PUT(grain, Grain, id, int64_t(k) << 40);
    put(grain, offsetof(Grain, pos), Three{float(k), float(10 * k), -1.5f});
    put(grain, offsetof(Grain, flags), Flags{int8_t(k + 1), int8_t(-k - 2), int8_t(k + 3)});
    put(grain, offsetof(Grain, spot) + offsetof(Spot, x), 0.25f * float(k));
    put(grain, offsetof(Grain, spot) + offsetof(Spot, on), k % 2 == 0);
    PUT(grain, Grain, half, halfOne);
    PUT(grain, Grain, n, -300 * k);
    PUT(grain, Grain, brain, brainHalf);
    put(grain, offsetof(Grain, turn), Turn{1.0f, float(2 + k), 3.0f, 4.0f});
    PUT(grain, Grain, count, k);
    PUT(grain, Grain, on, false);
  }
  return grains;
}

constexpr size_t grainCount = 70;

void eachMember(Run &run) {
  auto wanted = someGrains(grainCount);
  auto x = run.array(wanted);
  run.launch("each_member", x);
  for (size_t i = 0; i < grainCount; ++i) {
    const int k = int(i);
    Element<Grain> &grain = wanted[i];
    PUT(grain, Grain, kind, (200 + 3 * k) * 2 + 1);
    PUT(grain, Grain, id, (int64_t(k) << 40) - 5000000000);
    auto flags = take<Flags>(grain, offsetof(Grain, flags));
    flags[i % 3] = int8_t(-flags[i % 3]);
    put(grain, offsetof(Grain, flags), flags);
    put(grain, offsetof(Grain, spot) + offsetof(Spot, x), float(10 * k) - 0.25f * float(k));
    put(grain, offsetof(Grain, spot) + offsetof(Spot, on), k % 2 != 0);
    PUT(grain, Grain, half, halfTwo);
    PUT(grain, Grain, brain, brainTwoAndHalf);
    put(grain, offsetof(Grain, turn), Turn{1.0f, float(2 + k), float(3 + k), 4.0f});
    PUT(grain, Grain, count, ~uint32_t(k));
    PUT(grain, Grain, on, k < 4);
    put(grain, offsetof(Grain, pos), Three{float(k) + 0.5f, float(k), -2.0f * float(k)});
    PUT(grain, Grain, n, -300 * k + 1);
  }
  expectBytes("x", x.read(), wanted);
}

/// Writes the members of `from` to `to`, and leaves the padding.
void copyMembers(Element<Grain> &to, const Element<Grain> &from) {
  auto copy = [&](size_t offset, size_t bytes) {
    std::memcpy(reinterpret_cast<char *>(&to) + offset,
                reinterpret_cast<const char *>(&from) + offset, bytes);
  };
  copy(offsetof(Grain, kind), 1);
  copy(offsetof(Grain, id), 8 + 12 + 3); // to the end of `flags`
  copy(offsetof(Grain, spot), 4 + 1);
  copy(offsetof(Grain, half), 2 + 2 + 2);
  copy(offsetof(Grain, turn), 16 + 4 + 1); // to the end of `on`
}

void moved(Run &run) {
  const auto grains = someGrains(grainCount);
  auto x = run.array(grains), y = run.array(filled<Grain>(grainCount, 0x5a));
  auto wanted = filled<Grain>(grainCount, 0x5a);
  auto wantedLate = filled<Grain>(4, 0), wantedField = filled<Grain>(6, 0);
  std::vector<Element<Grain>> late(4), field(6);
  run.launch("moved", x, y);
  for (size_t i = 0; i < grainCount; ++i) {
    Element<Grain> changed = grains[i];
    PUT(changed, Grain, count, i + 100);
    copyMembers(wanted[grainCount - 1 - i], changed);
    if (i < 4)
      copyMembers(wantedLate[i], changed);
    if (i < 6) {
      copyMembers(wantedField[i], grains[i]);
      put(wantedField[i], offsetof(Grain, spot) + offsetof(Spot, x), 7.5f);
      put(wantedField[i], offsetof(Grain, spot) + offsetof(Spot, on), i / 3 == i % 3);
    }
  }
  run.program.read("late", late);
  run.program.read("grains", field);
  expectBytes("x", x.read(), grains);
  expectBytes("y", y.read(), wanted);
  expectBytes("late", late, wantedLate);
  expectBytes("grains", field, wantedField);
}

void atomics(Run &run) {
  auto wanted = filled<Grain>(3, 0xa5);
  Element<Grain> &first = wanted[0];
  PUT(first, Grain, kind, 250);
  put(first, offsetof(Grain, pos), Three{});
  put(first, offsetof(Grain, flags), Flags{1, 2, 3});
  put(first, offsetof(Grain, spot) + offsetof(Spot, x), 1.0f);
  PUT(first, Grain, half, 0);
  PUT(first, Grain, n, 5);
  PUT(first, Grain, brain, 0);
  put(first, offsetof(Grain, turn), Turn{});
  PUT(first, Grain, count, 0xffff);
  PUT(first, Grain, on, false);
  PUT(wanted[1], Grain, count, 7);
  auto x = run.array(wanted);
  auto winner = run.array(std::vector<int32_t>{-1});
  run.launch("atomics", x, winner);
  PUT(first, Grain, kind, 250 + 96);
  put(first, offsetof(Grain, pos), Three{-64, -64, -64});
  put(first, offsetof(Grain, flags), Flags{1, 95, 3});
  put(first, offsetof(Grain, spot) + offsetof(Spot, x), 47.5f);
  PUT(first, Grain, half, 0x5600); // 96
  PUT(first, Grain, n, -95);
  PUT(first, Grain, brain, 0x42be); // 95
  put(first, offsetof(Grain, turn), Turn{96, 48, 0, -96});
  PUT(first, Grain, count, ~0xffffu); // each bit three times
  PUT(first, Grain, on, true);
  const int32_t won = winner.read()[0];
  if (won < 0 || won >= 96)
    throw Mismatch{"no thread won the swap"};
  PUT(wanted[1], Grain, count, 100 + won);
  expectBytes("x", x.read(), wanted);
}

void units(Run &run) {
  constexpr int n = 50;
  auto shorts = filled<Short>(n, 0x77), wanted = shorts;
  for (int i = 0; i < n; ++i) {
    PUT(shorts[size_t(i)], Short, n, 7 * i - 200);
    PUT(shorts[size_t(i)], Short, m, 60000 + i);
    PUT(wanted[size_t(i)], Short, f, float(7 * i - 200) * 0.5f + float(60000 + i));
    PUT(wanted[size_t(i)], Short, n, 60000 + i);
    PUT(wanted[size_t(i)], Short, m, 7 * i - 200);
  }
  auto x = run.array(shorts);
  run.launch("shorts", x);
  expectBytes("shorts", x.read(), wanted);

  // Lists: each node leads to the one two after it.
  std::vector<Element<Node>> nodes(n);
  std::vector<float> sums(n);
  for (int i = n - 1; i >= 0; --i) {
    const float weight = float(i % 7);
    PUT(nodes[size_t(i)], Node, next, i + 2 < n ? i + 2 : -1);
    PUT(nodes[size_t(i)], Node, weight, weight);
    sums[size_t(i)] = weight + (i + 2 < n ? sums[size_t(i + 2)] : 0);
  }
  auto out = run.zeros<float>(n);
  run.launch("walk", run.array(nodes), out);
  expectSame("sums", out.read(), sums);
}

void wide(Run &run) {
  constexpr int n = 40;
  auto elements = filled<Wide>(n, 0), wanted = filled<Wide>(n, 0x33);
  std::array<float, 4> total{};
  for (int i = 0; i < n; ++i) {
    const float f = float(i);
    const std::array<float, 4> a{f, f + 1, f + 2, f + 3};
    const std::array<int32_t, 4> b{i, 2 * i, 3 * i, 4 * i};
    Element<Wide> &x = elements[size_t(i)], &y = wanted[size_t(i)];
    // Other threads add to the first element: this is only from the others.
    put(x, offsetof(Wide, a), i == 0 ? std::array<float, 4>{} : a);
    put(x, offsetof(Wide, b), b);
    put(x, offsetof(Wide, c), std::array<uint32_t, 2>{uint32_t(i), 0xf0000000u + uint32_t(i)});
    put(x, offsetof(Wide, d), std::array<float, 2>{0.5f, -f});
    put(y, offsetof(Wide, a),
        std::array<float, 4>{a[0] + 0.5f, a[1] + 0.5f, a[2] + 0.5f, float(4 * i)});
    put(y, offsetof(Wide, b), std::array<int32_t, 4>{0, i, 2 * i, 3 * i});
    put(y, offsetof(Wide, c), std::array<uint32_t, 2>{0xf0000000u + uint32_t(i), uint32_t(i)});
    put(y, offsetof(Wide, d), std::array<float, 2>{-f, float(4 * i)});
    for (size_t k = 0; k < 4 && i > 0; ++k)
      total[k] += a[k] + 0.5f;
  }
  auto x = run.array(elements), y = run.array(filled<Wide>(n, 0x33));
  run.launch("wide", x, y);
  const auto got = y.read();
  expectBytes("y", std::vector(got.begin() + 1, got.end()),
              std::vector(wanted.begin() + 1, wanted.end()));
  // The first thread also added what it found in its own element.
  const auto own = take<std::array<float, 4>>(got[0], offsetof(Wide, a));
  const auto sum = take<std::array<float, 4>>(x.read()[0], offsetof(Wide, a));
  for (size_t k = 0; k < 3; ++k)
    expectSame("sum", k, sum[k], total[k] + own[k]);
}

void big(Run &run) {
  auto wanted = filled<Big>(3, 0xc3);
  for (int i = 0; i < 3; ++i) {
    Element<Big> &one = wanted[size_t(i)];
    PUT(one, Big, on, false);
    PUT(one, Big, mass, 3.0 * i);
    put(one, offsetof(Big, spin), std::array<double, 2>{1e300, i * 0.5});
    PUT(one, Big, half, halfOne);
    PUT(one, Big, id, ~uint64_t(0) - uint64_t(i));
  }
  auto x = run.array(wanted);
  run.launch("big", x);
  static constexpr uint16_t halves[] = {0x3c00, 0x4000, 0x4200}; // 1 to 3
  auto wantedField = filled<Big>(3, 0);
  for (int i = 0; i < 3; ++i) {
    Element<Big> &one = wanted[size_t(i)], &other = wantedField[size_t(i)];
    for (Element<Big> *each : {&one, &other}) {
      PUT(*each, Big, on, i > 1);
      PUT(*each, Big, mass, double(i));
      put(*each, offsetof(Big, spin), std::array<double, 2>{double(i), 2e300});
      PUT(*each, Big, half, halves[i]);
      PUT(*each, Big, id, -uint64_t(i));
    }
  }
  std::vector<Element<Big>> field(3);
  run.program.read("bigs", field);
  expectBytes("x", x.read(), wanted);
  expectBytes("bigs", field, wantedField);

  run.launch("sums", x);
  PUT(wanted[1], Big, mass, 17.0);
  put(wanted[1], offsetof(Big, spin), std::array<double, 2>{63.0, 2e300});
  PUT(wanted[1], Big, id, uint64_t(64) * (uint64_t(1) << 33) - 1);
  expectBytes("x", x.read(), wanted);
}

#undef PUT

} // namespace

void addRecordCases(std::vector<Case> &cases) {
  cases.push_back({"records", "each member of a struct in one piece", eachMember});
  cases.push_back({"records", "structs in one piece as wholes", moved});
  cases.push_back({"records", "atomics on members", atomics});
  cases.push_back({"records", "units of 2 and 4 bytes", units});
  cases.push_back({"records", "vectors in structs", wide});
  cases.push_back({"records_f64", "members of 8 bytes", big});
}

} // namespace conformance
