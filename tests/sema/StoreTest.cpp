// Warnings that are on by default: a real that becomes an integer without a cast, and a loop that
// is serial because of where it stands.
#include "tests/sema/Support.h"
#include "tests/support/Catch.h"

#include <algorithm>

using namespace sextant;

namespace {

/// The number of warnings of this kind in a file.
long warningsOf(Warning warning, const std::string &text) {
  test::Analysis analysis;
  analysis.runText(text);
  INFO(text << analysis.errors());
  CHECK(!analysis.sink.hasErrors());
  const auto &all = analysis.sink.diagnostics();
  return std::count_if(all.begin(), all.end(),
                       [&](const Diagnostic &diagnostic) { return diagnostic.warning == warning; });
}

long lossyIn(const std::string &statements) {
  return warningsOf(
      Warning::LossyStore,
      "@qd.dataclass\nclass S:\n    a: qd.i32\n    b: qd.f32\n\n"
      "@qd.func\ndef whole(a: qd.i32):\n    return a\n\n"
      "@qd.func\ndef result(a) -> qd.i32:\n    return a\n\n"
      "@qd.kernel\ndef k(x: qd.types.ndarray(qd.i32, 1), y: qd.types.ndarray(qd.f32, 1),\n"
      "      v: qd.types.ndarray(qd.types.vector(2, qd.i32), 1)):\n"
      "    for i in x:\n        " +
          statements + "\n");
}

long serialIn(const std::string &body) {
  return warningsOf(Warning::SerialLoop, "@qd.func\ndef early(x: qd.template(), n):\n"
                                         "    if n > 3:\n        return 1\n"
                                         "    for i in range(n):\n        x[i] = 1\n"
                                         "    return 2\n\n"
                                         "@qd.func\ndef fills(x: qd.template(), n):\n"
                                         "    for i in range(n):\n        x[i] = 1\n\n"
                                         "@qd.func\ndef total(x: qd.template()):\n    s = 0\n"
                                         "    for i in x:\n        s += x[i]\n    return s\n\n"
                                         "@qd.real_func\n"
                                         "def typed(x: qd.types.ndarray(qd.i32, 1)):\n"
                                         "    for i in x:\n        x[i] = 1\n\n"
                                         "g = qd.field(qd.i32, 8)\n\n"
                                         "@qd.kernel\n"
                                         "def k(x: qd.types.ndarray(qd.i32, 1), n: qd.i32):\n" +
                                             body);
}

} // namespace

TEST_CASE("a real that becomes an integer without a cast is a warning") {
  for (const char *statement : {"x[i] += 0.5",
                                "x[i] = 0.75",
                                "x[i] = y[i]",
                                "n = 0; n = 0.75",
                                "n = 0; n += y[i]",
                                "x[i] /= 2",
                                "qd.atomic_add(x[i], y[i])",
                                "qd.atomic_max(x[i], 0.5)",
                                "qd.atomic_exchange(x[i], y[i])",
                                "qd.atomic_cas(x[i], 0.5, 1)",
                                "x[i] = whole(y[i])",
                                "x[i] = whole(0.5)",
                                "x[i] = result(y[i])",
                                "n: qd.i32 = 0.5",
                                "v[i] = [0.5, 1.0]",
                                "v[i] += y[i]",
                                "v[i][0] = y[i]",
                                "w = qd.Vector([1, 2]); w[0] = y[i]",
                                "w = qd.Vector([1, 2]); w = y[i]",
                                "s = S(0.5)",
                                "s = S(1); s.a = y[i]",
                                "for j in range(y[i]): x[i] = j",
                                "for j in range(1, y[i] + 0.5, 2): x[i] = j"}) {
    INFO(statement);
    CHECK(lossyIn(statement) == 1);
  }
}

TEST_CASE("casts, whole constants and whole results lose nothing") {
  for (const char *statement :
       {"x[i] = 2.0", "x[i] += 1e3", "n = 0; n = -0.0", "x[i] = qd.cast(y[i], qd.i32)",
        "x[i] = qd.i32(0.5)", "x[i] = int(y[i])", "x[i] = qd.floor(y[i])", "x[i] //= 2",
        "y[i] = x[i]", "y[i] += 0.5", "x[i] = whole(3)", "s = S(1, 0.5)", "v[i] = [1.0, 2.0]",
        "x[i] = y[i] > 0.5", "for j in range(int(y[i])): x[i] = j",
        "for j in range(qd.floor(y[i])): x[i] = j"}) {
    INFO(statement);
    CHECK(lossyIn(statement) == 0);
  }
}

TEST_CASE("a loop that something around it makes serial is a warning") {
  const std::string loop = "for i in range(n):\n", store = "x[i] = 1\n";
  CHECK(serialIn("    if n > 0:\n        " + loop + "            " + store) == 1);
  CHECK(serialIn("    if True:\n        " + loop + "            " + store) == 1);
  CHECK(serialIn("    if n > 0:\n        x[0] = 1\n    else:\n        " + loop + "            " +
                 store) == 1);
  CHECK(serialIn("    while x[0] > 0:\n        " + loop + "            " + store) == 1);
  CHECK(serialIn("    if n > 0:\n        fills(x, n)\n") == 1);
  CHECK(serialIn("    early(x, n)\n") == 1);
  CHECK(
      serialIn("    for j in qd.static(range(3)):\n        if n > j:\n            break\n        " +
               loop + "            " + store) == 1);
  CHECK(serialIn("    x[0] = total(x) if n > 0 else 0\n") == 1);
  CHECK(serialIn("    x[0] = 0 if n > 0 else total(x)\n") == 1);
  CHECK(serialIn("    if n > 0 and total(x) > 3:\n        x[0] = 1\n") == 1);
  CHECK(serialIn("    if n > 0 or total(x) > 3:\n        x[0] = 1\n") == 1);
  CHECK(serialIn("    if 0 < n < total(x):\n        x[0] = 1\n") == 1);
  CHECK(serialIn("    while total(x) < n:\n        x[0] += 1\n") == 1);
  CHECK(serialIn("    if n > 0:\n        x.fill(3)\n") == 1);
  CHECK(serialIn("    while x[0] < n:\n        g.copy_from(g)\n        x[0] += 1\n") == 1);
  CHECK(serialIn("    typed(x)\n") == 1);
  // Only the outermost one would have been parallel.
  CHECK(serialIn("    if n > 0:\n        " + loop + "            for j in range(3):\n" +
                 "                x[i] += j\n") == 1);
}

TEST_CASE("loops that are meant to be serial, or are inside of parallel ones, give no warning") {
  const std::string loop = "for j in range(n):\n";
  CHECK(serialIn("    for i in range(n):\n        if n > i:\n            " + loop +
                 "                x[i] += j\n") == 0);
  CHECK(serialIn("    for i in range(n):\n        while x[i] > 0:\n            " + loop +
                 "                x[i] -= 1\n") == 0);
  CHECK(serialIn("    for i in range(n):\n        early(x, i)\n") == 0);
  CHECK(serialIn("    if n > 0:\n        qd.loop_config(serialize=True)\n        " + loop +
                 "            x[j] = 1\n") == 0);
  CHECK(serialIn("    qd.loop_config(serialize=True)\n    for i in range(n):\n"
                 "        if x[i] > 0:\n            " +
                 loop + "                x[j] = 1\n") == 0);
  for (const char *called : {"typed(x)", "x.fill(3)", "x[i] = total(x) if n > i else 0"})
    CHECK(serialIn("    for i in range(n):\n        if n > i:\n            " + std::string(called) +
                   "\n") == 0);
  CHECK(serialIn("    x.fill(3)\n    x[0] = total(x) + 1\n") == 0);
  CHECK(serialIn("    if n > 0:\n        qd.loop_config(serialize=True)\n        x.fill(3)\n") ==
        0);
  CHECK(serialIn("    if qd.static(True):\n        " + loop + "            x[j] = 1\n") == 0);
  CHECK(serialIn("    if n > 0:\n        for j in qd.static(range(3)):\n            x[j] = 1\n") ==
        0);
}

TEST_CASE("a loop that is asked to be serial has no options without effect") {
  const auto ignored = [](const std::string &options) {
    return warningsOf(Warning::IgnoredLoopConfig,
                      "@qd.kernel\ndef k(x: qd.types.ndarray(qd.i32, 1), n: qd.i32):\n"
                      "    if n > 0:\n        qd.loop_config(" +
                          options + ")\n        for i in range(n):\n            x[i] = 1\n");
  };
  CHECK(ignored("serialize=True") == 0);
  CHECK(ignored("serialize=True, unroll=2") == 0);
  CHECK(ignored("block_dim=64") == 1);
  CHECK(ignored("serialize=True, block_dim=64") == 1);
}
