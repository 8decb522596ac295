// The code that hints to loops and caches become.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

TEST_CASE("hints of loops stand at the loops") {
  test::Analysis analysis;
  const std::string text =
      test::dumpOf(analysis, "@qd.kernel\n"
                             "def k(x: qd.types.ndarray(qd.i32, 1), n: qd.i32):\n"
                             "    qd.loop_config(block_dim=64, min_blocks=4)\n"
                             "    for i in x:\n"
                             "        qd.loop_config(unroll=4)\n"
                             "        for j in range(n):\n"
                             "            for k in range(n):\n" // the hint was the outer loop's
                             "                x[i] += k\n"
                             "        qd.loop_config(unroll=1)\n"
                             "        for j in range(0, n, 2):\n"
                             "            x[i] += j\n"
                             "        qd.loop_config(unroll=True)\n"
                             "        for a, b in qd.ndrange(3, 4):\n" // unrolls the inner axis
                             "            x[i] += a * b\n"
                             "    qd.loop_config(min_blocks=None, unroll=None)\n"
                             "    for i in x:\n"
                             "        x[i] = 0\n"
                             "    qd.loop_config(serialize=True, unroll=False)\n"
                             "    for i in range(n):\n"
                             "        x[i] = 1\n");
  CHECK(has(text, "block 64 min_blocks 4 iterations x.shape0"));
  CHECK(has(text, " = 0 to n unroll 4\n"));
  CHECK(has(text, " = 0 to n\n"));
  CHECK(has(text, "= 0 to n step 2 unroll 1\n"));
  CHECK(has(text, "= 0 to 3\n"));
  CHECK(has(text, "= 0 to 4 unroll whole\n"));
  CHECK(has(text, "k_t1 block 128 light iterations"));
  CHECK(has(text, "= 0 to n unroll 1\n"));
}

TEST_CASE("accesses say what they tell the caches") {
  test::Analysis analysis;
  const std::string text = test::dumpOf(
      analysis,
      "V = qd.types.ndarray(qd.types.vector(2, qd.f32), 1)\n"
      "@qd.kernel\n"
      "def k(x: qd.types.ndarray(qd.f32, 2), v: V):\n"
      "    for i, j in x:\n"
      "        qd.store(x, i, j, qd.load(x, j, i, cache=\"readonly\"), cache=\"stream\")\n"
      "        qd.store(v, i, qd.load(v, j, cache=\"global\"))\n"
      "        qd.store(x, i, j, qd.load(x, (j, i), cache=\"all\"), cache=\"all\")\n"
      "        while qd.load(x, 0, 0, cache=\"readonly\") == 0:\n" // a wait for another
      "            pass\n");
  CHECK(has(text, "= cached<readonly> x["));
  CHECK(has(text, "  cached<stream> x["));
  const size_t first = text.find("cached<global> v[");
  REQUIRE(first != std::string::npos);
  CHECK(has(text.substr(first + 1), "cached<global> v[")); // both components
  CHECK(has(text, "\n    v["));
  CHECK(!has(text, "cached<all>"));
  CHECK(has(text, " volatile x["));
}
