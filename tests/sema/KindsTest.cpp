// Every kind of value in every container and construct: a kernel, or an error that says why not.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

namespace {

constexpr const char *kinds[] = {"x",          "G",
                                 "PF",         "3",
                                 "1.5",        "v",
                                 "m",          "qd.Vector([1, v])",
                                 "x[0]",       "p[0]",
                                 "'a'",        "None",
                                 "inc",        "qd.max",
                                 "qd.i32",     "()",
                                 "{'q': v}",   "Holder(x, v)",
                                 "Pair(1, v)", "h.at",
                                 "Holder",     "range(v)",
                                 "math",       "qd",
                                 "qd.root",    "x.shape"};

/// `$` is the value.
constexpr const char *containers[] = {"$",
                                      "[$, v]",
                                      "(v, $)",
                                      "{'k': $, 'n': v}",
                                      "[$ for _ in range(2)]",
                                      "Holder($, v)",
                                      "[Holder($, v), Holder($, 2)]",
                                      "{'k': Holder($, 1), 'n': v}",
                                      "([[$], v], m)",
                                      "Holder([$, v], v)"};

/// `$` is the container. The lines of a kernel are divided by `;`.
constexpr const char *constructs[] = {
    "c = $;for i in range(m):;    u = c",
    "c = $;for i in range(m):;    G[i] = c[0].at(i)",
    "c = $;for i in range(m):;    c[1] += 1;    u = c[0]",
    "c = $;for i in range(m):;    c = $",
    "c = $;for i in range(m):;    c[0].n += 1;    u = c[0].n",
    "c = $;for i in range(m):;    qd.atomic_add(c[0], 1)",
    "c = $;for i in range(m):;    G[i] = c[i]",
    "u = same(early($, m))",
    "a, b = $",
    "c = $;if m > 0:;    c = $;u = c",
    "u = $ if m > 0 else $;z = u",
    "u = ($ or m) and $",
    "u = $ == $, $ in [$]",
    "print($, f'{$}')",
    "x[0] = $",
    "c = $;c[0] = $;c[1] = 5",
    "for e in qd.static($):;    u = e",
    "u = [e for e in $ if e]",
    "u = $ + $;u = $[0:1];u = len($)",
    "return $",
};

std::string filled(std::string text, const std::string &part) {
  for (size_t at = 0; (at = text.find('$', at)) != std::string::npos; at += part.size())
    text.replace(at, 1, part);
  return text;
}

const std::string head = R"(import math
import quadrants as qd
I = qd.types.ndarray(dtype=qd.i32, ndim=1)
G = qd.field(qd.i32, shape=8)
@qd.dataclass
class Pair:
    a: qd.i32
    b: qd.i32
PF = Pair.field(shape=4)
P = qd.types.ndarray(dtype=Pair, ndim=1)
@qd.data_oriented
class Holder:
    def __init__(self, x, n):
        self.x = x
        self.n = n
    @qd.func
    def at(self, i):
        return self.x[i] + self.n
@qd.func
def inc(a):
    return a + 1
@qd.func
def same(a):
    return a
@qd.func
def early(a, c):
    if c > 0:
        return a
    return a
)";

std::string kernel(const std::string &name, const std::string &lines) {
  std::string text = "@qd.kernel\ndef " + name +
                     "(x: I, y: I, p: P, m: qd.i32):\n    v = x[1]\n    h = Holder(x, v)\n    ";
  for (char c : lines)
    text += c == ';' ? "\n    " : std::string(1, c);
  return text + "\n";
}

std::string dumpOfLines(const std::string &lines) {
  test::Analysis analysis;
  return test::dumpOf(analysis, head.substr(head.find("I =")) + kernel("k", lines));
}

std::string errorsOf(const std::string &lines) {
  test::Analysis analysis;
  analysis.run("test.py", head + kernel("k", lines));
  return analysis.errors();
}

} // namespace

TEST_CASE("each kind of value in each container gets an answer in each construct") {
  for (const char *construct : constructs) {
    std::string source = head;
    size_t number = 0;
    for (const char *kind : kinds)
      for (const char *container : containers)
        source +=
            kernel("k" + std::to_string(number++), filled(construct, filled(container, kind)));
    test::Analysis analysis;
    analysis.run("test.py", source);
    INFO(construct);
    CHECK((analysis.sink.hasErrors() || analysis.kernels.size() == number));
    CHECK(!has(analysis.errors(), "fault of the compiler"));
  }
}

TEST_CASE("iterations share a list of objects that hold an array and a number") {
  const std::string dump = dumpOfLines("hs = [Holder(x, 7), Holder(y, v)];for i in range(m):;    "
                                       "G[i] = hs[0].at(i) + hs[1].at(2)");
  CHECK(has(dump, "%hs_0_n.4 = 7\n"));
  CHECK(has(dump, "= x[%t."));
  CHECK(has(dump, "= y[2]"));
  CHECK(has(dump, "= hs_0_n[0]\n"));
  CHECK(has(dump, "= hs_1_n[0]\n"));
}

TEST_CASE("iterations add to the number beside an array, all of them") {
  CHECK(has(dumpOfLines("t = [x, v];for i in range(m):;    t[1] += i"), "atomic_add(t_1[0], %i."));
}

TEST_CASE("a dictionary and a range have what a variable was when they were made") {
  CHECK(has(dumpOfLines("w = x[2];d = {'a': w};w = 5;x[0] = d['a']"),
            "%t.2 = %w.1\n  %w.1 = 5\n  x[0] = %t.2\n"));
  CHECK(has(dumpOfLines("w = x[2];r = [range(w), 1];w = 5;for _ in range(1):;    for i in r[0]:;"
                        "        x[i] = w"),
            "%t.2 = %w.1\n  %w.1 = 5\n  t[0] = %t.2\n"));
}

TEST_CASE("what is known when kernels are built does not change at run time") {
  CHECK(has(errorsOf("t = [x, v];t = [y, 2]"),
            "`t` holds the array `x`, and cannot come to hold the array `y`"));
  CHECK(has(errorsOf("t = ['a', v];t = ['b', 2]"),
            "`t` holds a string, and cannot come to hold another one"));
  CHECK(errorsOf("t = ['a', v];t = ['a', 2]").empty());
  CHECK(has(errorsOf("t = [v, [x, v]];for i in range(m):;    t[1] = [y, 2]"),
            "this holds the array `x`, and cannot come to hold the array `y`"));
  const std::string isStatic = "`z` is the array `x` at compile time, and cannot become another";
  CHECK(has(errorsOf("z = x;if v > 0:;    z = y;z[0] = 1"), isStatic));
  CHECK(has(errorsOf("z = x;while v > 0:;    z[0] = 1;    z = y"), isStatic));
  CHECK(errorsOf("z = x;if qd.static(True):;    z = y;z[0] = 1").empty());
  CHECK(errorsOf("z = x;if v > 0:;    z = x;z[0] = 1").empty());
}

TEST_CASE("tuples and dictionaries are equal if their items are") {
  CHECK(has(dumpOfLines("G[0] = 1 if (v, 2) == (x[0], 2) else 3"), "(%v.1 == %v.2)"));
  CHECK(has(dumpOfLines("G[0] = 1 if {'a': 1} == {'a': 1} else 3"), "G[0] = 1\n"));
  CHECK(has(dumpOfLines("G[0] = 1 if {'a': 1} != {'a': 2} else 3"), "G[0] = 1\n"));
  CHECK(has(errorsOf("G[0] = 1 if {'a': v} == {'a': x[0]} else 3"),
            "cannot compare a dictionary with a dictionary"));
}

TEST_CASE("chains of constants that double end soon, with an error or without a value") {
  std::string chain = "A0 = [1, 2]\n";
  for (int k = 1; k <= 48; ++k) {
    const std::string before = "A" + std::to_string(k - 1);
    chain += "A" + std::to_string(k) + " = list(zip(" + before + ", " + before + "))\n";
  }
  test::Analysis names;
  names.run("test.py", head + chain + kernel("k", "x[0] = len(A48)"));
  CHECK(has(names.errors(), "`A48` has no value when kernels are built"));

  test::Analysis object;
  object.run("test.py", head +
                            "@qd.data_oriented\nclass D:\n    def __init__(self):\n        a = 1\n"
                            "        for _ in range(60):\n            a = [a, a]\n"
                            "        self.a = a\n    @qd.kernel\n    def k(self, x: I):\n"
                            "        x[0] = len(self.a)\nd = D()\nd.k(1)\n");
  CHECK(has(object.errors(), "`a` has no value when kernels are built"));
}
