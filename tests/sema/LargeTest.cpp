// The positions, extents and counters that are i64: those of arguments where the build asks for it,
// those of fields and of constant loops where they need it.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

namespace {

std::string dumpOfLarge(const std::string &text, bool largeArrays) {
  test::Analysis analysis;
  analysis.options.largeArrays = largeArrays;
  return test::dumpOf(analysis, text);
}

} // namespace

TEST_CASE("arguments are indexed by i64 where the build asks for it") {
  const std::string text = "F = qd.field(qd.f32, shape=(4, 8))\n"
                           "@qd.kernel\n"
                           "def k(x: qd.types.ndarray(qd.f32, 2), a: qd.i32, b: qd.i32):\n"
                           "    x[a, b] = F[a, b]\n"
                           "    for i in range(x.shape[0]):\n"
                           "        x[i, b] = 1.0\n";
  const std::string ordinary = dumpOfLarge(text, false), large = dumpOfLarge(text, true);
  CHECK(has(ordinary, "param x.shape1 i32\n"));
  CHECK(has(ordinary, "%v.0 = F[((a *@ 8) +@ b)]\n  x[((a *@ x.shape1) +@ b)] = %v.0\n"));
  CHECK(has(ordinary, "%i.1 = %iteration.0\n"));
  CHECK(has(large, "param x.shape1 i64\n"));
  CHECK(has(large, "%v.0 = F[((a *@ 8) +@ b)]\n  x[((i64(a) *@ x.shape1) +@ i64(b))] = %v.0\n"));
  // A grid of any size strides over the iterations.
  CHECK(has(large, "iterations x.shape0\n"));
  CHECK(has(large, "%base.0 = u64(u32((block_idx * 128)))\n  while (%base.0 < u64(x.shape0))\n"));
  CHECK(has(large, "%iteration.1 = (%base.0 + u64(u32(thread_idx)))\n"));
  CHECK(has(large, "%i.2 = i64(%iteration.1)\n"));
  CHECK(has(large, "x[((%i.2 *@ x.shape1) +@ i64(b))] = 1:f32\n"));
}

TEST_CASE("fields and constant loops are wide where they need it") {
  const std::string text = "L = qd.field(qd.i8, shape=(1 << 16, 1 << 15))\n"
                           "S = qd.field(qd.i8, shape=(1 << 16, (1 << 15) - 1))\n"
                           "V = qd.Vector.field(3, qd.f32, shape=1 << 30)\n"
                           "@qd.dataclass\n"
                           "class P:\n"
                           "    a: qd.i8\n"
                           "    v: qd.types.vector(2, qd.f32)\n"
                           "R = P.field(shape=(1 << 15, 1 << 15))\n"
                           "@qd.kernel\n"
                           "def k(a: qd.i32, b: qd.i32):\n"
                           "    L[a, b] = 1\n"
                           "    S[a, b] = 2\n"
                           "    V[a].y = 3.0\n"
                           "    R[a, b].v.y = 4.0\n"
                           "    for i in range(-2000000000, 2000000000):\n"
                           "        L[0, i] = 5\n"
                           "    for i, j in S:\n"
                           "        S[i, j] = 6\n"
                           "    for i, j in L:\n"
                           "        L[i, j] = 7\n";
  for (bool isLarge : {false, true}) {
    const std::string dump = dumpOfLarge(text, isLarge);
    CHECK(has(dump, "L[((i64(a) *@ 32768:i64) +@ i64(b))] = 1:i8\n"));
    CHECK(has(dump, "S[((a *@ 32767) +@ b)] = 2:i8\n"));
    CHECK(has(dump, "V[((i64(a) *@ 3:i64) +@ 1:i64)] = 3:f32\n"));
    CHECK(has(dump, "R.v[((%t.0 *@ 2:i64) +@ 1:i64)] = 4:f32\n"));
    CHECK(has(dump, "iterations 4000000000\n"));
    CHECK(has(dump, "while (%base.0 < 4000000000:u32)\n"));
    CHECK(has(dump, "L[i64(%i.2)] = 5:i8\n"));
    CHECK(has(dump, "iterations 2147418112\n"));
    CHECK(has(dump, "S[((%i.2 *@ 32767) +@ %j.3)] = 6:i8\n"));
    CHECK(has(dump, "iterations 2147483648\n"));
    CHECK(has(dump, "while (%base.0 < 2147483648:u32)\n"));
  }
}

TEST_CASE("bounds in memory make ranges of 64 bits where the build asks for it") {
  const std::string text =
      "@qd.kernel\n"
      "def k(n: qd.types.ndarray(qd.i32, 1), x: qd.types.ndarray(qd.i32, 1)):\n"
      "    for i, j in qd.ndrange(n[0], n[1]):\n"
      "        x[i] = j\n";
  CHECK(has(dumpOfLarge(text, false), "4294967295:u32"));
  const std::string large = dumpOfLarge(text, true);
  CHECK(has(large, "18446744073709551615:u64"));
  CHECK(has(large, "x[i64(%i"));
}

TEST_CASE("whole blocks are demanded of launches, and strided over") {
  const std::string text = "@qd.kernel\n"
                           "def k(x: qd.types.ndarray(qd.i32, 1)):\n"
                           "    qd.loop_config(block_dim=64)\n"
                           "    for i in range(x.shape[0]):\n"
                           "        x[i] = 1\n"
                           "        block.sync()\n";
  CHECK(has(dumpOfLarge(text, true), "block 64 full iterations x.shape0\n"));
}

TEST_CASE("views of more elements than an i32 counts keep their size") {
  for (const char *view :
       {"v[0:2147483648]", "v[0:4294967296]", "v[4294967296:4294967297]",
        "v.subview(0, 2147483648)", "v.subview(4294967296, 1)", "qd.BufferView(x, 0, 2147483648)",
        "qd.BufferView(c, 0, 4294967296)", "v[0:4294967296][1:2147483650]"})
    for (const bool checks : {false, true}) {
      INFO(view << " " << checks);
      test::Analysis analysis;
      analysis.options.checks = checks;
      const std::string text = test::dumpOf(
          analysis, "@qd.kernel\n"
                    "def k(v: qd.BufferView[qd.f32], x: qd.types.ndarray(qd.f32, 1),\n"
                    "      c: qd.types.ndarray(qd.f32, 1, boundary=\"clamp\"), n: qd.i32):\n"
                    "    for i in range(1):\n"
                    "        m = " +
                        std::string(view) +
                        "\n"
                        "        m[0] = 1\n"
                        "        m[n] = 2\n"
                        "        x[0] = m[n]\n");
      CHECK(test::has(text, "is outside of") == checks);
    }
}

TEST_CASE("a view of more elements than an i64 counts is an error") {
  for (const char *view : {"v[0:9223372036854775808]", "v.subview(0, 18446744073709551615)",
                           "v.subview(9223372036854775808, 1)"}) {
    INFO(view);
    test::Analysis analysis;
    analysis.options.checks = true;
    analysis.runText("@qd.kernel\ndef k(v: qd.BufferView[qd.f32]):\n    for i in range(1):\n"
                     "        m = " +
                     std::string(view) + "\n        m[0] = 1\n");
    CHECK(test::has(analysis.errors(), "does not fit i64"));
  }
}
