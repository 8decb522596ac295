// Bit functions: counts on all values of 8 and 16 bits (ArithmeticTest.cpp has the wider
// ones), and fns at the edges of its operands.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

template <class T> void counts(Run &run, const char *kernel) {
  using U = std::make_unsigned_t<T>;
  const size_t count = size_t(1) << (8 * sizeof(T));
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = T(U(i));
  auto x = run.array(values);
  auto result = run.zeros2<int32_t>(3, count);
  run.launch(kernel, x, result);
  auto out = result.read();
  for (size_t i = 0; i < count; ++i) {
    const U bits = U(i);
    int ones = 0, leading = 0, first = 0;
    for (unsigned at = 0; at < 8 * sizeof(T); ++at) {
      const bool isSet = bits >> at & 1;
      ones += isSet;
      leading = isSet ? 0 : leading + 1;
      if (isSet && first == 0)
        first = int(at) + 1;
    }
    const int32_t expected[] = {ones, leading, first};
    for (size_t row = 0; row < 3; ++row)
      expectSame("count " + std::to_string(row) + " of " + std::to_string(i), i,
                 out[row * count + i], expected[row]);
  }
}

/// As PTX describes fns.b32; a base that is not a bit finds nothing.
uint32_t search(uint32_t mask, int32_t base, int32_t offset) {
  if (base < 0 || base > 31)
    return ~0u;
  if (offset == 0)
    return mask >> base & 1 ? uint32_t(base) : ~0u;
  int64_t left = std::abs(int64_t(offset));
  for (int at = base; at >= 0 && at < 32; at += offset > 0 ? 1 : -1)
    if ((mask >> at & 1) && --left == 0)
      return uint32_t(at);
  return ~0u;
}

void searches(Run &run) {
  std::vector<uint32_t> masks;
  std::vector<int32_t> bases, offsets;
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  constexpr int32_t most = std::numeric_limits<int32_t>::max();
  for (uint32_t mask : {0u, 1u, 0x80000000u, 0xaaaaaaaau, 0x55555555u, 0x00010000u, 0x0000ffffu,
                        0xffff0000u, 0x80000001u, 0xffffffffu, 0x7fffffffu, 0xfffffffeu})
    for (int32_t base : {0, 1, 2, 3, 15, 16, 17, 30, 31, -1, 32, 33, 63, 64, least, most})
      for (int32_t offset :
           {0, 1, -1, 2, -2, 15, 16, -16, 17, 31, -31, 32, -32, 33, -33, most, least, least + 1}) {
        masks.push_back(mask);
        bases.push_back(base);
        offsets.push_back(offset);
      }
  auto m = run.array(masks);
  auto b = run.array(bases), o = run.array(offsets);
  auto result = run.zeros<uint32_t>(masks.size());
  run.launch("search", m, b, o, result);
  auto out = result.read();
  for (size_t i = 0; i < masks.size(); ++i)
    expectSame("fns(" + std::to_string(masks[i]) + ", " + std::to_string(bases[i]) + ", " +
                   std::to_string(offsets[i]) + ")",
               i, out[i], search(masks[i], bases[i], offsets[i]));
}

} // namespace

void addBitCases(std::vector<Case> &cases) {
  cases.push_back({"bit_counts", "i8", [](Run &run) { counts<int8_t>(run, "counts_i8"); }});
  cases.push_back({"bit_counts", "u8", [](Run &run) { counts<uint8_t>(run, "counts_u8"); }});
  cases.push_back({"bit_counts", "i16", [](Run &run) { counts<int16_t>(run, "counts_i16"); }});
  cases.push_back({"bit_counts", "u16", [](Run &run) { counts<uint16_t>(run, "counts_u16"); }});
  cases.push_back({"bit_counts", "fns at its edges", searches});
}

} // namespace conformance
