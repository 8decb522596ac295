// The tasks that say that their blocks may wait for each other.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

TEST_CASE("tasks whose blocks may wait for each other say so") {
  test::Analysis analysis;
  const std::string text = test::dumpOf(
      analysis, "F = qd.field(qd.i32, shape=())\n"
                "@qd.kernel\n"
                "def k(x: qd.types.ndarray(qd.i32, 1), n: qd.i32):\n"
                "    for i in range(n):\n" // a flag
                "        while qd.volatile_load(x[0]) == 0:\n"
                "            pass\n"
                "    for i in range(n):\n" // plain loads, which the wait makes volatile
                "        while x[1] == 0:\n"
                "            pass\n"
                "    for i in range(n):\n" // a lock, inside the loop
                "        go = 1\n"
                "        while go == 1:\n"
                "            if qd.atomic_exchange(F[None], 1) == 0:\n"
                "                go = 0\n"
                "    for i in range(n):\n" // no while, though it is a loop of atomics
                "        for j in range(3):\n"
                "            x[j] += i\n"
                "    for i in x:\n" // nobody changes what it reads
                "        j = 0\n"
                "        while j < x[i]:\n"
                "            j += 1\n"
                "    for i in range(n):\n" // threads of one block
                "        s = qd.simt.block.SharedArray((4,), qd.i32)\n"
                "        while qd.atomic_or(s[0], 0) == 0:\n"
                "            pass\n"
                "    for i in range(x[2]):\n" // a loop over iterations is not a wait
                "        x[3] += 1\n");
  const bool expected[] = {true, true, true, false, false, false, false};
  for (int task = 0; task < 7; ++task) {
    const size_t at = text.find("task k_t" + std::to_string(task) + " ");
    REQUIRE(at != std::string::npos);
    INFO(task);
    CHECK(has(text.substr(at, text.find('\n', at) - at), " waits") == expected[task]);
  }
}

TEST_CASE("loops that only wait step back between their looks") {
  test::Analysis analysis;
  const std::string text =
      test::dumpOf(analysis, "@qd.kernel\n"
                             "def k(x: qd.types.ndarray(qd.i32, 1), n: qd.i32):\n"
                             "    for i in range(n):\n"
                             "        while x[1] == 0:\n"
                             "            pass\n"
                             "    for i in range(n):\n"
                             "        while qd.volatile_load(x[0]) == 0:\n"
                             "            continue\n"
                             "    for i in range(n):\n" // reads it again
                             "        word = x[0]\n"
                             "        while word == 0:\n"
                             "            word = qd.atomic_or(x[2], 0)\n"
                             "    for i in range(n):\n" // works with it
                             "        j = 0\n"
                             "        while j < 5:\n"
                             "            j += qd.volatile_load(x[0])\n"
                             "    for i in range(n):\n" // threads of one block
                             "        s = qd.simt.block.SharedArray((4,), qd.i32)\n"
                             "        while qd.atomic_or(s[0], 0) == 0:\n"
                             "            pass\n"
                             "    for i in range(n):\n" // as it is asked to
                             "        j = 0\n"
                             "        while j == 0:\n"
                             "            qd.simt.grid.pause()\n"
                             "            j = x[i] + j\n");
  const bool expected[] = {true, true, true, false, false, true};
  for (int task = 0; task < 6; ++task) {
    const size_t at = text.find("task k_t" + std::to_string(task) + " ");
    REQUIRE(at != std::string::npos);
    INFO(task);
    CHECK(has(text.substr(at, text.find("task k_t" + std::to_string(task + 1)) - at),
              "\n      pause\n") == expected[task]);
  }
}
