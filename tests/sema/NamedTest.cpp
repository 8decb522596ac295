// `(name := value)` in expressions: what it assigns, where the name is known, and that what was
// read before stays what it was.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

namespace {
std::string dumpOfNames(const std::string &body) {
  test::Analysis analysis;
  return test::dumpOf(
      analysis,
      "@qd.kernel\ndef k(o: qd.types.ndarray(qd.i32, 1), x: qd.types.ndarray(qd.i32, 1)):\n" +
          body);
}
const std::string loop = "    for i in o:\n";
} // namespace

TEST_CASE("a named value is a local") {
  const std::string text = dumpOfNames(loop + "        o[i] = (p := x[i]) + p\n");
  CHECK(has(text, "%p."));
  CHECK(has(dumpOfNames(loop + "        if (p := x[i]) > 3:\n            o[i] = p\n"), "%p"));
}

TEST_CASE("a name of a condition is known after it") {
  CHECK(!dumpOfNames(loop +
                     "        while (p := x[i]) > 3:\n            o[i] += p\n        o[i] = p\n")
             .empty());
  CHECK(
      !dumpOfNames(loop + "        if i > 3 and (p := x[i]) > 3:\n            o[i] = p\n").empty());
  CHECK(!dumpOfNames(loop + "        o[i] = p if (p := x[i]) > 3 else -p\n").empty());
}

TEST_CASE("what was read before the assignment keeps its value") {
  const std::string text =
      dumpOfNames(loop + "        p = x[i]\n        o[i] = p * (p := 5) + p\n");
  CHECK(has(text, "* "));
  // The left factor is a copy, made before 5 is assigned.
  const size_t copied = text.find(" = %p"), assigned = text.find("= 5");
  CHECK(copied != std::string::npos);
  CHECK(copied < assigned);
}

TEST_CASE("a variable that a condition assigns first is each thread's own") {
  const std::string head = "    p = 0\n    for i in o:\n";
  CHECK(!has(dumpOfNames(head + "        if (p := x[i]) > 0:\n            o[i] = p\n"),
             "param p i32"));
  CHECK(!has(dumpOfNames(head + "        while (p := x[i]) > 0:\n            o[i] = p\n"),
             "param p i32"));
  CHECK(!has(dumpOfNames(head + "        o[i] = (p := x[i]) * p\n"), "param p i32"));
  CHECK(!has(dumpOfNames(head + "        o[i] = p if (p := x[i]) > 3 else 3\n"), "param p i32"));
  CHECK(has(dumpOfNames(head + "        o[i] = p * (p := x[i])\n    o[0] = p\n"), "param p i32"));
  CHECK(has(dumpOfNames(head + "        if i > 2 and (p := x[i]) > 0:\n            o[i] = 1\n"
                               "        o[i] = p\n    o[0] = p\n"),
            "param p i32"));
}
