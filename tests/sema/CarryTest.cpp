// Variables of the kernel in its parallel loops: what is shared memory, and what each iteration
// has for itself.
#include "frontend/sema/eval/FirstUse.h"
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

namespace {
std::string dumpOfLoop(const std::string &body, bool checks = false) {
  test::Analysis analysis;
  analysis.options.checks = checks;
  return test::dumpOf(analysis,
                      "@qd.func\ndef bump(v: qd.template(), k: qd.i32):\n    v[k % 3] += 2\n"
                      "@qd.kernel\ndef k(o: qd.types.ndarray(qd.i32, 1)):\n" +
                          body);
}
const std::string start = "    t = qd.Vector([0, 0, 0])\n    s = 0\n    for i in o:\n";
const std::string end = "    o[0] = t[0] + t[1] + t[2] + s\n";
} // namespace

TEST_CASE("components that a loop's threads change are atomics on one buffer") {
  CHECK(has(dumpOfLoop(start + "        t[1] += 5\n" + end), "atomic_add(t[1], 5)"));
  CHECK(has(dumpOfLoop(start + "        t.z -= 1\n" + end), "atomic_add(t[2], -1)"));
  CHECK(has(dumpOfLoop(start + "        qd.atomic_max(t[i % 3], i)\n" + end), "atomic_max(t[%t."));
  CHECK(has(dumpOfLoop(start + "        bump(t, i)\n" + end), "atomic_add(t[%"));
  CHECK(has(
      dumpOfLoop(start + "        for j in qd.static(range(3)):\n            t[j] += j\n" + end),
      "atomic_add(t[2], 2)"));
  CHECK(has(dumpOfLoop(start + "        qd.atomic_cas(t.x, 0, i)\n" + end), "atomic_cas(t[0], 0"));
  CHECK(has(dumpOfLoop(start + "        qd.atomic_cas(s, 0, i)\n" + end), "atomic_cas(s[0], 0"));
}

TEST_CASE("a store to a component leaves the others alone, and stays inside") {
  std::string text = dumpOfLoop(start + "        t[i] = 7\n        o[i] = t[i]\n" + end);
  CHECK(has(text, "param t i32 buffer"));
  CHECK(has(text, "if (u32(%i.1) < 3:u32)\n      t[%i.1] = 7"));
  CHECK(has(text, "((u32(%i.1) < 3:u32) ? t[%i.1] : 0)"));
  std::string checked = dumpOfLoop(start + "        t[i] = 7\n" + end, true);
  CHECK(has(checked, "is out of bounds: there are"));
  CHECK(has(checked, "]\n"));
}

TEST_CASE("a wait on a variable reads memory each time") {
  std::string text = dumpOfLoop(start +
                                "        if i == 0:\n            s = 1\n        else:\n"
                                "            while s == 0:\n                pass\n" +
                                end);
  CHECK(has(text, "volatile s[0]"));
  CHECK(has(text, "fence device"));
}

TEST_CASE("a variable that is assigned before it is read is the iteration's own") {
  auto isOwn = [](const std::string &loop, const std::string &behind = "") {
    return !has(dumpOfLoop("    s = 0\n    for i in o:\n" + loop + behind), "param s i32");
  };
  CHECK(isOwn("        s = i\n        o[i] = s\n"));
  CHECK(isOwn("        s = i\n        s += 1\n        o[i] = s\n"));
  CHECK(isOwn("        if i > 3:\n            s = 1\n        else:\n            s = 2\n"
              "        o[i] = s\n"));
  CHECK(isOwn("        s, u = i, i\n        o[i] = s + u\n",
              "    for i in o:\n        s = 3\n        o[i] += s\n"));
  CHECK(isOwn("        s = i\n        o[i] = s\n", "    s = 4\n    o[0] = s\n"));
  CHECK(!isOwn("        if i > 3:\n            s = 1\n        o[i] = s\n"));
  CHECK(!isOwn("        for j in range(i):\n            s = j\n        o[i] = s\n"));
  CHECK(!isOwn("        s = i\n        o[i] = s\n", "    o[0] = s\n"));
  CHECK(!isOwn("        s = i\n        o[i] = s\n", "    for i in o:\n        o[i] += s\n"));
  CHECK(!isOwn("        s += 1\n        s = 5\n", "    o[0] = 1\n"));
  // Round again: the next loop reads what this one left.
  CHECK(has(dumpOfLoop("    s = 0\n    for r in qd.static(range(2)):\n        for i in o:\n"
                       "            o[i] = s\n        for i in o:\n            s = i\n"),
            "param s i32"));
}

TEST_CASE("what an iteration stores before it reads it is its own, by parts") {
  const std::string list = "    g = [0, 0]\n    for i in o:\n        g[1] = i\n";
  CHECK(!has(dumpOfLoop(list + "        o[i] = g[1] * 2\n"), "param g"));
  CHECK(!has(dumpOfLoop(list + "        g[1] += 5\n        o[i] = g[1]\n"), "atomic_add"));
  CHECK(has(dumpOfLoop(list + "        o[i] = g[0]\n        g[0] = i\n"), "param g"));
  // A variable that is assigned as a whole, and read after the loop.
  const std::string scalar = dumpOfLoop("    s = 0\n    for i in o:\n        s = i\n"
                                        "        o[i] = s * 2\n    o[0] = s\n");
  CHECK(has(scalar, "s[0] = %s."));
  CHECK(!has(scalar, "= (s[0] * 2)"));
  CHECK(has(scalar, " = s[0]"));
  const std::string whole = dumpOfLoop("    t = qd.Vector([0, 0])\n    for i in o:\n"
                                       "        t = qd.Vector([i, 3])\n        o[i] = t[0] * 2\n"
                                       "    o[0] = t[1]\n");
  CHECK(!has(whole, "= (t[0] * 2)"));
  CHECK(has(whole, " = t[1]"));
  // Components by numbers of the run, once all are stored.
  const std::string vector = "    t = qd.Vector([0, 0])\n    for i in o:\n        t[0] = i\n";
  const std::string read = "        o[i] = t[i % 2]\n";
  CHECK(!has(dumpOfLoop(vector + "        t.y = 2\n" + read), "param t"));
  CHECK(has(dumpOfLoop(vector + read), "param t"));
}

TEST_CASE("iterations that read what others store are warned of") {
  auto warnings = [](const std::string &body) {
    test::Analysis analysis;
    test::dumpOf(analysis, "@qd.kernel\ndef k(o: qd.types.ndarray(qd.i32, 1)):\n    s = 0\n"
                           "    t = qd.Vector([0, 0])\n    g = [0, 0]\n    for i in o:\n" +
                               body);
    return analysis.errors();
  };
  const std::string component = warnings("        o[i] = t[1]\n        t[1] = i\n");
  CHECK(has(component, "the iterations of the parallel loop share `t`"));
  CHECK(has(component, "[-Wshared-variable]"));
  CHECK(has(component, "`t` is declared here, before the loop"));
  CHECK(has(warnings("        g[0] = i\n        o[i] = g[1]\n        g[1] = 2\n"), "share `g"));
  CHECK(has(warnings("        t[i % 2] = 1\n        o[i] = t[0]\n"), "share `t`"));
  for (const std::string body :
       {"        o[i] = s\n        s = i\n",
        "        if i > 3:\n            s = i\n        o[i] = s\n",
        "        for j in range(i):\n            s = j\n        o[i] = s\n",
        "        s = s + o[i]\n", "        if o[i] > s:\n            s = o[i]\n",
        "        s = i if i > 2 else s\n"})
    CHECK(has(warnings(body), "the iterations of the parallel loop share `s`"));
  CHECK(has(warnings("        o[i] = t[0]\n        t = qd.Vector([i, i])\n"), "share `t`"));
  for (const std::string body :
       {"        s = i\n        o[i] = s\n", "        s += i\n", "        o[i] = s\n",
        "        g[0] = i\n        o[i] = g[0]\n", "        if i > 3:\n            s = 1\n",
        "        s = i\n        o[i] = s\n    o[0] = s\n"})
    CHECK(warnings(body) == "");
}

TEST_CASE("values that a loop passes to functions are not variables of its threads") {
  // `s` is computed of an argument, so each thread can compute it if no thread changes it.
  auto isCarried = [](const std::string &call) {
    test::Analysis analysis;
    const std::string text =
        test::dumpOf(analysis, "@qd.func\ndef f(v, w: qd.i32):\n    v += 1\n    return v + w\n"
                               "@qd.func\ndef g(v, w: qd.template()):\n    w += 1\n    return v\n"
                               "@qd.kernel\ndef k(o: qd.types.ndarray(qd.i32, 1), n: qd.i32):\n"
                               "    s = n * 3\n    t = 0\n    for i in o:\n        o[i] = " +
                                   call + "\n    o[0] = t\n");
    return has(text, "param s i32");
  };
  CHECK(!isCarried("f(s, 1)"));
  CHECK(!isCarried("f(1, s)"));
  CHECK(!isCarried("f(1, w=s)"));
  CHECK(!isCarried("f(f(s, s), 2)"));
  CHECK(!isCarried("g(s, t)"));
  CHECK(!isCarried("g(v=s, w=t)"));
  CHECK(isCarried("g(1, s)"));
  CHECK(isCarried("g(1, w=s)"));
  CHECK(isCarried("g(f(1, 2), s)"));
}
