// The loops that let each target choose the threads of a block.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

/// The line of the task of a loop over `x` with this body, and what stands before the loop.
static std::string taskOf(const std::string &body, const std::string &before = "",
                          const std::string &range = "x") {
  test::Analysis analysis;
  const std::string text =
      test::dumpOf(analysis, "from quadrants.lang.simt import block, subgroup\n"
                             "V = qd.types.ndarray(qd.types.vector(3, qd.i32), 1)\n"
                             "@qd.kernel\n"
                             "def k(x: qd.types.ndarray(qd.i32, 1), y: V, n: qd.i32):\n" +
                                 (before.empty() ? "" : "    " + before + "\n") + "    for i in " +
                                 range + ":\n        " + body + "\n");
  const size_t begin = text.find("task k_t0");
  return text.substr(begin, text.find('\n', begin) - begin);
}

static bool isLight(const std::string &body, const std::string &before = "",
                    const std::string &range = "x") {
  const std::string task = taskOf(body, before, range);
  INFO(task);
  CHECK(has(task, " block 128"));
  return has(task, " light ");
}

TEST_CASE("short loops without loops are light") {
  CHECK(isLight("x[i] = n * x[i]"));
  CHECK(isLight("y[i] = y[i] * 2 + y[n - i]"));
  CHECK(isLight("x[i] = x[i + 1] if x[i] > 3 else 0"));
  CHECK(isLight("x[0] += x[i]"));
  CHECK(isLight("y[i][x[i]] = 1"));
  CHECK(isLight("for j in qd.static(range(3)):\n            x[i] += y[i][j]"));
  CHECK(isLight("x[i] = 1", "qd.loop_config(name='small')"));
}

TEST_CASE("loops with loops, and long ones, are not light") {
  CHECK(!isLight("for j in range(n):\n            x[i] += j"));
  CHECK(!isLight("while x[i] > 3:\n            x[i] = x[i] // 2"));
  CHECK(!isLight("for j in qd.static(range(200)):\n            x[i] += x[i + j]"));
}

TEST_CASE("loops that speak of blocks are not light") {
  CHECK(!has(taskOf("x[i] = 1", "qd.loop_config(block_dim=64)"), "light"));
  CHECK(!isLight("x[i] = 1", "qd.loop_config(block_dim=128)"));
  CHECK(!isLight("x[i] = 1", "qd.loop_config(min_blocks=2)"));
  CHECK(!isLight("x[i] = block.thread_idx()"));
  CHECK(!isLight("x[i] = block.global_thread_idx()"));
  CHECK(!isLight("x[i] = block.reduce_add(x[i], 128, qd.i32)", "", "range(1024)"));
  CHECK(!isLight("x[i] = subgroup.shuffle_xor(x[i], qd.u32(1))"));
  CHECK(!isLight("x[i] = subgroup.invocation_id()"));
  CHECK(!isLight("block.sync()", "", "range(1024)"));
  CHECK(!isLight("block.mem_fence()"));
  CHECK(!isLight("s = block.SharedArray((128,), qd.i32)\n        s[0] = 1"));
  CHECK(!isLight("x[i] = qd.random(qd.i32)"));
}

TEST_CASE("loops with checks, which report the block, are not light") {
  test::Analysis analysis;
  analysis.options.checks = true;
  const std::string text =
      test::dumpOf(analysis, "@qd.kernel\n"
                             "def k(x: qd.types.ndarray(qd.i32, 1), n: qd.i32):\n"
                             "    for i in range(n):\n"
                             "        x[i] = 1\n");
  CHECK(has(text, "check "));
  CHECK(has(text, "task k_t0 block 128 iterations"));
}

TEST_CASE("constant loops are light where larger blocks need no test") {
  CHECK(isLight("x[i] = 1", "", "range(1024)"));
  CHECK(!isLight("x[i] = 1", "", "range(1024 + 128)"));
  CHECK(isLight("x[i] = 1", "", "range(1000)"));
}

TEST_CASE("what a light loop computes of blocks is left to the target") {
  test::Analysis analysis;
  const std::string text = test::dumpOf(analysis, "@qd.kernel\n"
                                                  "def k(x: qd.types.ndarray(qd.i32, 1)):\n"
                                                  "    for i in x:\n"
                                                  "        x[i] = i\n"
                                                  "    qd.loop_config(block_dim=128)\n"
                                                  "    for i in x:\n"
                                                  "        x[i] = i\n");
  CHECK(has(text, "= ((block_idx * block_dim) + thread_idx)\n"));
  CHECK(has(text, "= ((block_idx * 128) + thread_idx)\n"));
}
