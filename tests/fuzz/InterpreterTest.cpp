// The reference interpreter on programs whose results are worked out by hand: types, control
// flow under masks, what threads do together, and what it has to refuse.
#include "tests/fuzz/Interpreter.h"
#include "frontend/syntax/Diagnostics.h"
#include "tests/fuzz/Cases.h"

#include "tests/support/Catch.h"

#include <bit>

using namespace fuzz;

namespace {

Datum zeros(const std::string &name, Scalar type, size_t count) {
  return {name, type, true, {int64_t(count)}, std::vector<Bits>(count)};
}
Datum values(const std::string &name, Scalar type, std::vector<Bits> data) {
  return {name, type, true, {int64_t(data.size())}, std::move(data)};
}

/// `out` after a kernel with that body, over arrays `x` and `out`.
std::vector<Bits> run(const std::string &body, Datum x, Datum out, unsigned wave = 4,
                      const std::string &before = "") {
  std::string text = "import quadrants as qd\nfrom quadrants.lang.simt import block, subgroup\n" +
                     before + "@qd.kernel\ndef k(x: qd.types.ndarray(dtype=qd." +
                     std::string(nameOf(x.type)) + ", ndim=1), out: qd.types.ndarray(dtype=qd." +
                     std::string(nameOf(out.type)) + ", ndim=1)):\n" + body;
  const sextant::SourceFile file("test.py", text);
  sextant::DiagnosticSink sink;
  const auto module = sextant::parse(file, sink);
  REQUIRE(!sink.hasErrors());
  Launch launch;
  launch.kernel = "k";
  launch.arguments = {std::move(x), std::move(out)};
  interpret(*module, wave, launch);
  return launch.arguments[1].data;
}

std::vector<Bits> perThread(const std::string &statements, Datum x, Datum out, unsigned wave = 4,
                            const std::string &before = "") {
  const size_t count = out.data.size();
  return run("    qd.loop_config(block_dim=" + std::to_string(count) + ")\n    for i in range(" +
                 std::to_string(count) + "):\n" + statements,
             std::move(x), std::move(out), wave, before);
}

Bits f32(float value) { return std::bit_cast<uint32_t>(value); }

} // namespace

TEST_CASE("numbers have the width, sign and rounding of their type") {
  CHECK(promote(Scalar::I32, Scalar::U32) == Scalar::U32);
  CHECK(promote(Scalar::U64, Scalar::F16) == Scalar::F16);
  CHECK(promote(Scalar::I64, Scalar::U32) == Scalar::I64);
  CHECK(compute(Op::Add, Scalar::I8, 127, 1) == Bits(-128));
  CHECK(compute(Op::FloorDiv, Scalar::I32, Bits(-7), 2) == Bits(-4));
  CHECK(compute(Op::Mod, Scalar::I32, Bits(-7), 2) == 1);
  CHECK(compute(Op::Mod, Scalar::I32, 7, Bits(-3)) == Bits(-2));
  CHECK(compute(Op::FloorDiv, Scalar::U32, 0xfffffffb, 9) == 477218587);
  CHECK(compute(Op::Shr, Scalar::I16, Bits(-8), 1) == Bits(-4));
  CHECK(compute(Op::Shr, Scalar::U16, 0xfff8, 1) == 0x7ffc);
  CHECK(convert(Scalar::F32, Scalar::I32, f32(-2.75f)) == Bits(-2));
  CHECK(convert(Scalar::F32, Scalar::U8, f32(256)) == 255);
  CHECK(convert(Scalar::F32, Scalar::U64, f32(1e30f)) == ~Bits(0));
  CHECK(convert(Scalar::F32, Scalar::U16, f32(-0.5f)) == 0);
  CHECK(convert(Scalar::F32, Scalar::I8, f32(-1e30f)) == Bits(-128));
  CHECK(convert(Scalar::F32, Scalar::I64, f32(1e30f)) == Bits(INT64_MAX));
  CHECK(convert(Scalar::F32, Scalar::I32, f32(NAN)) == 0);
  CHECK(convert(Scalar::I64, Scalar::F32, 16777217) == f32(16777216.0f));
  CHECK(convert(Scalar::I32, Scalar::F16, 2049) == 0x6800); // a tie, to even
  CHECK(fromDouble(Scalar::F16, 65519.0) == 0x7bff);
  CHECK(fromDouble(Scalar::F16, 65520.0) == 0x7c00);
  CHECK(fromDouble(Scalar::F16, -0.0) == 0x8000);
  CHECK(toDouble(Scalar::F16, 0x3555) == 0.333251953125);
  CHECK(compute(Op::FloorDiv, Scalar::F32, f32(-0.5f), f32(-2.5f)) == f32(0));
  CHECK(compute(Op::FloorDiv, Scalar::F32, f32(1.0f), f32(-2.5f)) == f32(-1));
  CHECK(compute(Op::Mod, Scalar::F32, f32(1.0f), f32(-2.5f)) == f32(-1.5f));
  CHECK_THROWS_AS(compute(Op::Mod, Scalar::I32, 1, 0), Unspecified);
  CHECK_THROWS_AS(compute(Op::FloorDiv, Scalar::I8, Bits(-128), Bits(-1)), Unspecified);
  CHECK_THROWS_AS(compute(Op::Shl, Scalar::I32, 1, 32), Unspecified);
  CHECK_THROWS_AS(compute(Op::Mul, Scalar::F32, f32(1e-30f), f32(1e-10f)), Unspecified);
}

TEST_CASE("a local has the type of its first assignment, literals that of what they meet") {
  CHECK(perThread("        v = x[i]\n        v = 300 + i\n        out[i] = v * 2\n",
                  zeros("x", Scalar::U8, 4),
                  zeros("out", Scalar::I32, 4)) == std::vector<Bits>{88, 90, 92, 94});
  CHECK(perThread("        out[i] = (x[i] + qd.i8(1)) < 0\n", values("x", Scalar::I8, {127, 0}),
                  zeros("out", Scalar::I32, 2), 2) == std::vector<Bits>{1, 0});
  CHECK(perThread("        out[i] = (x[i] + 1) < 0\n", values("x", Scalar::I8, {127, 0}),
                  zeros("out", Scalar::I32, 2), 2) == std::vector<Bits>{0, 0});
}

TEST_CASE("lanes leave loops, functions and conditions each for itself") {
  CHECK(perThread("        a = 0\n        for j in range(10):\n            if j == x[i]:\n"
                  "                continue\n            if j > 2 * x[i]:\n                break\n"
                  "            a += j\n        out[i] = a\n",
                  values("x", Scalar::I32, {0, 1, 2, 3}),
                  zeros("out", Scalar::I32, 4)) == std::vector<Bits>{0, 2, 8, 18});
  CHECK(perThread("        out[i] = f(x[i])\n", values("x", Scalar::I32, {0, 1, 2, 3}),
                  zeros("out", Scalar::I32, 4), 4,
                  "@qd.func\ndef f(a):\n    while a > 0:\n        if a % 2 == 0:\n"
                  "            return 100\n        return a * 7\n    return -1\n") ==
        std::vector<Bits>{Bits(-1), 7, 100, 21});
  // Only the chosen side is evaluated: no division by zero.
  CHECK(perThread("        out[i] = 12 // x[i] if x[i] != 0 and 12 // x[i] > 3 else -5\n",
                  values("x", Scalar::I32, {0, 1, 2, 6}),
                  zeros("out", Scalar::I32, 4)) == std::vector<Bits>{Bits(-5), 12, 6, Bits(-5)});
  CHECK(perThread("        out[i] = (0 < x[i] <= 2) and x[i] != 1\n",
                  values("x", Scalar::I32, {0, 1, 2, 6}),
                  zeros("out", Scalar::I32, 4)) == std::vector<Bits>{0, 0, 1, 0});
}

TEST_CASE("subgroups and tiles") {
  const Datum x = values("x", Scalar::I32, {5, 1, 7, 2, 9, 3, 8, 4});
  const auto collective = [&](const std::string &text, unsigned wave) {
    return perThread("        out[i] = " + text + "\n", x, zeros("out", Scalar::I32, 8), wave);
  };
  using Vector = std::vector<Bits>;
  CHECK(collective("subgroup.inclusive_add(x[i])", 4) == Vector{5, 6, 13, 15, 9, 12, 20, 24});
  CHECK(collective("subgroup.exclusive_max_tiled(x[i], 1)", 4)[2] == Bits(INT32_MIN));
  CHECK(collective("subgroup.exclusive_max_tiled(x[i], 1)", 4)[3] == 7);
  CHECK(collective("subgroup.reduce_all_min(x[i])", 8) == Vector(8, 1));
  CHECK(collective("subgroup.shuffle(x[i], qd.u32(3 - subgroup.invocation_id()))", 4) ==
        Vector{2, 7, 1, 5, 4, 8, 3, 9});
  CHECK(collective("qd.i32(subgroup.ballot(x[i] > 4))", 4) == Vector{5, 5, 5, 5, 5, 5, 5, 5});
  CHECK(collective("subgroup.segmented_reduce_add(x[i], x[i] > 6)", 8) ==
        Vector{5, 6, 7, 9, 9, 12, 8, 12});
  CHECK(collective("subgroup.all_equal_tiled(x[i] % 2, 1)", 4) == Vector{1, 1, 0, 0, 1, 1, 1, 1});
  CHECK(collective("block.inclusive_add(x[i], 8, qd.i32)", 4) ==
        Vector{5, 6, 13, 15, 24, 27, 35, 39});
  CHECK(collective("block.sync_count_nonzero(x[i] > 4)", 4) == Vector(8, 4));
  CHECK(perThread("        a, b = subgroup.bitonic_sort_kv(x[i], i)\n        out[i] = a * 10 + b\n",
                  x, zeros("out", Scalar::I32, 8), 4) == Vector{11, 23, 50, 72, 35, 47, 86, 94});
  // Lanes that a reduction leaves open may not be used; lane 0 may.
  CHECK_THROWS_AS(collective("subgroup.reduce_add(x[i]) + 1", 4), Unspecified);
  CHECK(collective("qd.select(i % 4 == 0, subgroup.reduce_add(x[i]), 0)", 4)[4] == 24);
}

TEST_CASE("what the language leaves open is refused") {
  const Datum x = zeros("x", Scalar::I32, 8), out = zeros("out", Scalar::I32, 8);
  const auto refuses = [&](const std::string &statements) {
    CHECK_THROWS_AS(perThread(statements, x, out), Unspecified);
  };
  refuses("        out[0] = i\n");                                  // two writers
  refuses("        out[i] = i\n        x[i] = out[(i + 1) % 8]\n"); // no barrier
  refuses("        s = block.SharedArray((8,), qd.i32)\n        out[i] = s[i]\n");
  refuses("        if i < 3:\n            block.sync()\n");
  refuses("        if i < 3:\n            out[i] = subgroup.reduce_all_add(i)\n");
  refuses("        qd.atomic_add(out[0], 1)\n        qd.atomic_xor(out[0], 1)\n");
  refuses("        out[i] = qd.atomic_add(x[0], 1)\n");
  refuses("        out[i] = x[i + 1]\n");
  refuses("        f = x[i] * 0.1 + 0.3\n        out[i] = qd.i32(qd.f32(i) * 0.1 + 0.3)\n");
  CHECK(perThread("        s = block.SharedArray((8,), qd.i32)\n        s[i] = i\n"
                  "        block.sync()\n        out[i] = s[7 - i]\n",
                  x, out)[1] == 6);
  CHECK(perThread("        qd.atomic_add(out[0], i)\n", x, out)[0] == 28);
}

TEST_CASE("tasks run in order, and carry the kernel's locals") {
  CHECK(run("    c = x[2] + 1\n    for i in range(4):\n        out[i] = c + i\n    c = out[3]\n"
            "    for i in range(4):\n        x[i] = out[3 - i]\n    for i in range(4):\n"
            "        out[i] = x[i] * c\n",
            values("x", Scalar::I32, {0, 0, 9, 0}),
            zeros("out", Scalar::I32, 4)) == std::vector<Bits>{169, 156, 143, 130});
}

TEST_CASE("threads share the components of the kernel's vectors") {
  const Datum x = values("x", Scalar::I32, {1, 2, 3, 4}), out = zeros("out", Scalar::I32, 3);
  const std::string before = "    t = qd.Vector([5, 6, 7])\n    for i in range(4):\n";
  const std::string after = "    for i in range(3):\n        out[i] = t[i]\n";
  CHECK(run(before + "        t[i % 2] += x[i]\n        t.z |= 8\n" + after, x, out) ==
        std::vector<Bits>{9, 12, 15});
  CHECK(run(before + "        if i < 3:\n            t[i] = i + t[i]\n" + after, x, out) ==
        std::vector<Bits>{5, 7, 9});
  CHECK(run(before + "        qd.atomic_max(t[0], x[i] * 3)\n" + after, x, out) ==
        std::vector<Bits>{12, 6, 7});
  CHECK_THROWS_AS(run(before + "        t[0] += 1\n        out[0] = t[0]\n", x, out), Unspecified);
  CHECK_THROWS_AS(run(before + "        t[0] = i\n", x, out), Unspecified);
  CHECK_THROWS_AS(run(before + "        out[0] = t.sum()\n        t[0] += 1\n", x, out),
                  Unspecified);
}

TEST_CASE("ranges go up to the ends of their types") {
  const Datum x = values("x", Scalar::I64, {Bits(INT64_MAX), Bits(INT64_MIN), 1});
  CHECK(run("    for i in range(2147483640, 2147483647, 3):\n"
            "        out[(i - 2147483640) // 3] = i\n",
            x, zeros("out", Scalar::I32, 4)) ==
        std::vector<Bits>{2147483640, 2147483643, 2147483646, 0});
  CHECK(run("    for i in range(x[0], x[1], -4611686018427387904):\n        out[qd.u64(x[0] - i) "
            ">> 62] "
            "= i\n"
            "    for i in range(x[0], x[1], x[2]):\n        out[0] = 1\n"
            "    for i, j in qd.ndrange(-3, -3):\n        out[0] = 2\n",
            x, zeros("out", Scalar::I64, 4)) ==
        std::vector<Bits>{Bits(INT64_MAX), Bits(INT64_MAX) - (Bits(1) << 62), Bits(-1),
                          Bits(-1) - (Bits(1) << 62)});
  CHECK(perThread("        for j in range(-2147483647, -2147483648 + i - i, -1 - i):\n"
                  "            out[i] += j\n",
                  x, zeros("out", Scalar::I32, 2)) ==
        std::vector<Bits>{Bits(-2147483647), Bits(-2147483647)});
}

TEST_CASE("components of vectors and matrices are places") {
  const Datum x = values("x", Scalar::I32, {1, 2, 3}), out = zeros("out", Scalar::I32, 3);
  const auto three = [&](const std::string &statements) {
    return run("    for i in range(1):\n" + statements +
                   "        out[0] = v.x\n        out[1] = v[1]\n        out[2] = v.z\n",
               x, out);
  };
  using Vector = std::vector<Bits>;
  const std::string v = "        v = qd.Vector([x[0], x[1], x[2]])\n";
  CHECK(three(v + "        v.zx = v.xy\n") == Vector{2, 2, 1});
  CHECK(three(v + "        v[1:] = v[:2]\n") == Vector{1, 1, 2});
  CHECK(three(v + "        v[::2] *= 5\n        v[x[0]] += 1\n") == Vector{5, 3, 15});
  CHECK(three(v + "        v = v.cross(qd.Vector([1, 0, 2])) + v.dot(v)\n") == Vector{18, 15, 12});
  const std::string m = "        m = qd.Matrix([[1, 2, 3], [4, 5, x[0]]])\n";
  CHECK(three(m + "        v = m.transpose() @ qd.Vector([1, 10])\n") == Vector{41, 52, 13});
  CHECK(three(m + "        m[:, 1] = m[:, 2]\n        m[1, 1:] += 7\n        m[x[0] - 1, 0] = 9\n"
                  "        v = m[0, :] * 10 + m[1]\n") == Vector{94, 38, 38});
  CHECK(three(m + "        v = qd.select(m[0] < 3, m[0], -m[1])\n") == Vector{1, 2, Bits(-1)});
}

TEST_CASE("structs are values, and methods change what they are called on") {
  const std::string before =
      "@qd.dataclass\nclass In:\n    u: qd.i8\n    w: qd.types.vector(2, qd.i32)\n"
      "@qd.dataclass\nclass Out:\n    a: qd.i32\n    p: In\n"
      "    @qd.func\n    def bump(self, by):\n        self.p.w.yx += by\n"
      "        self.a -= 1\n        return self.p.w\n"
      "@qd.func\ndef kept(o, by):\n    return o.bump(by).x + o.a\n";
  const Datum x = values("x", Scalar::I32, {1, 2, 3, 4}), out = zeros("out", Scalar::I32, 4);
  CHECK(run("    for i in range(1):\n        o = Out(5, In(300, [x[1], x[2]]))\n"
            "        out[0] = kept(o, 10) * 100 + o.a\n        out[1] = o.p.u\n"
            "        out[2] = o.bump(qd.Vector([10, 20])).x + o.p.w.y * 100\n"
            "        f = Out(7)\n        g = Out(a=1) if x[0] > 1 else f\n        f.a = 0\n"
            "        out[3] = g.a * 1000 + g.p.w.x * 100 + f.p.u\n",
            x, out, 4, before) == std::vector<Bits>{1605, 44, 1322, 7707});
}

TEST_CASE("prints are Python's") {
  const std::string text =
      "import quadrants as qd\n@qd.kernel\ndef k(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):\n"
      "    for i in range(2):\n        print(i, x[i], qd.Vector([i, -3]), i < 1, \"t\", "
      "sep=\";\")\n"
      "        print(f\"{i} {x[i]:.2f}|{i - 7:04}|{i + 254:x}|{i:<3}|{{}}\", end=\"\")\n"
      "    print(qd.f64(x[0]), x[1] * qd.f32(1024.0))\n";
  const sextant::SourceFile file("test.py", text);
  sextant::DiagnosticSink sink;
  const auto module = sextant::parse(file, sink);
  REQUIRE(!sink.hasErrors());
  Launch launch;
  launch.kernel = "k";
  launch.arguments = {values("x", Scalar::F32, {f32(0.1f), f32(1e16f)})};
  interpret(*module, 4, launch);
  CHECK(launch.prints ==
        std::vector<std::string>{"0;0.1;[0, -3];True;t\n", "1;1e+16;[1, -3];False;t\n",
                                 "0 0.10|-007|fe|0  |{}", "1 10000000272564224.00|-006|ff|1  |{}",
                                 "0.10000000149011612 1.024e+19\n"});
}

TEST_CASE("rounds on the device go on until the flag is 0") {
  CHECK(run("    n = 0\n    while qd.graph.do_while(x):\n        for i in range(3):\n"
            "            out[i] += i + n\n        n += 10\n        x[()] -= 1\n",
            {"x", Scalar::I32, true, {}, {3}},
            zeros("out", Scalar::I32, 3)) == std::vector<Bits>{30, 33, 36});
}

TEST_CASE("launches as text come back as they were") {
  Launch launch;
  launch.kernel = "k";
  launch.arguments = {values("a", Scalar::I8, {Bits(-1), 2}),
                      zeros("b", Scalar::F64, 3),
                      {"n", Scalar::U16, false, {}, {0xfffe}},
                      {"m", Scalar::I16, true, {2, 3}, std::vector<Bits>(12, 7), {2}},
                      {"z", Scalar::I32, true, {}, {5}},
                      {"v", Scalar::I8, false, {}, {1, 2, 3, 4}, {2, 2}}};
  launch.prints = {"1 a\\b\n", ""};
  launch.results = {{"r", Scalar::F32, false, {}, {}}};
  const std::vector<Launch> back = readLaunches(writeLaunch(launch));
  REQUIRE(back.size() == 1);
  REQUIRE(back[0].arguments.size() == 6);
  CHECK(back[0].arguments[3].shape == launch.arguments[3].shape);
  CHECK(back[0].arguments[3].element == launch.arguments[3].element);
  CHECK(back[0].arguments[4].shape.empty());
  CHECK(back[0].arguments[5].data == launch.arguments[5].data);
  CHECK(back[0].prints == launch.prints);
  CHECK(back[0].arguments[0].data == launch.arguments[0].data);
  CHECK(back[0].arguments[1].data == launch.arguments[1].data);
  CHECK(back[0].arguments[2].data == launch.arguments[2].data);
  CHECK(back[0].results[0].data.empty());
  CHECK(writeLaunch(back[0]) == writeLaunch(launch));
  CHECK_THROWS(readLaunches("array x q9 1 zero"));
}
