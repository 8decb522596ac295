// `qd.precise`: which operations of a kernel are marked (written `+!` in the text of HIR), so that
// no backend makes an fma of them.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

namespace {
std::string dumpOfPrecise(const std::string &body) {
  test::Analysis analysis;
  return test::dumpOf(analysis,
                      "@qd.func\ndef product(a, b):\n    return a * b + a\n"
                      "@qd.func\ndef own(a, b):\n    p = qd.precise(a * b)\n    return p - a\n"
                      "@qd.kernel\ndef k(o: qd.types.ndarray(qd.f32, 1), n: qd.i32, a: qd.f32, "
                      "b: qd.f32):\n    for i in o:\n" +
                          body);
}
} // namespace

TEST_CASE("arithmetic in qd.precise is marked, and no other") {
  CHECK(has(dumpOfPrecise("        o[i] = qd.precise(a * b - b)\n"), "((a *! b) -! b)"));
  const std::string sum = dumpOfPrecise("        o[i] = qd.precise(a * b) + b\n");
  CHECK(has(sum, "(a *! b) + b)"));
  CHECK(!has(dumpOfPrecise("        o[i] = a * b + b\n"), "!"));
}

TEST_CASE("qd.precise goes into what the expression consists of") {
  CHECK(has(dumpOfPrecise("        o[i] = qd.precise(qd.sqrt(a * a + b * b))\n"),
            "sqrt(((a *! a) +! (b *! b)))"));
  CHECK(has(dumpOfPrecise("        o[i] = qd.precise(qd.select(a > b, a + b, a - b))\n"),
            "select((a > b), (a +! b), (a -! b))"));
  // A product that is written to a local on the way.
  CHECK(
      has(dumpOfPrecise("        o[i] = qd.precise((a * b if a > o[i] else b + a) - b)\n"), "*!"));
  CHECK(has(dumpOfPrecise("        o[i] = qd.precise(qd.math.fma(a, b, a))\n"), "(a *! b) +! a)"));
  // Integers have no such mark, nor have comparisons.
  CHECK(has(dumpOfPrecise("        o[i] = qd.precise(n * n + i)\n"), "(n * n) + "));
}

TEST_CASE("qd.precise does not go into functions, which may have their own") {
  CHECK(has(dumpOfPrecise("        o[i] = product(a, b) + qd.precise(a * b)\n"), "(a *! b)"));
  CHECK(has(dumpOfPrecise("        o[i] = own(a, b)\n"), "*!"));
  CHECK(!has(dumpOfPrecise("        o[i] = own(a, b)\n"), "-!"));
}
