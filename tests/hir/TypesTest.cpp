// Conversions of the compiler's exact numbers.
#include "frontend/hir/Types.h"

#include "tests/support/Catch.h"

#include <cmath>

using namespace sextant::hir;

TEST_CASE("toInteger: towards zero, to the nearest end of the type, 0 of NaN") {
  CHECK(toInteger(-2.9, Type::I32) == -2);
  CHECK(toInteger(127.9, Type::I8) == 127);
  CHECK(toInteger(300, Type::I8) == 127);
  CHECK(toInteger(-1e300, Type::I16) == -32768);
  CHECK(toInteger(-0.9, Type::U8) == 0);
  CHECK(toInteger(-INFINITY, Type::U32) == 0);
  CHECK(toInteger(0x1p63, Type::I64) == Exact(INT64_MAX));
  CHECK(toInteger(0x1p63, Type::U64) == Exact(1) << 63);
  CHECK(toInteger(INFINITY, Type::U64) == Exact(UINT64_MAX));
  CHECK(toInteger(NAN, Type::I64) == 0);
}

TEST_CASE("toReal: an integer is rounded once, also to a narrower real") {
  const Exact above = (Exact(1) << 53) + (Exact(1) << 29) + 1; // half an f32's step, and one
  CHECK(float(toReal(above, Type::F32)) == 0x1p53f + 0x1p30f);
  CHECK(float(toReal(-above, Type::F32)) == -0x1p53f - 0x1p30f);
  CHECK(float(toReal(above - 1, Type::F32)) == 0x1p53f);
  CHECK(float(toReal(above - 2, Type::F32)) == 0x1p53f);
  CHECK(toReal(above, Type::F64) == 0x1p53 + 0x1p29);
  CHECK(toReal(Exact(UINT64_MAX), Type::F64) == 0x1p64);
  CHECK(toReal(-7, Type::F16) == -7);
}
