// The code that sources become: types, folded values, tasks, launch bounds.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

namespace {
std::string dumpOfWave(const std::string &text, unsigned wave = 32) {
  test::Analysis analysis;
  analysis.options.target.wave = wave;
  return test::dumpOf(analysis, text);
}
/// The value that a kernel stores, as printed.
std::string stored(const std::string &expression, const std::string &type = "qd.f64") {
  std::string text =
      dumpOfWave("@qd.kernel\ndef k(o: qd.types.ndarray(" + type +
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

TEST_CASE(
    "methods and functions of vectors are known when kernels are built, if their values are") {
  CHECK(stored("qd.math.clamp(7, 0, 3)", "qd.i32") == "3");
  CHECK(stored("qd.math.clamp(-7, xmin=0, xmax=3)", "qd.i32") == "0");
  CHECK(stored("qd.math.mix(1.0, 3.0, 0.25)") == "1.5:f64");
  CHECK(stored("(2.0).mix(y=4.0, a=0.5)") == "3:f64");
  CHECK(stored("qd.math.smoothstep(0.0, 4.0, 1.0)") == "0.15625:f64");
  CHECK(stored("qd.math.smoothstep(0.0, 4.0, 9.0)") == "1:f64");
  CHECK(stored("qd.math.step(2, 1)") == "0:f64");
  CHECK(stored("qd.math.step(2, 2)") == "1:f64");
  // (1, -2) - 2 ((1, -2) . (0, 1)) (0, 1) = (1, 2)
  CHECK(stored("qd.Vector([1, -2]).reflect(qd.Vector([0, 1])).y", "qd.i32") == "2");
  CHECK(stored("qd.Vector([2, 3]).outer_product(qd.Vector([5, 7, 11]))[1, 2]", "qd.i32") == "33");
  CHECK(stored("qd.outer(qd.Vector([2, 3]), qd.Vector([5, 7, 11]))[0, 1]", "qd.i32") == "14");
  CHECK(stored("qd.math.cross([1, 0, 0], [0, 1, 0]).z", "qd.i32") == "1");
}

TEST_CASE("None for a setting says the same as nothing") {
  const std::string known = stored("qd.Vector([i, 2]).sum()", "qd.i32");
  CHECK(stored("qd.Vector([i, 2], dt=None).sum()", "qd.i32") == known);
  CHECK(stored("qd.Vector([i, 2], None).sum()", "qd.i32") == known);
  CHECK(stored("qd.floor(f, dtype=None)", "qd.f32") == stored("qd.floor(f)", "qd.f32"));
}

TEST_CASE("kernels know the backend and the shared memory that they are built for") {
  const auto storedFor = [](const TargetFacts &target, const std::string &expression) {
    test::Analysis analysis;
    analysis.options.target = target;
    const std::string text = test::dumpOf(
        analysis,
        "@qd.kernel\ndef k(o: qd.types.ndarray(qd.i32, 1)):\n    o[0] = " + expression + "\n");
    const size_t at = text.find("o[0] = ");
    return at == text.npos ? text : text.substr(at + 7, text.find('\n', at) - at - 7);
  };
  const char *which = "1 if qd.cfg.arch == qd.cuda else 2 if qd.cfg.arch in (qd.vulkan, qd.metal) "
                      "else 3 if qd.cfg.arch in qd.gpu else 4 if qd.cfg.arch == qd.cpu else 5";
  CHECK(storedFor({32, "cuda"}, which) == "1");
  CHECK(storedFor({32, "vulkan"}, which) == "2");
  CHECK(storedFor({32, "metal"}, which) == "2");
  CHECK(storedFor({64, "amdgpu"}, which) == "3");
  CHECK(storedFor({8, "cpu"}, which) == "4");
  CHECK(storedFor({32, "cuda", 232448}, "qd.lang.impl.get_max_shared_memory_bytes() // 4") ==
        "58112");
}

TEST_CASE("a sort takes a field of few elements for scratch, on every backend") {
  for (const TargetFacts &target : {TargetFacts{8, "cpu"}, TargetFacts{32, "cuda"},
                                    TargetFacts{64, "amdgpu"}, TargetFacts{32, "vulkan"}}) {
    test::Analysis analysis;
    analysis.options.target = target;
    analysis.runText("N = 500\n"
                     "x = qd.field(qd.u32, shape=N)\ny = qd.field(qd.u32, shape=N)\n"
                     "s = qd.field(qd.u32, shape=qd.algorithms.sort_scratch_slots(N, 2))\n"
                     "@qd.kernel\ndef k():\n"
                     "    qd.algorithms.sort(x, y, x, y, s, N, qd.u32, False, 32, 2)\n");
    INFO(target.backend << "\n" << analysis.errors());
    CHECK(analysis.kernels.size() == 1);
  }
}

TEST_CASE("frexp of constants is exact") {
  CHECK(stored("qd.frexp(-6.0)[0]") == "-0.75:f64");
  CHECK(stored("qd.frexp(-6.0)[1]", "qd.i32") == "3");
  CHECK(stored("qd.frexp(0)[1]", "qd.i32") == "0");
  CHECK(stored("qd.frexp(qd.math.inf)[1]", "qd.i32") == "0");
}

TEST_CASE("a fill at the top of a kernel is a parallel loop at the user's line") {
  test::Analysis analysis;
  analysis.runText("@qd.kernel\ndef k(a: qd.types.ndarray(qd.f64, 2), x: qd.f64):\n"
                   "    a.fill(x * 0.1)\n    if x > 1:\n        a.fill(2)\n");
  INFO(analysis.errors());
  REQUIRE(analysis.kernels.size() == 1);
  const hir::Kernel &kernel = analysis.kernels[0];
  bool isParallel = false;
  for (const hir::Task &task : kernel.tasks) {
    CHECK(task.at.file == kernel.at.file);
    isParallel |= !task.serial && task.iterations;
  }
  CHECK(isParallel);
  CHECK(kernel.tasks.back().serial);
  CHECK(has(analysis.dump(), "0.1:f64")); // a literal is stored as it stands
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
  auto text = dumpOfWave(R"(
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
  CHECK(has(text, "task k_t0 block 128 light iterations a.shape0 a.shape1 *"));
  CHECK(has(text, "task k_t1 block 128 light iterations n 2 * 3 - 0 max"));
  CHECK(has(text, "task k_t2 block 1 serial")); // reads the bound
  CHECK(has(text, "task k_t3 block 128\n"));    // grid-stride
  CHECK(has(text, "while (%base"));
  CHECK(has(text, "task k_t4 block 1 serial")); // the guarded loop
  CHECK(has(text, "task k_t5 block 128 light iterations 256"));
  CHECK(has(text, "task k_t7 block 128 light iterations 100"));
  CHECK(!has(text, "k_t8"));
  // A bound that fills its blocks needs no test.
  size_t fits = text.find("task k_t5"), next = text.find("task k_t6");
  CHECK(!has(text.substr(fits, next - fits), "if ("));
}

TEST_CASE("the host computes the bounds of loops in functions too") {
  auto text = dumpOfWave(R"(
Reals = qd.types.ndarray(qd.f32, 1)

@qd.func
def fill(x: qd.template(), count):
    for i in range(count):
        x[i] = count

@qd.func
def fill_twice(x: qd.template(), n: qd.template()):
    rows = n // 2
    fill(x, rows * 3)
    fill(x, n)

@qd.func
def changed(x: qd.template(), count):
    count += 1
    for i in range(count):
        x[i] = 7

@qd.kernel
def k(x: Reals, n: qd.i32, m: qd.types.ndarray(qd.i32, 1)):
    fill_twice(x, n + 1)
    changed(x, n + 5)
    fill(x, m[0] + 1)
)");
  CHECK(has(text, "task k_t0 block 128 light iterations n 1 + "));
  CHECK(has(text, " 2 // 3 * 0 max"));
  CHECK(has(text, "task k_t1 block 128 light iterations n 1 + 0 max"));
  CHECK(has(text, "task k_t2 block 128 light iterations n 5 + "));
  CHECK(has(text, "task k_t3 block 1 serial")); // in memory
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
  auto text = dumpOfWave(source, 16);
  CHECK(has(text, "block 64 full iterations a.shape0"));
  CHECK(has(text, "shared0 s i32 x 64"));
  CHECK(has(text, "+ 16)"));
  CHECK(!has(text, "= 0\n"));
  CHECK(has(dumpOfWave(source, 64), "a[%i.1] = 0"));
}

TEST_CASE("variables of the kernel are carried between tasks") {
  auto text = dumpOfWave(R"(
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
  auto text = dumpOfWave(R"(
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
  CHECK(analysis.kernels[2].arguments[0].dtype == hir::Type::I64);
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
  auto text = dumpOfWave(R"(
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
  auto text = dumpOfWave(R"(
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
}

TEST_CASE("a negative extent is multiplied as one of 0") {
  auto text = dumpOfWave(R"(
@qd.kernel
def k(a: qd.i32, b: qd.i32, n: qd.types.ndarray(qd.i32, 2)):
    for i, j in qd.ndrange(a, b):
        n[i, j] = i
    for I in qd.grouped(qd.ndrange(n.shape[0], (a, b))):
        n[I] = 1
)");
  CHECK(has(text, "iterations a 0 max b 0 max *"));
  CHECK(has(text, "iterations n.shape0 b a - 0 max *"));
}

TEST_CASE("the launch's bound wraps before it is divided, as the device's does") {
  auto text = dumpOfWave(R"(
@qd.kernel
def k(a: qd.i32, u: qd.u32, w: qd.i64, n: qd.types.ndarray(qd.i32, 1)):
    for i in range(a * 3):
        n[i] = i
    for i in range((a + 1) // 2):
        n[i] = i
    for i in range(u - 1):
        n[i] = 1
    for i in range(qd.i32(w)):
        n[i] = 1
    for i in range(w + qd.i64(a)):
        n[i] = 1
)");
  CHECK(has(text, "iterations a 3 * 0 max"));
  CHECK(has(text, "iterations a 1 + 2147483648 + 4294967296 % 2147483648 - 2 // 0 max"));
  CHECK(has(text, "iterations u 1 - 4294967296 % 0 max"));
  CHECK(has(text, "iterations w 2147483648 + 4294967296 % 2147483648 - 0 max"));
  CHECK(has(text, "iterations w a + 0 max"));
}

TEST_CASE("a loop is parallel under a static `if` and serial under any other") {
  auto text = dumpOfWave(R"(
@qd.kernel
def k(n: qd.types.ndarray(qd.i32, 1)):
    if qd.static(True):
        for i in range(256):
            n[i] = i
    if True:
        for i in range(256):
            if i == 3:
                break
            n[i] = i
)");
  CHECK(has(text, "block 128 light iterations 256"));
  CHECK(text.find("iterations", text.find("iterations") + 1) == std::string::npos);
}

TEST_CASE("comprehensions have as many loops as they are given") {
  std::string list = "[p * 10 + q for p in range(3) for q in range(p) if p + q > 1]";
  CHECK(stored("len(" + list + ")", "qd.i32") == "2");
  CHECK(stored("sum(" + list + ")", "qd.i32") == "41");
  CHECK(stored("len([i + j for i, j in qd.ndrange(2, 3)])", "qd.i32") == "6");
}

TEST_CASE("a guarded return of a kernel keeps later tasks from doing anything") {
  auto text = dumpOfWave(R"(
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
  auto text = dumpOfWave(R"(
@qd.kernel
def k(n: qd.types.ndarray(qd.i32, 1)):
    qd.loop_config(block_dim=64)
    for i in range(n[0]):
        block.sync()
        n[i] = i
)");
  CHECK(has(text, "= select(((%t.0 cmod 64:u32) == 0:u32), %t.0, 0:u32)"));
  CHECK(has(text, "    barrier\n    %base")); // between rounds
  CHECK(!has(text, "if (%iteration"));
}

TEST_CASE("a long chain of elif is not deep nesting") {
  // 300 arms: groups of 64 follow each other. No line may be indented further than a group.
  std::string text = "@qd.kernel\ndef k(o: qd.types.ndarray(qd.i32, 1), n: qd.i32):\n"
                     "    for i in range(n):\n        if i == 0: o[i] = 1\n";
  for (int k = 1; k < 300; ++k)
    text += "        elif i == " + std::to_string(k) + ": o[i] = " + std::to_string(k * 7) + "\n";
  text += "        else: o[i] = -1\n";
  std::string dump = dumpOfWave(text);
  size_t deepest = 0, stores = 0;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    deepest = std::max(deepest, line.find_first_not_of(' '));
    stores += has(line, "o[");
  }
  CHECK(stores == 301);
  CHECK(deepest < 2 * (64 + 8));
}

TEST_CASE("`or` and `and` of vectors give 0 and 1, those of numbers an operand") {
  auto text = dumpOfWave(R"(
@qd.kernel
def k(o: qd.types.ndarray(qd.i32, 1)):
    v = qd.Vector([o[0], o[1]])
    w = v or v
    o[2] = w.y
    o[3] = 6 and 5
)");
  CHECK(has(text, "i32((u1("));
  CHECK(!has(text, "select"));
  CHECK(has(text, "o[3] = 5"));
}

TEST_CASE("iterating over a matrix gives its rows") {
  const char *source = R"(
M = qd.Matrix([[1, 2], [3, 4], [5, 6]])
@qd.func
def join(*args): pass
@qd.kernel
def k(o: qd.types.ndarray(qd.i32, 1)):
    rows = qd.static([r for r in M])
    o[0] = qd.static(len(rows) * 10 + len(M))
    o[1] = qd.static(rows[2][0] * 10 + rows[2][1])
    for i, r in qd.static(enumerate(M)):
        o[2 + i] = r[0] * 10 + r[1]
    s = sum(M)
    o[5] = s[0] * 100 + s[1]
)";
  auto text = dumpOfWave(source);
  for (const char *line : {"o[0] = 33\n", "o[1] = 56\n"})
    CHECK(has(text, line));
  CHECK(has(text, "o[4] = "));
  CHECK(!has(text, "o[7]"));
}

TEST_CASE("`any` and `all` of tuples and vectors") {
  CHECK(stored("any((0, 1))", "qd.i32") == "1");
  CHECK(stored("all((0, 1))", "qd.i32") == "0");
  CHECK(stored("any(())", "qd.i32") == "0");
  CHECK(stored("all(())", "qd.i32") == "1");
  CHECK(stored("any((i > 1, j > 2))", "qd.u1") == "((i > 1) | (j > 2:i64))");
  CHECK(stored("all((True, i > 1))", "qd.u1") == "(i > 1)");
}

TEST_CASE("Python's types are dtypes everywhere") {
  CHECK(stored("f.cast(int)", "qd.i32") == "i32(f)");
  CHECK(stored("qd.floor(f, int)", "qd.i32") == "i32(floor(f))");
  CHECK(has(dumpOfWave(R"(
@qd.kernel
def k(o: qd.types.ndarray(qd.f32, 1)):
    for i in range(128):
        s = qd.simt.block.SharedArray(128, float)
        s[i] = o[i]
        block.sync()
        o[i] = s[127 - i]
)"),
            "shared0 s f32 x 128"));
}

TEST_CASE("code that never runs leaves no trace") {
  const std::string body = R"(
@qd.kernel
def k(o: qd.types.ndarray(qd.f32, 1)) -> qd.i32:
    n = 4
    for i in range(n):
        for j in qd.static(range(2)):
            o[i] += j
            continue
            EXTRA
    if n > 100:
        return 2
        EXTRA
    return 1
    EXTRA
    LAST
)";
  auto with = [&](std::string extra, std::string last = "pass") {
    std::string text = "table = qd.field(qd.f32, shape=4)\n" + body;
    for (size_t at; (at = text.find("EXTRA")) != std::string::npos;)
      text.replace(at, 5, extra);
    text.replace(text.find("LAST"), 4, last);
    return dumpOfWave(text);
  };
  // A field, shared memory, a fault's site, another result, another value, another task.
  CHECK(with("o[0] = table[1]") == with("pass"));
  CHECK(with("s = qd.simt.block.SharedArray(8, qd.f32)") == with("pass"));
  CHECK(with("assert o[0] > 1, 'no'") == with("pass"));
  CHECK(with("pass", "return 7") == with("pass"));
  CHECK(with("pass", "n = 9") == with("pass"));
  CHECK(with("pass", "for i in o: o[i] = 3") == with("pass"));
  CHECK(has(with("pass"), "iterations 4"));
}

TEST_CASE("what the build decides against is not looked at") {
  auto text = dumpOfWave(R"(
N = 3
@qd.func
def product(n: qd.template()):
    if qd.static(n == 0):
        return 1
    return n * product(n - 1)
@qd.kernel
def k(o: qd.types.ndarray(qd.i32, 1), x: qd.i32):
    o[0] = product(5)
    items = qd.static((1, 2))
    for i in qd.static(range(9)):
        if qd.static(i == len(items)):
            break
        o[1 + i] = items[i]
    if N > 5:
        o[0] = unknown
    while qd.static(N > 5):
        o[0] = unknown
)");
  CHECK(has(text, "o[0] = 120"));
  CHECK(has(text, "o[2] = 2"));
}

TEST_CASE("a real constant that its type cannot hold is warned of") {
  for (auto [type, value, warns] : {std::tuple{"qd.f32", "1e39", true},
                                    {"qd.f32", "3.4028235e38", false},
                                    {"qd.f16", "65519.0", false},
                                    {"qd.f16", "65520.0", true},
                                    {"qd.f64", "1e300", false},
                                    {"qd.f16", "70000", true}}) {
    test::Analysis analysis;
    analysis.runText(std::string("@qd.kernel\ndef k(o: qd.types.ndarray(") + type +
                     ", 1)):\n    o[0] = " + value + "\n");
    INFO(type << " " << value);
    CHECK(!analysis.sink.hasErrors());
    CHECK(analysis.sink.diagnostics().empty() != warns);
  }
}

TEST_CASE("assertions show values") {
  test::Analysis analysis;
  analysis.options.asserts = true;
  analysis.runText(R"(
@qd.kernel
def k(o: qd.types.ndarray(qd.f32, 1), n: qd.i32):
    for i in range(n):
        assert o[i] > 0, "at %d of %d, 100%%: %s, %5.2f, %x, %s" % (i, n, "text", 2.5, 255, o[i])
        assert o[i] > 1, "single %d" % n
)");
  INFO(analysis.errors());
  REQUIRE(!analysis.sink.hasErrors());
  std::string sites = analysis.kernels.at(0).hidden.at(0).name;
  CHECK(has(sites, "assertion failed: at \1 of \2, 100%: text,  2.50, ff, (a run-time f32)\n"));
  CHECK(has(sites, "assertion failed: single \1\n"));
}

TEST_CASE("texts are as Python's") {
  // The expression, and what `print` of it shows, as CPython 3.11 does.
  const std::pair<const char *, const char *> texts[] = {
      {"f'{5=}'", "5=5"},
      {"f'{ 5 = }'", " 5 = 5"},
      {"f'{5=:>4}'", "5=   5"},
      {"f'{5=!s}'", "5=5"},
      {"f'{5==5}{5!=5}{5>=5}'", "TrueFalseTrue"},
      {"f'{5!r}|{2.5!s}'", "5|2.5"},
      {"f'{5!s:>5}|{5!r:5}|{5!s:05}|{5:5}'", "    5|5    |50000|    5"},
      {"f'{\"a\"!r:>5}{\"a\"!s}'", "  'a'a"},
      {"'{:<06}|{:^06}|{:06}'.format(-3, -3, -3)", "-30000|00-300|-00003"},
      {"'{: <06}|{:*<06}'.format(-3, -3)", "-3    |-3****"},
      {"{'a': (1, 'b'), 2: [True, None]}", "{'a': (1, 'b'), 2: [True, None]}"},
      {"('a', \"it's\")", "('a', \"it's\")"}};
  for (const auto &[expression, shown] : texts) {
    INFO(expression);
    test::Analysis analysis;
    analysis.runText("@qd.kernel\ndef k(x: qd.types.ndarray(qd.i32, 1)):\n    for i in x:\n"
                     "        print(" +
                     std::string(expression) + ", end='')\n");
    INFO(analysis.errors());
    REQUIRE(analysis.kernels.size() == 1);
    std::string names;
    for (const hir::HiddenBuffer &buffer : analysis.kernels[0].hidden)
      if (buffer.role == hir::HiddenBuffer::Print)
        names += buffer.name;
    CHECK(names == shown + std::string("\n"));
  }
}

TEST_CASE("values that double with each line are refused before they fill the memory") {
  const std::pair<const char *, const char *> doubling[] = {{"(1, 2)", "(#, #)"},
                                                            {"[1, 2]", "# + #"},
                                                            {"[1, 2]", "[#, #]"},
                                                            {"[1, 2]", "[*#, *#]"},
                                                            {"[1, 2]", "# * 2"},
                                                            {"[1, 2]", "[# for i in range(2)]"},
                                                            {"{'a': 1}", "{'a': #, 'b': #}"},
                                                            {"'ab'", "# + #"},
                                                            {"'ab'", "'{}{}'.format(#, #)"},
                                                            {"'ab'", "f'{#}{#}'"},
                                                            {"'ab'", "'%s%s' % (#, #)"},
                                                            {"(1, 2)", "(#,) * 65536"}};
  for (const auto &[first, next] : doubling) {
    INFO(next);
    std::string text = "A0 = " + std::string(first) + "\n";
    for (int k = 1; k <= 60; ++k) {
      std::string line = "A" + std::to_string(k) + " = ";
      for (const char *c = next; *c; ++c)
        line += *c == '#' ? "A" + std::to_string(k - 1) : std::string(1, *c);
      text += line + "\n";
    }
    test::Analysis analysis;
    analysis.runText(text + "@qd.kernel\ndef k(x: qd.types.ndarray(qd.i32, 1)):\n"
                            "    x[0] = len(A60)\n");
    CHECK(analysis.errors().find("`A60` has no value") != std::string::npos);
  }
}
