// What sources become: types, folded values, tasks, launch bounds.
#include "tests/sema/Support.h"
#include "tests/support/Catch.h"

using namespace sextant;

namespace {
std::string dumpOf(const std::string &text, unsigned wave = 32) {
  test::Analysis analysis;
  analysis.options.wave = wave;
  analysis.runText(text);
  INFO(analysis.errors());
  CHECK(!analysis.sink.hasErrors());
  return analysis.dump();
}
bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
/// The value that a kernel stores, as printed.
std::string stored(const std::string &expression, const std::string &type = "qd.f64") {
  std::string text =
      dumpOf("@qd.kernel\ndef k(o: qd.types.ndarray(" + type +
             ", 1), f: qd.f32, d: qd.f64, i: qd.i32, j: qd.i64, u: qd.u32, b: qd.u8):\n"
             "    o[0] = " +
             expression + "\n");
  size_t at = text.find("o[0] = ");
  if (at == std::string::npos)
    return text;
  std::string line = text.substr(at + 7);
  return line.substr(0, line.find('\n'));
}
} // namespace

TEST_CASE("compile-time arithmetic is exact and Python's") {
  CHECK(stored("-7 // 2", "qd.i32") == "-4");
  CHECK(stored("-7 % 3", "qd.i32") == "2");
  CHECK(stored("7 % -3", "qd.i32") == "-2");
  CHECK(stored("2 ** 40", "qd.i64") == "1099511627776:i64");
  CHECK(stored("1 / 4") == "0.25:f64");
  CHECK(stored("-7.5 // 2") == "-4:f64");
  CHECK(stored("-7.5 % 2") == "0.5:f64");
  CHECK(stored("1 << 33 >> 30", "qd.i32") == "8");
  CHECK(stored("3 if 2 > 1 else 4", "qd.i32") == "3");
  CHECK(stored("1 < 2 < 3", "qd.i32") == "1");
  CHECK(stored("2 in (1, 2, 3)", "qd.i32") == "1");
  CHECK(stored("0 or 5", "qd.i32") == "5");
  CHECK(stored("min(3, 1, 2)", "qd.i32") == "1");
  CHECK(stored("int(-2.7)", "qd.i32") == "-2");
  CHECK(stored("~5", "qd.i32") == "-6");
  CHECK(stored("0xFFFFFFFF", "qd.u32") == "4294967295:u32");
}

TEST_CASE("operands meet in the wider, real, unsigned type") {
  CHECK(stored("f + 1") == "f64((f + 1:f32))");
  CHECK(stored("d + f") == "(d + f64(f))");
  CHECK(stored("d + 0.1") == "(d + 0.1:f64)");
  CHECK(stored("i + j", "qd.i64") == "(i64(i) + j)");
  CHECK(stored("i + u", "qd.u32") == "(u32(i) + u)");
  CHECK(stored("b + 1", "qd.i32") == "(i32(b) + 1)");
  CHECK(stored("i / 2", "qd.f32") == "(f32(i) / 2:f32)");
  CHECK(stored("i // 2", "qd.i32") == "(i // 2)");
  CHECK(stored("j << i", "qd.i64") == "(j << i)");
  CHECK(stored("i < u", "qd.i32") == "i32((u32(i) < u))");
  CHECK(stored("f ** i", "qd.f32") == "(f ** i)");
  CHECK(stored("i ** f", "qd.f32") == "(f32(i) ** f)");
  CHECK(stored("qd.math.popcnt(j)", "qd.i32") == "popcnt(j)");
  CHECK(stored("qd.bit_cast(f, qd.i32)", "qd.i32") == "bitcast<i32>(f)");
  CHECK(stored("not i", "qd.i32") == "i32(not(u1(i)))");
  CHECK(stored("qd.select(i > 0, 1, 2.5)", "qd.f32") == "select((i > 0), 1:f32, 2.5:f32)");
  CHECK(stored("qd.max(f, 0)", "qd.f32") == "(f max 0:f32)");
}

TEST_CASE("loops at the top are tasks, with bounds that the host computes") {
  auto text = dumpOf(R"(
@qd.kernel
def k(a: qd.types.ndarray(qd.f32, 2), n: qd.i32, m: qd.types.ndarray(qd.i32, 1)):
    for i, j in a:
        a[i, j] = 1
    rows = n * 2
    for i in range(3, rows):
        a[i, 0] = i
    for i in range(m[0]):
        a[i, 0] = 2
    if n > 3:
        for i in range(n):
            a[i, 1] = 3
    for i in range(256):
        a[i, 2] = 4
    for t in qd.static(range(2)):
        for i in range(100):
            a[i, t] = 5
)");
  CHECK(has(text, "task k_t0 block 128 iterations a.shape0 a.shape1 *"));
  CHECK(has(text, "task k_t1 block 128 iterations n 2 * 3 - 0 max"));
  CHECK(has(text, "task k_t2 block 1 serial")); // reads the bound
  CHECK(has(text, "task k_t3 block 128\n"));    // grid-stride
  CHECK(has(text, "while (%base"));
  CHECK(has(text, "task k_t4 block 1 serial")); // the guarded loop
  CHECK(has(text, "task k_t5 block 128 iterations 256"));
  CHECK(has(text, "task k_t7 block 128 iterations 100"));
  CHECK(!has(text, "k_t8"));
  // A bound that fills its blocks needs no test.
  size_t fits = text.find("task k_t5"), next = text.find("task k_t6");
  CHECK(!has(text.substr(fits, next - fits), "if ("));
}

TEST_CASE("waves, barriers and shared arrays") {
  std::string source = R"(
@qd.kernel
def k(a: qd.types.ndarray(qd.i32, 1)):
    qd.loop_config(block_dim=64)
    for i in range(a.shape[0]):
        s = block.SharedArray((64,), qd.i32)
        s[block.thread_idx()] = a[i]
        block.sync()
        a[i] = s[63 - block.thread_idx()] + subgroup.group_size()
        if qd.static(subgroup.group_size() == 64):
            a[i] = 0
)";
  auto text = dumpOf(source, 16);
  CHECK(has(text, "block 64 full iterations a.shape0"));
  CHECK(has(text, "shared0 s i32 x 64"));
  CHECK(has(text, "+ 16)"));
  CHECK(!has(text, "= 0\n"));
  CHECK(has(dumpOf(source, 64), "a[%i.1] = 0"));
}

TEST_CASE("variables of the kernel are carried between tasks") {
  auto text = dumpOf(R"(
@qd.kernel
def k(a: qd.types.ndarray(qd.f32, 1)) -> qd.f32:
    s = 0.0
    scale = a[0]
    for i in a:
        s += a[i] * scale
    return s
)");
  CHECK(has(text, "param s f32 buffer"));
  CHECK(has(text, "param scale f32 buffer"));
  CHECK(has(text, "atomic_add(s[0]"));
  CHECK(has(text, "return0[0] = "));
}

TEST_CASE("functions return early, take functions, and recurse statically") {
  auto text = dumpOf(R"(
@qd.func
def clamp01(x):
    if x < 0.0:
        return 0.0
    if x > 1.0:
        return 1.0
    return x

@qd.func
def apply(f: qd.template(), x, n: qd.template()):
    if qd.static(n == 0):
        return x
    else:
        return f(apply(f, x, n - 1))

@qd.func
def add3(x):
    return x + 3

@qd.kernel
def k(a: qd.types.ndarray(qd.f32, 1)):
    for i in a:
        a[i] = clamp01(a[i])
        a[i] = apply(add3, a[i], 2)
)");
  CHECK(has(text, "scope "));
  CHECK(has(text, "leave "));
  CHECK(has(text, "+ 3:f32)"));
}

TEST_CASE("instances have the names of what they were built with") {
  test::Analysis analysis;
  analysis.options.instantiations = {"k[n=4, dt=qd.f32]", "k[n=-8,dt=qd.i32]", "u[x=qd.i64]"};
  analysis.options.constants = {{"SIZE", "7"}};
  analysis.runText(R"(
SIZE = 3
@qd.kernel
def k(a: qd.types.ndarray(qd.f32, 1), n: qd.template(), dt: qd.template()):
    a[0] = qd.cast(n + SIZE, dt)

@qd.kernel
def u(x, a: qd.types.ndarray(qd.f32, 1)):
    a[0] = x
)");
  INFO(analysis.errors());
  REQUIRE(analysis.kernels.size() == 3);
  CHECK(analysis.kernels[0].instance == "k_4_f32");
  CHECK(analysis.kernels[1].instance == "k_m8_i32");
  CHECK(analysis.kernels[2].instance == "u_i64");
  CHECK(analysis.kernels[2].arguments[0].type == hir::Type::I64);
  CHECK(has(hir::dump(analysis.kernels[0]), "a[0] = 11:f32"));
}

TEST_CASE("several files") {
  test::Analysis analysis;
  analysis.helpers["helpers"] =
      "import quadrants as qd\nSCALE = 2.5\n@qd.func\ndef twice(x):\n    return x * SCALE\n";
  analysis.runText(R"(
from helpers import twice
import helpers as h
@qd.kernel
def k(a: qd.types.ndarray(qd.f32, 1)):
    for i in a:
        a[i] = twice(a[i]) + h.twice(h.SCALE)
)");
  INFO(analysis.errors());
  REQUIRE(analysis.kernels.size() == 1);
  CHECK(has(analysis.dump(), "* 2.5:f32"));
}

TEST_CASE("guarded returns meet in the widest type") {
  auto text = dumpOf(R"(
@qd.func
def positive(x):
    if x > 0:
        return 0
    return x

@qd.func
def pair(x):
    for i in range(4):
        if x > i:
            return i, x
    return -1, 2.5

@qd.kernel
def k(a: qd.types.ndarray(qd.f64, 1)):
    for i in a:
        a[i] = positive(a[i])
        u, v = pair(a[i])
        a[i] = u * v
)");
  CHECK(has(text, "= 0:f64"));
  CHECK(has(text, "= 2.5:f64"));
}

TEST_CASE("a parallel loop's step may be an argument") {
  auto text = dumpOf(R"(
@qd.kernel
def k(a: qd.i32, b: qd.i32, s: qd.i32, n: qd.types.ndarray(qd.i32, 1)):
    for i in range(a, b, s):
        n[i] = i
    for i in range(n[0], n[1], n[2]):
        n[i] = i
)");
  // The launch refuses a step of 0: it divides by it. Read from memory, it runs nothing.
  CHECK(has(text, "iterations a b - s // neg 0 max"));
  CHECK(has(text, "%i.1 = ((%iteration.0 * s) + a)"));
  CHECK(has(text, "== 0), 0, neg("));
}

TEST_CASE("a guarded return of a kernel keeps later tasks from doing anything") {
  auto text = dumpOf(R"(
@qd.kernel
def k(n: qd.i32, a: qd.types.ndarray(qd.i32, 1)) -> qd.i32:
    if n == 0:
        return 1
    for i in a:
        a[i] = i
    a[0] = 5
    return 2
)");
  size_t loop = text.find("task k_t1"), after = text.find("task k_t2");
  CHECK(has(text.substr(0, loop), "%returned.0 = 0\n  scope"));
  for (const std::string &task : {text.substr(loop, after - loop), text.substr(after)})
    CHECK(has(task, "%returned.0 = returned[0]\n  if (%returned.0 == 0)\n"));
}

TEST_CASE("a barrier in a loop whose bound is in memory: whole blocks, or nothing") {
  auto text = dumpOf(R"(
@qd.kernel
def k(n: qd.types.ndarray(qd.i32, 1)):
    qd.loop_config(block_dim=64)
    for i in range(n[0]):
        block.sync()
        n[i] = i
)");
  CHECK(has(text, "= select(((%t.0 cmod 64) == 0), %t.0, 0)"));
  CHECK(has(text, "    barrier\n    %base")); // between rounds
  CHECK(!has(text, "if (%iteration"));
}
