// The loops that end by updates at data-dependent places, so that blocks may take turns.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

/// The line of the task of a loop over `x` with this body, and what stands before the loop.
static std::string taskOf(const std::string &body, const std::string &before = "",
                          const std::string &range = "x") {
  test::Analysis analysis;
  const std::string text = test::dumpOf(
      analysis, "from quadrants.lang.simt import block\n"
                "V = qd.types.ndarray(qd.types.vector(3, qd.f32), 1)\n"
                "I = qd.types.ndarray(qd.i32, 1)\n"
                "@qd.kernel\n"
                "def k(x: I, y: I, z: I, r: qd.types.ndarray(qd.f32, 1), v: V, n: qd.i32,\n"
                "      h: qd.types.ndarray(qd.i16, 1)):\n" +
                    (before.empty() ? "" : "    " + before + "\n") + "    for i in " + range +
                    ":\n        " + body + "\n");
  const size_t begin = text.find("task k_t0");
  return text.substr(begin, text.find('\n', begin) - begin);
}

static bool takesTurns(const std::string &body, const std::string &before = "",
                       const std::string &range = "x") {
  const std::string task = taskOf(body, before, range);
  INFO(task);
  CHECK(has(task, "task k_t0"));
  return has(task, " turns ");
}

TEST_CASE("updates at data-dependent places scatter") {
  CHECK(takesTurns("y[x[i]] += 1"));
  CHECK(takesTurns("k = x[i] // 3 + n\n        y[k] += x[i]"));
  CHECK(takesTurns("qd.atomic_max(y[x[i]], i)"));
  CHECK(takesTurns("if x[i] > 3:\n            y[x[i]] |= 1"));
  CHECK(takesTurns(
      "if x[i] > 3:\n            y[x[i]] += 1\n        else:\n            z[x[i]] += 1"));
  CHECK(takesTurns("z[i] = 3\n        y[x[i]] += 1"));
  CHECK(takesTurns("k = x[i]\n        y[k] += 1\n        r[k] += 2.0"));
  CHECK(takesTurns("y[x[i]] += 1", "qd.loop_config(block_dim=64)"));
  CHECK(takesTurns("y[x[i]] += 1", "", "range(2, n)"));
}

TEST_CASE("other places, and uses of memory after the update, do not") {
  CHECK(!takesTurns("y[i] += x[i]"));
  CHECK(!takesTurns("y[x[i]] = 1"));
  CHECK(!takesTurns("y[x[i]] += 1\n        z[i] = 3"));
  CHECK(!takesTurns("y[x[i]] += 1\n        y[z[i]] += 1"));
  CHECK(!takesTurns("y[x[i]] += 1\n        z[x[i]] += 1")); // the second reads x after the first
  CHECK(!takesTurns("y[0] += 1\n        z[x[i]] += 1"));    // one by tables, one by a thread's sums
}

TEST_CASE("old values, narrow elements, exchanges and vectors keep an atomic each") {
  CHECK(!takesTurns("z[i] = qd.atomic_add(y[x[i]], 1)"));
  CHECK(!takesTurns("k = qd.atomic_add(z[x[i]], 1)\n        y[k] += 1"));
  CHECK(!takesTurns("qd.atomic_exchange(y[x[i]], i)"));
  CHECK(!takesTurns("h[x[i]] += qd.i16(1)"));
  CHECK(!takesTurns("v[x[i]] += qd.Vector([1.0, 2.0, 3.0])"));
  CHECK(!takesTurns("k = qd.volatile_load(x[i])\n        y[k] += 1"));
}

TEST_CASE("updates at places of the launch's take turns") {
  CHECK(takesTurns("y[0] += x[i]"));
  CHECK(takesTurns("y[n] += x[i]"));
  CHECK(takesTurns("y[0] += x[i]\n        y[1] += 1\n        r[n] += 2.0"));
  CHECK(takesTurns("if x[i] > 3:\n            qd.atomic_max(y[0], x[i])"));
  CHECK(!takesTurns("y[0] += x[i]\n        qd.atomic_max(z[0], x[i])")); // y may be z
  CHECK(!takesTurns("k = qd.atomic_add(y[0], x[i])\n        z[i] = k"));
  CHECK(!takesTurns("y[0] += x[i]\n        z[i] = x[i]"));
  CHECK(!takesTurns("for j in range(n):\n            y[0] += x[i + j]"));
  std::string many;
  for (int k = 0; k < 9; ++k)
    many += (k ? "\n        " : "") + std::string("y[") + std::to_string(k) + "] += x[i]";
  CHECK(!takesTurns(many));
}

TEST_CASE("different operators on one element stay in order") {
  CHECK(!takesTurns("k = x[i]\n        y[k] += 1\n        z[k] |= 2"));
}

TEST_CASE("loops that speak of blocks, have loops or unusual bounds do not") {
  CHECK(!takesTurns("y[x[i] + block.thread_idx()] += 1"));
  CHECK(!takesTurns("block.sync()\n        y[x[i]] += 1", "", "range(1024)"));
  CHECK(!takesTurns("for j in range(n):\n            y[x[i + j]] += 1"));
  CHECK(!takesTurns("y[x[i]] += 1", "", "range(x[0])"));
  CHECK(!takesTurns("y[x[i]] += 1", "", "range(0, n, 3)"));
}

TEST_CASE("constant loops have larger blocks where these need no test") {
  CHECK(has(taskOf("y[x[i]] += 1", "", "range(1024)"), "block 128 light turns"));
  CHECK(has(taskOf("y[x[i]] += 1", "", "range(1000)"), "block 128 light turns"));
  CHECK(has(taskOf("y[x[i]] += 1", "", "range(256)"), "block 128 turns"));
}
