// How a gradient's threads access memory: without atomics where elements are their own, by gathers
// around an element, by sums of a block, and clears last.
#include "tests/sema/Dumps.h"
#include "tests/support/Catch.h"

using namespace sextant;
using test::has;

namespace {

const std::string types = "F = qd.types.ndarray(qd.f32, 1)\nM = qd.types.ndarray(qd.f32, 2)\n"
                          "D = qd.types.ndarray(qd.f32, 3)\nI = qd.types.ndarray(qd.i32, 1)\n"
                          "V = qd.types.ndarray(qd.types.vector(3, qd.f32), 1)\n"
                          "P = qd.types.ndarray(qd.types.struct(pos=qd.types.vector(2, qd.f32), "
                          "mass=qd.f32), 1)\n";

/// The tasks of the gradient of a kernel with these arguments and statements.
std::string gradientOf(const std::string &arguments, const std::string &statements) {
  test::Analysis analysis;
  analysis.options.instantiations = {"k.grad"};
  analysis.runText(types + "@qd.kernel\ndef k(" + arguments + "):\n" + statements);
  INFO(analysis.errors());
  for (const hir::Kernel &each : analysis.kernels)
    if (each.instance == "k_grad") {
      const std::string text = hir::dump(each);
      return text.substr(text.find("task"));
    }
  return "";
}

size_t count(const std::string &text, const std::string &word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

} // namespace

TEST_CASE("a thread adds to elements of its own without atomics") {
  const auto isOwn = [](const std::string &arguments, const std::string &statements) {
    const std::string code = gradientOf(arguments, statements);
    REQUIRE(!code.empty());
    return !has(code, "atomic_add");
  };
  CHECK(isOwn("x: F, y: F", "    for i in x:\n        y[i] = x[i] * x[i]\n"));
  CHECK(isOwn("x: M, y: M", "    for i, j in x:\n        y[i, j] = x[i, j] * x[i, j]\n"));
  CHECK(isOwn("x: M, y: M", "    for i, j in x:\n        y[i, j] = x[j, i] * 2\n"));
  CHECK(isOwn("x: D, y: D", "    for I in qd.grouped(x):\n        y[I] = x[I] * x[I]\n"));
  CHECK(isOwn("x: D, y: M", "    for i, j in y:\n        for k in range(3):\n"
                            "            y[i, j] += x[i, j, k] * x[i, j, k]\n"));
  CHECK(isOwn("x: V, y: F", "    for i in y:\n        y[i] = x[i].norm_sqr()\n"));
  CHECK(
      isOwn("x: P, y: F", "    for i in y:\n        y[i] = x[i].pos.x * x[i].pos.y * x[i].mass\n"));
  CHECK(isOwn("x: F, y: F", "    for i in y:\n        y[i] = x[2 * i] * x[2 * i + 1]\n"));
  CHECK(isOwn("x: F, y: F, n: qd.i32", "    for i in range(n, y.shape[0]):\n"
                                       "        y[i] = x[i] * x[i]\n"));
  // Threads with other indices access the same elements.
  CHECK(!isOwn("x: M, y: M", "    for i, j in y:\n        y[i, j] = x[i, 0]\n"));
  CHECK(!isOwn("x: M, y: M", "    for i, j in y:\n        y[i, j] = x[i, j] * x[j, i]\n"));
  CHECK(!isOwn("x: F, y: F", "    for i in y:\n        y[i] = x[2 * i] * x[2 * i + 2]\n"));
  CHECK(!isOwn("x: F, y: F", "    for i in y:\n        y[i] = x[i // 2]\n"));
  CHECK(!isOwn("x: F, y: F, n: I", "    for i in y:\n        y[i] = x[n[i]]\n"));
  CHECK(!isOwn("x: F, y: F", "    for i in y:\n        k = i\n        if i > 3:\n"
                             "            k = 3\n        y[i] = x[k]\n"));
}

TEST_CASE("a stencil's gradient is gathered") {
  const auto tasks = [](const std::string &arguments, const std::string &statements) {
    const std::string code = gradientOf(arguments, statements);
    REQUIRE(!code.empty());
    return has(code, "atomic_add") ? 0 : count(code, "task k_grad");
  };
  const std::string inside = "    for i in range(1, x.shape[0] - 1):\n        ";
  CHECK(tasks("x: F, y: F", inside + "y[i] = x[i - 1] * x[i + 1]\n") == 2);
  CHECK(tasks("x: V, y: V", inside + "y[i] = x[i - 1].cross(x[i])\n") == 2);
  CHECK(tasks("x: M, y: M", "    for i, j in qd.ndrange((2, 9), (1, x.shape[1])):\n"
                            "        y[i, j] = x[i - 2, j] * x[i, j - 1]\n") == 2);
  CHECK(tasks("x: F, y: F", "    for i in x:\n        if i > 0:\n            y[i] = x[i - 1]\n"
                            "        else:\n            y[i] = x[i + 1] * 2\n") == 2);
  CHECK(tasks("x: M, n: qd.i32", "    for i in range(1, x.shape[1] - 1):\n"
                                 "        x[n + 1, i] = x[n, i - 1] - x[n, i + 1]\n") == 2);
  // Two arrays are gathered one after the other.
  CHECK(tasks("x: F, y: F, z: F", inside + "z[i] = x[i - 1] * y[i] + x[i] * y[i + 1]\n") == 3);
  // Other threads may have stored what the gather would read, or may store what it adds to.
  CHECK(tasks("x: F", inside + "if i % 2 == 0:\n            x[i] = x[i - 1] + x[i + 1]\n") == 0);
  // Distances are not constant, or there are steps between iterations.
  CHECK(tasks("x: F, y: F, n: I", inside + "y[i] = x[i - n[i]] + x[i]\n") == 0);
  CHECK(tasks("x: F, y: F", "    for i in range(0, 9, 2):\n        y[i] = x[i] + x[i + 2]\n") == 0);
}

TEST_CASE("a gather adds only what iterations of the loop add") {
  const std::string code =
      gradientOf("x: F, y: F", "    for i in range(3, 9):\n        y[i] = x[i - 2] + x[i + 1]\n");
  CHECK(code.substr(0, code.find("task k_grad_t1")) ==
        R"(task k_grad_t0 block 128 light iterations 9
  %element.0 = ((block_idx * block_dim) + thread_idx)
  if (%element.0 < 9)
    %place.1 = (i32(u32(%element.0)) + -2)
    %sum.2 = 0:f32
    %is_reached.3 = false
    if ((%place.1 - -2) < 6)
      %i.4 = ((%place.1 - -2) + 3)
      %grad.5 = y.grad[%i.4]
      %t.grad.6 = %grad.5
      %v.grad.7 = %t.grad.6
      %sum.2 = (%sum.2 + %v.grad.7)
      %is_reached.3 = true
    if ((%place.1 - 1) >= 0)
      %i.8 = ((%place.1 - 1) + 3)
      %grad.9 = y.grad[%i.8]
      %t.grad.10 = %grad.9
      %v.grad.11 = %t.grad.10
      %sum.2 = (%sum.2 + %v.grad.11)
      %is_reached.3 = true
    if %is_reached.3
      x.grad[(((%place.1 - 1) + 3) + 1)] = (x.grad[(((%place.1 - 1) + 3) + 1)] + %sum.2)
)");
  CHECK(has(code, "y.grad[%i.2] = 0:f32"));
}

TEST_CASE("a block collects what all its threads add in loops") {
  const std::string rows = "    for i in range(m.shape[0]):\n        s = T(0)\n"
                           "        for k in range(m.shape[1]):\n            s += m[i, k] * PLACE\n"
                           "        y[i] = s * s\n";
  const auto collects = [&](const std::string &type, const std::string &place) {
    std::string text = rows;
    text.replace(text.find("T(0)"), 4, "qd." + type + "(0)");
    text.replace(text.find("PLACE"), 5, place);
    const std::string array = "qd.types.ndarray(qd." + type;
    const std::string code =
        gradientOf("m: " + array + ", 2), x: " + array + ", 1), y: " + array + ", 1), n: I", text);
    REQUIRE(!code.empty());
    return has(code, "shared0 sums f32 x 512");
  };
  CHECK(collects("f32", "x[k]"));
  CHECK(collects("f32", "x[2 * k + 1]"));
  CHECK(!collects("f32", "x[n[i]]"));
  CHECK(!collects("f32", "x[i + k]"));
  CHECK(!collects("f64", "x[k]")); // not all devices have such atomics in shared memory
}

TEST_CASE("clears come last, and are not there where the value stays") {
  const std::string code =
      gradientOf("x: F, y: F", "    for i in x:\n        y[i] = 2.5 * x[i] + y[i]\n");
  CHECK(!has(code, "y.grad[%i.2] = "));
  const std::string other =
      gradientOf("x: F, y: F", "    for i in x:\n        y[i] = x[i] * x[0]\n");
  CHECK(other.find("atomic_add(x.grad[0]") > other.find("y.grad[%i.2] = 0:f32"));
}
