// The code that real functions and references become: copies, places of the caller, serial loops.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

static const char *const shared = "I = qd.types.ndarray(qd.i32, 1)\n"
                                  "@qd.real_func\n"
                                  "def add_to(a: qd.types.ref(qd.i32), b: qd.i32):\n"
                                  "    a += b\n";

TEST_CASE("a reference to an element is atomic, and one to a variable is not") {
  test::Analysis analysis;
  const std::string text =
      test::dumpOf(analysis, std::string(shared) + "@qd.kernel\n"
                                                   "def k(x: I):\n"
                                                   "    for i in x:\n"
                                                   "        n = i\n"
                                                   "        add_to(n, 3)\n"
                                                   "        add_to(x[n], 5)\n");
  CHECK(has(text, "atomic_add("));
  CHECK(text.find("atomic_add(") == text.rfind("atomic_add("));
}

TEST_CASE("the loops of a real function are its caller's") {
  test::Analysis analysis;
  const std::string text = test::dumpOf(analysis, "@qd.real_func\n"
                                                  "def mixed(n: qd.i32) -> qd.i32:\n"
                                                  "    s = 1\n"
                                                  "    if n > 2:\n"
                                                  "        for i in range(n):\n"
                                                  "            s = s * 31 + i\n"
                                                  "    for i in range(n):\n"
                                                  "        s = s * 31 + i\n"
                                                  "    return s\n"
                                                  "@qd.kernel\n"
                                                  "def k(n: qd.i32) -> qd.i32:\n"
                                                  "    return mixed(n)\n");
  CHECK(!has(text, "iterations")); // no parallel task
  CHECK(has(analysis.errors(), "this loop is serial, since it stands in a function under "));
}
