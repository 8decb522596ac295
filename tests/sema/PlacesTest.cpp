// Things that can be stored to, and what choices between vectors and scalars become.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

namespace {
std::string dumpOfPlaces(const std::string &body) {
  test::Analysis analysis;
  return test::dumpOf(analysis, "F = qd.field(qd.f32, shape=8)\n"
                                "@qd.kernel\ndef k(o: qd.types.ndarray(qd.f32, 1), "
                                "w: qd.types.ndarray(qd.types.vector(3, qd.f32), 1), c: qd.i32):\n"
                                "    for i in range(4):\n        v = qd.Vector([1.0, 2.0])\n"
                                "        m = qd.Matrix([[1.0, 2.0], [3.0, 4.0]])\n" +
                                    body + "        o[i] = v.x + v.y + m.sum()\n");
}
} // namespace

TEST_CASE("several components of a vector are stored to, each once") {
  CHECK(has(dumpOfPlaces("        w[i].zx = v\n"),
            "%t.8 = %v_0.2\n    %t.9 = %v_1.3\n"
            "    w[((%i.1 *@ 3) +@ 2)] = %t.8\n    w[(%i.1 *@ 3)] = %t.9\n"));
  std::string colours = dumpOfPlaces("        w[i].rgb += 1\n");
  CHECK(has(colours, "atomic_add(w[(%i.1 *@ 3)], 1:f32)"));
  CHECK(has(colours, "atomic_add(w[((%i.1 *@ 3) +@ 1)], 1:f32)"));
  CHECK(has(colours, "atomic_add(w[((%i.1 *@ 3) +@ 2)], 1:f32)"));
  CHECK(has(dumpOfPlaces("        w[i].xy *= 2.0\n"), "w[(%i.1 *@ 3)] = %t.10\n"));
  CHECK(has(dumpOfPlaces("        qd.atomic_max(w[i].yz, v)\n"),
            "atomic_max(w[((%i.1 *@ 3) +@ 2)], %t.9)"));
  CHECK(has(dumpOfPlaces("        v.yx = v\n"), "%v_1.3 = %t.8\n    %v_0.2 = %t.9\n"));
}

TEST_CASE("the steps to a position do not wrap, but arithmetic of an index does") {
  const std::string dump =
      dumpOfPlaces("        w[i * c + 1].x = 2.0\n        o[i * c + 1] = 1.0\n");
  CHECK(has(dump, " = ((%i.1 * c) + 1)\n"));
  CHECK(has(dump, " *@ 3)] = 2:f32\n"));
}

TEST_CASE("a row of a matrix, and an array in a tuple, are places") {
  CHECK(has(dumpOfPlaces("        m[1] = v\n"), "%m_2.6 = %t.8\n    %m_3.7 = %t.9\n"));
  CHECK(has(dumpOfPlaces("        (o, F)[1][i] = 3.0\n"), "F[%i.1] = 3:f32"));
  CHECK(has(dumpOfPlaces("        both = (o, F)\n        both[-1][i] += 3.0\n"),
            "atomic_add(F[%i.1], 3:f32)"));
}

TEST_CASE("a scalar beside a vector fills one") {
  std::string chosen = dumpOfPlaces("        v = v if c > 1 else 0.0\n");
  CHECK(has(chosen, "select(%t.8, %v_0.2, 0:f32)"));
  CHECK(has(chosen, "select(%t.8, %v_1.3, 0:f32)"));
  CHECK(has(dumpOfPlaces("        v = qd.select(v > 1.5, 7.0, v)\n"),
            "select((%v_1.3 > 1.5:f32), 7:f32, %v_1.3)"));
  CHECK(has(dumpOfPlaces("        v = qd.select(v > 1.5, 7.0, 8.0)\n"),
            "select((%v_1.3 > 1.5:f32), 7:f32, 8:f32)"));
}

TEST_CASE("any and all are methods of short vectors, too") {
  CHECK(has(dumpOfPlaces("        o[0] = 1.0 if v.any() else 2.0\n"), "(u1(%v_0.2) | u1(%v_1.3))"));
  CHECK(has(dumpOfPlaces("        o[0] = 1.0 if v.all() else 2.0\n"), "(u1(%v_0.2) & u1(%v_1.3))"));
}
