// Derivatives of kernels (frontend/gradients): their arguments, their code in small cases, and what
// is refused. tests/gradients runs them.
#include "tests/sema/Dumps.h"
#include "tests/support/Catch.h"

using namespace sextant;
using test::has;

namespace {

const std::string types = "F = qd.types.ndarray(qd.f32, 1)\nI = qd.types.ndarray(qd.i32, 1)\n"
                          "H = qd.types.ndarray(qd.f16, 1)\n";

/// A kernel of arrays with these statements in a loop over `x`.
std::string kernel(const std::string &statements) {
  return types + "@qd.kernel\ndef k(x: F, y: F, n: I, h: H):\n    for i in x:\n        " +
         statements + "\n";
}

std::string errorsOf(const std::string &statements, const char *build = "k.grad",
                     const std::string &functions = "") {
  test::Analysis analysis;
  analysis.options.instantiations = {build};
  analysis.runText(kernel(statements) + functions);
  return analysis.errors();
}

/// The code of the only kernel or its derivative, from its tasks on.
std::string codeOf(const std::string &statements, const std::string &instance,
                   const std::string &functions = "") {
  test::Analysis analysis;
  if (instance != "k")
    analysis.options.instantiations = {instance == "k_grad" ? "k.grad" : "k.dual"};
  analysis.runText(kernel(statements) + functions);
  INFO(analysis.errors());
  for (const hir::Kernel &each : analysis.kernels)
    if (each.instance == instance) {
      const std::string text = hir::dump(each);
      return text.substr(text.find("task"));
    }
  return "";
}

/// A function of the language that `lines` are the body of.
std::string function(const std::string &head, const std::string &line,
                     const std::string &mark = "") {
  return (mark.empty() ? "" : "@qd.ad." + mark + "(f)\n") + "@qd.func\ndef " + head + ":\n    " +
         line + "\n";
}

} // namespace

TEST_CASE("a derivative has the kernel's arguments, and then the gradients that take part") {
  test::Analysis analysis;
  analysis.options.instantiations = {"k.grad", "k.dual"};
  analysis.runText(kernel("y[i] = x[i] * n[i]"));
  REQUIRE(analysis.kernels.size() == 3); // the kernel is built, too
  std::map<std::string, std::vector<std::string>> names;
  for (const hir::Kernel &each : analysis.kernels)
    for (const hir::Argument &argument : each.arguments)
      names[each.name].push_back(argument.name);
  using Names = std::vector<std::string>;
  CHECK(names["k"] == Names{"x", "y", "n", "h"});
  CHECK(names["k.grad"] == Names{"x", "y", "n", "h", "x.grad", "y.grad"});
  CHECK(names["k.dual"] == Names{"x", "y", "n", "h", "x.dual", "y.dual"});
}

TEST_CASE("a kernel with template parameters needs no instance beside its derivative's") {
  test::Analysis analysis;
  analysis.options.instantiations = {"k.grad[m=3]"};
  analysis.runText(types + "@qd.kernel\ndef k(x: F, m: qd.template()):\n    for i in x:\n"
                           "        x[i] = x[i] * m\n");
  REQUIRE(analysis.kernels.size() == 1);
  CHECK(analysis.kernels[0].instance == "k_3_grad");
  CHECK(analysis.errors().empty());
}

TEST_CASE("a product is run again, and each factor gets the other one") {
  CHECK(codeOf("y[i] = x[i] * x[i] * 3.0", "k_grad") ==
        R"(task k_grad_t0 block 128 light iterations x.shape0
  %iteration.0 = ((block_idx * block_dim) + thread_idx)
  %t.1 = (%iteration.0 < x.shape0)
  if %t.1
    %i.2 = %iteration.0
    %v.3 = x[%i.2]
    %v.4 = %v.3
    %grad.5 = y.grad[%i.2]
    %t.grad.6 = %grad.5
    %t.grad.7 = (%t.grad.6 * 3:f32)
    %v.grad.8 = (%t.grad.7 * %v.4)
    %v.grad.9 = (%t.grad.7 * %v.3)
    %v.grad.8 = (%v.grad.8 + %v.grad.9)
    x.grad[%i.2] = (x.grad[%i.2] + %v.grad.8)
    y.grad[%i.2] = 0:f32
)");
}

TEST_CASE("a sum in a loop is reversed in the loop's order, without states") {
  const std::string code = codeOf("s = 0.0\n        for j in range(n[0]):\n"
                                  "            s += x[j] * x[j]\n        y[i] = s",
                                  "k_grad");
  CHECK(!has(code, "private"));
  CHECK(!has(code, "while"));
  CHECK(has(code, "atomic_add(x.grad["));
}

TEST_CASE("a loop whose values the reverse needs keeps states") {
  const std::string loop = "s = x[i]\n        for j in range(COUNT):\n"
                           "            s = s * x[i]\n        y[i] = s";
  const auto with = [&](const std::string &count) {
    std::string text = loop;
    return codeOf(text.replace(text.find("COUNT"), 5, count), "k_grad");
  };
  CHECK(has(with("64"), "s f32 x 64"));
  CHECK(has(with("65"), "s f32 x 32"));
  CHECK(has(with("n[0]"), "s f32 x 32"));
}

/// True if the text has these words, one after the other.
static bool hasInOrder(const std::string &text, const std::vector<std::string> &words) {
  size_t at = 0;
  for (const std::string &each : words) {
    at = text.find(each, at);
    if (at == text.npos)
      return false;
    at += each.size();
  }
  return true;
}

TEST_CASE("the threads of a block wait for each other on the way back, too") {
  const std::string code =
      codeOf("t = i % 128\n        s = qd.simt.block.SharedArray((128,), qd.f32)\n"
             "        s[t] = x[i]\n        qd.simt.block.sync()\n        y[i] = s[127 - t]",
             "k_grad");
  INFO(code);
  CHECK(hasInOrder(code, {"s.grad f32 x 128", "barrier", "= y.grad[", "atomic_add(shared0[",
                          "barrier", "= shared0[", "] = 0:f32", "x.grad["}));
  CHECK(!has(code, "= x["));
}

TEST_CASE("lanes exchange derivatives in the other direction") {
  const auto of = [](const std::string &value) {
    return codeOf("y[i] = qd.simt.subgroup." + value, "k_grad");
  };
  CHECK(has(of("shuffle_xor(x[i], 3)"), "shuffle_xor("));
  CHECK(has(of("shuffle_up(x[i], 2)"), "shuffle_down("));
  // Lanes without a source may get a NaN.
  CHECK(has(of("shuffle_up(x[i], 2) * x[i]"), "select("));
  CHECK(has(of("shuffle_down(x[i], 2) * x[i]"), "select("));
  CHECK(has(of("reduce_add(x[i])"), "reduce_all_add<5>("));
  CHECK(has(of("inclusive_add(x[i])"), "inclusive_add<5>("));
  CHECK(!has(of("reduce_all_add(x[i])"), "= x["));
}

TEST_CASE("what has no gradient is refused where the gradient needs it") {
  for (const auto &[statements, words] : std::vector<std::pair<const char *, const char *>>{
           {"qd.atomic_max(y[0], x[i])", "an atomic that does not add has no gradient"},
           {"y[i] = qd.atomic_add(x[0], 1.0)", "an atomic whose old value is used"},
           {"n[i] = qd.i32(qd.atomic_add(y[0], x[i]))", "an atomic whose old value is used"},
           {"s = qd.simt.block.SharedArray((4,), qd.f32)\n        for j in range(n[0]):\n"
            "            s[j % 4] = x[i] * s[(j + 1) % 4] * s[j % 4]\n        y[i] = s[0]",
            "`s` is overwritten here"},
           {"for k in range(n[0]):\n            y[i] += h[i]",
            "its gradient would add up in 16 bits"},
           {"k = 0\n        while k < n[i]:\n            y[i] += h[i]\n            k += 1",
            "its gradient would add up in 16 bits"},
           {"y[i] = x[i] * qd.f32(qd.clock_counter())", "a clock has no gradient"},
           {"y[i] = h[0] * h[i]",
            "an array of reals of 8 or 16 bits whose elements several threads may read"},
           {"y[i] = x[i] * x.grad[i]", "a kernel that uses gradients itself"},
           {"y[i] = x[n[i]] * x[i]\n        n[i] = 0", "`n` is overwritten here"},
           {"y[i] = x[i] * h[0]\n        h[i] = 2.0", "`h` is overwritten here"},
           {"x[i] = x[i] * x[i]", "`x` is overwritten here"}}) {
    INFO(statements);
    CHECK(has(errorsOf(statements), words));
  }
}

TEST_CASE("the same may be where the gradient does not need it") {
  for (const char *statements :
       {"x[i] = x[i] * 2.0 + y[i]", "y[i] = x[i]\n        print(x[i])", "y[i] = h[i] * h[i]",
        "y[i] = x[i] * x[i]\n        qd.atomic_add(n[0], 1)",
        "y[i] = x[i] + qd.simt.subgroup.shuffle(qd.f32(i), qd.u32(0))"}) {
    INFO(statements);
    CHECK(errorsOf(statements) == "");
  }
}

TEST_CASE("reals that come from the bits of others are refused where the derivative needs them") {
  const std::string bits = "b = qd.bit_cast(x[i], qd.i32)\n        ";
  for (const char *build : {"k.grad", "k.dual"}) {
    for (const std::string &lost :
         {bits + "y[i] = qd.bit_cast(b, qd.f32)",
          bits + "y[i] = qd.bit_cast(qd.abs(b) & 0x7f800000, qd.f32) * x[i]",
          bits + "y[i] = b * 1e-7", std::string("y[i] = qd.f32(qd.bit_cast(h[i], qd.bf16))"),
          bits + "n[i] = b\n    for i in x:\n        y[i] = qd.bit_cast(n[i + 1], qd.f32)",
          bits + "qd.atomic_max(n[0], b)\n        y[i] = qd.bit_cast(n[0], qd.f32)",
          bits + "c = qd.simt.subgroup.reduce_max(b)\n        y[i] = qd.bit_cast(c, qd.f32)",
          bits + "s = qd.simt.block.SharedArray((4,), qd.i32)\n        s[1] = b\n"
                 "        t = 0.0\n        for j in range(4):\n"
                 "            t += qd.bit_cast(s[j], qd.f32)\n        y[i] = t"}) {
      INFO(build << '\n' << lost);
      CHECK(has(errorsOf(lost, build), "a real is made of the bits of another one here"));
    }
    // Keys, hashes and comparisons are constants, and so is what is said to be one.
    for (const std::string &kept :
         {bits + "y[i] = x[b & 3] * x[i]", bits + "y[i] = x[i] if b > 0 else 2.0 * x[i]",
          bits + "y[i] = qd.f32(b > 7) * x[i]", bits + "n[i] = b\n        y[i] = x[i] * x[i]",
          std::string("y[i] = x[i] * qd.f32(qd.i32(x[i]))"),
          std::string("b = qd.bit_cast(qd.ad.stop_gradient(x[i]), qd.i32)\n"
                      "        y[i] = qd.bit_cast(b, qd.f32) * x[i]"),
          std::string("n[i] = qd.bit_cast(qd.bit_cast(x[i], qd.u32), qd.i32)"),
          std::string("m, e = qd.frexp(x[i])\n        y[i] = m * x[i]")}) {
      INFO(build << '\n' << kept);
      CHECK(errorsOf(kept, build) == "");
    }
  }
}

TEST_CASE("frames of one array that differ by a constant are apart") {
  const auto errorsOf = [](const std::string &statements) {
    test::Analysis analysis;
    analysis.options.instantiations = {"k.grad"};
    analysis.runText("x = qd.field(qd.f32, shape=(9, 4), needs_grad=True)\n"
                     "y = qd.field(qd.f32, shape=(9, 4), needs_grad=True)\n"
                     "v = qd.Vector.field(3, qd.f32, shape=(9, 4), needs_grad=True)\n"
                     "line = qd.field(qd.f32, shape=9, needs_grad=True)\n"
                     "T = qd.types.struct(p=qd.f32, q=qd.types.vector(2, qd.f32))\n"
                     "s = T.field(shape=(9, 4), needs_grad=True)\n"
                     "flat = qd.field(qd.f32, shape=(9, 4), layout=((1, 4, 9), (0, 9, 1)), "
                     "needs_grad=True)\n"
                     "@qd.kernel\ndef k(f: qd.i32, g: qd.i32, m: qd.types.ndarray(qd.f32, 2)):\n"
                     "    for i in range(4):\n        " +
                     statements + "\n");
    return analysis.errors();
  };
  for (const char *statements :
       {"x[f + 1, i] = x[f, i] * x[f, 3 - i]", "v[f + 1, i] = v[f, i] * v[f, i].norm_sqr()",
        "v[f - 1, i][i % 3] = v[f, i][0] * v[f, i][1]", "line[f + 1] += line[f] * line[f - 1]",
        "s[f + 1, i].p = s[f, i].q[0] * s[f, i].p", "flat[f + 1, i] = flat[f, i] * flat[f, i]",
        "m[f + 1, i] = m[f, i] * m[f, i]", "x[f + g + 1, i] = x[g + f, i] * x[g + f - 2, i]",
        "h = f + 1\n        x[h, i] = x[f, i] * x[h - 1, i]",
        "for j in range(g):\n            x[j, i] = line[j] * 2.0\n"
        "            y[j, i] = x[j, i] * x[j, i]",
        "for j in range(g):\n            x[j + 1, i] = x[j, i] * x[j, i]",
        "for j in range(g):\n            x[7 - j, i] = x[8 - j, i] * x[8 - j, i]",
        "for j in range(8, 0, -1):\n            x[j - 1, i] = x[j, i] * x[j, i]",
        "for j in range(g):\n            h = j + f\n            v[h + 1, i] = v[h, i] * v[h - 1, "
        "i][0]",
        "for j in range(g):\n            for k in range(4):\n"
        "                x[j + 1, k] = x[j, k] * x[j, 3 - k]",
        "v[f, i][1] = v[f, i][0] * v[f, i][2]",
        "for j in range(g):\n            v[j, i].y = v[j, i].x * v[f, 3 - i].z",
        "while y[f, i] > 0.0:\n            y[f + 1, i] = y[f, i] * y[f, i]"}) {
    INFO(statements);
    CHECK(errorsOf(statements) == "");
  }
  for (const char *statements :
       {"x[g, i] = x[f, i] * x[f, i]",
        "x[f, i + 1] = x[f, i] * x[f, i]",
        "x[f * 2, i] = x[f, i] * x[f, i]",
        "x[f, i] = x[f, 3 - i] * x[f + 1, i]",
        "line[f + i] = line[f] * line[f]",
        "x[qd.min(f + 1, 8), i] = x[f, i] * x[f, i]",
        "h = f\n        for j in range(2):\n            h += 1\n"
        "            x[h, i] = x[f, i] * x[f, i]",
        "h = qd.u8(f)\n        x[h + qd.u8(255), i] = x[h - qd.u8(1), i] * x[h - qd.u8(1), i]",
        "for j in range(-2147483647 - 1, 2147483647, 1610612736):\n"
        "            x[j - 1073741824, i] = x[j - 1073741824 - 1073741824, i] ** 2",
        "v[f, i][1] = v[f, i][1] * v[f, i][2]",
        "v[f, i][i % 3] = v[f, i][1] * v[f, i][2]",
        "for j in range(g):\n            x[j, i] = x[j + 1, i] * x[j + 1, i]",
        "for j in range(g):\n            x[j - 1, i] = x[j, i] * x[j, i]",
        "for j in range(g):\n            x[8 - j, i] = x[7 - j, i] * x[7 - j, i]",
        "for j in range(0, 8, 2):\n            x[j, i] = x[j + 2, i] * x[j + 2, i]",
        "for j in range(8, 0, -1):\n            x[j + 1, i] = x[j, i] * x[j, i]",
        "for j in range(g):\n            x[j + j, i] = x[j, i] * x[j, i]",
        "for k in range(2):\n            for j in range(g):\n"
        "                x[j + 1, i] = x[j, i] * x[j, i]",
        "for j in range(g):\n            x[j + 1, i + 1] = x[j, i] * x[j, i]",
        "for j in range(g):\n            x[j + i + 1, 0] = x[j + i, 0] * x[j + i, 0]",
        "h = f\n        for j in range(g):\n            y[j, i] = x[h, i] * x[h, i]\n"
        "            h = j + 1\n            x[h, i] = 1.0"}) {
    INFO(statements);
    CHECK(has(errorsOf(statements), "is overwritten here"));
  }
}

TEST_CASE("indices that are sums of sums are looked at for a while only") {
  std::string statements = "h0 = n[i]\n";
  for (int k = 1; k < 40; ++k) {
    const std::string before = "h" + std::to_string(k - 1);
    statements += "        h" + std::to_string(k) + " = " + before + " + " + before + "\n";
  }
  CHECK(has(errorsOf(statements + "        x[h39] = x[h39] * x[h38]"), "`x` is overwritten here"));
}

TEST_CASE("an array that is constant has no gradient") {
  test::Analysis analysis;
  analysis.options.instantiations = {"k.grad[y=ndarray(f32, 1, needs_grad=False)]"};
  analysis.runText("F = qd.types.ndarray(qd.f32, 1)\nC = qd.types.ndarray(qd.f32, 1, "
                   "needs_grad=False)\nY = qd.types.ndarray(qd.f32)\n@qd.kernel\n"
                   "def k(x: F, c: C, y: Y, out: F):\n    for i in x:\n"
                   "        out[i] += x[i] * c[i] * y[i]\n");
  INFO(analysis.errors());
  REQUIRE(!analysis.kernels.empty());
  std::string names;
  for (const hir::Kernel &each : analysis.kernels)
    if (each.instance.find("_grad") != std::string::npos)
      for (const hir::Argument &argument : each.arguments)
        names += argument.name + " ";
  CHECK(names == "x c y out x.grad out.grad ");
}

TEST_CASE("a value that is loaded twice has one gradient in memory, if nothing comes between") {
  const auto accesses = [](const std::string &statements) {
    const std::string code = codeOf(statements, "k_grad");
    size_t count = 0;
    for (size_t at = code.find("x.grad["); at != std::string::npos;
         at = code.find("x.grad[", at + 1))
      ++count;
    return count;
  };
  CHECK(accesses("y[i] = x[i] * qd.sin(x[i])") == 2); // read and written
  CHECK(accesses("a = x[i] * 2.0\n        if a > 1.0:\n            a *= x[i]\n        y[i] = a") ==
        2);
  // A loop reads what was read before it: its gradient is added to memory once.
  CHECK(accesses("a = x[i]\n        for j in range(n[i]):\n            a += qd.sin(a) * x[i]\n"
                 "        y[i] = a") == 2);
  // Another thread may have stored there: two atomics, and a store that is reversed.
  CHECK(accesses("a = x[i]\n        x[n[i]] = 1.0\n        y[i] = a * 2.0 + x[i]") == 4);
  // The value that was stored is still there, and what it was computed from is not.
  CHECK(accesses("x[i] = y[i] * 2.0\n        y[i] = qd.sin(x[i])") == 4);
}

TEST_CASE("a gradient takes arrays as they were before only if the build says so") {
  const auto argumentsOf = [](const std::string &statements, bool keeps) {
    test::Analysis analysis;
    analysis.options.instantiations = {"k.grad"};
    analysis.options.keepOverwritten = keeps;
    analysis.runText(kernel(statements));
    std::string names = analysis.errors();
    for (const hir::Kernel &each : analysis.kernels)
      for (const hir::Argument &argument : each.arguments)
        if (each.instance == "k_grad")
          names += argument.name + " ";
    return names;
  };
  CHECK(argumentsOf("x[i] = y[i] * qd.sin(x[i])", true) == "x y n h x.before x.grad y.grad ");
  CHECK(argumentsOf("x[i] = y[i] * 2.0", true) == "x y n h x.grad y.grad ");
  CHECK(has(argumentsOf("x[i] = qd.sin(x[i])", false), "build with --keep-overwritten"));
  // Not what the kernel itself has written.
  const std::string again = argumentsOf("x[n[i]] = y[i]\n        x[i] = qd.sin(x[i])", true);
  CHECK(has(again, "`x` is overwritten here, and the gradient needs what line"));
  CHECK(!has(again, "--keep-overwritten"));
  CHECK(
      has(argumentsOf("for j in range(3):\n            x[i] = qd.sin(x[i])", true), "`x` is over"));
  // An index that is read of an array of whole numbers, which the gradient needs, too.
  CHECK(argumentsOf("y[i] = x[n[i]] * x[n[i]]\n        n[i] = 0", true) ==
        "x y n h n.before x.grad y.grad ");
}

TEST_CASE("fields have gradients and tangents of their own") {
  test::Analysis analysis;
  analysis.options.instantiations = {"k.grad", "k.dual"};
  analysis.runText("x = qd.field(qd.f32, 4, needs_grad=True, needs_dual=True)\n"
                   "y = qd.field(qd.f32, 4, needs_grad=True, needs_dual=True)\n"
                   "c = qd.field(qd.f32, 4, needs_grad=True)\n@qd.kernel\n"
                   "def k():\n    for i in x:\n        y[i] += x[i] * c[i]\n");
  INFO(analysis.errors());
  std::map<std::string, std::set<std::string>> names;
  for (const hir::Kernel &each : analysis.kernels)
    for (const hir::HiddenBuffer &hidden : each.hidden)
      names[each.instance].insert(hidden.name);
  CHECK(names["k_grad"] == std::set<std::string>{"x", "y", "c", "x.grad", "y.grad", "c.grad"});
  CHECK(names["k_dual"] == std::set<std::string>{"x", "y", "c", "x.dual", "y.dual"});
}

TEST_CASE("the gradients of results are the last arguments, and tangents are more results") {
  test::Analysis analysis;
  analysis.options.instantiations = {"k.grad", "k.dual"};
  analysis.runText(types +
                   "@qd.kernel\ndef k(x: F) -> tuple[qd.f32, qd.i32, qd.types.vector(2, qd.f32)]:\n"
                   "    return x[0] * 2, 7, qd.Vector([x[0], x[1]])\n");
  INFO(analysis.errors());
  std::map<std::string, std::string> arguments, results;
  for (const hir::Kernel &each : analysis.kernels) {
    for (const hir::Argument &argument : each.arguments)
      arguments[each.instance] += argument.name + " ";
    for (const hir::HiddenBuffer &hidden : each.hidden)
      if (hidden.role == hir::HiddenBuffer::Return)
        results[each.instance] += hidden.name + " ";
  }
  CHECK(arguments["k_grad"] == "x x.grad return0_grad return2_grad ");
  CHECK(results["k_grad"].empty());
  CHECK(results["k_dual"] == "return0 return1 return2 return0.dual return2.dual ");

  test::Analysis taken;
  taken.options.instantiations = {"k.grad"};
  taken.runText(types + "@qd.kernel\ndef k(return_grad: F) -> qd.f32:\n"
                        "    return return_grad[0]\n");
  CHECK(has(taken.errors(), "the kernel has a parameter of that name"));
}

TEST_CASE("a constant is the value itself, and has no derivative") {
  CHECK(codeOf("y[i] = qd.ad.stop_gradient(x[i] * 2.0) * x[i]", "k") ==
        codeOf("y[i] = (x[i] * 2.0) * x[i]", "k"));
  const std::string code = codeOf("y[i] = qd.ad.stop_gradient(x[i]) * x[i]", "k_grad");
  CHECK(code.find("x.grad[%i.2] =") == code.rfind("x.grad[%i.2] ="));
  CHECK(!has(codeOf("y[i] = qd.ad.stop_gradient(x[i])", "k_grad"), "x.grad"));
  CHECK(!has(codeOf("y[i] = qd.ad.stop_gradient(x[i])", "k_dual"), "x.dual"));
  const std::string vector = "v = qd.ad.stop_gradient(qd.Vector([x[i], 1.0]))\n        ";
  CHECK(!has(codeOf(vector + "y[i] = v.norm()", "k_grad"), "x.grad"));
}

TEST_CASE("a function's own gradient stands in the place of its code's") {
  const std::string functions = function("f(x, n)", "return qd.exp(x) * n") +
                                function("f_grad(x, n, g)", "return qd.min(g, 1.0)", "grad_for");
  CHECK(codeOf("y[i] = f(x[i], n[i])", "k_grad", functions) ==
        R"(task k_grad_t0 block 128 light iterations x.shape0
  %iteration.0 = ((block_idx * block_dim) + thread_idx)
  %t.1 = (%iteration.0 < x.shape0)
  if %t.1
    %i.2 = %iteration.0
    %gradient.3 = 0:f32
    %slope.4 = 0:f32
    %grad.5 = y.grad[%i.2]
    %t.grad.6 = %grad.5
    %gradient.3 = %t.grad.6
    %slope.grad.7 = %t.grad.6
    %by.8 = (%gradient.3 min 1:f32)
    %v.grad.9 = %by.8
    x.grad[%i.2] = (x.grad[%i.2] + %v.grad.9)
    y.grad[%i.2] = 0:f32
)");
  CHECK(codeOf("y[i] = f(x[i], n[i])", "k", functions) ==
        codeOf("y[i] = qd.exp(x[i]) * n[i]", "k"));
}

TEST_CASE("a function's own tangent serves both modes") {
  const std::string functions =
      function("f(x)", "return qd.exp(x)") + function("f_dual(x, d)", "return 3.0 * d", "dual_for");
  CHECK(has(codeOf("y[i] = f(x[i])", "k_dual", functions), " * 3:f32)"));
  const std::string reverse = codeOf("y[i] = f(x[i])", "k_grad", functions);
  CHECK(has(reverse, " * 3:f32)"));
  CHECK(!has(reverse, "exp"));
}

namespace {

/// Functions whose loops are tasks, and a kernel that calls one between other tasks.
std::string tasks(const std::string &call, const std::string &gradient,
                  const std::string &last = "y[i] = 3.0 * y[i]") {
  const std::string mark = "@qd.func(requires_top_level=True)\n";
  return types + mark + "def f(a, b, n):\n    for i in a:\n        b[n[i]] = qd.exp(a[i])\n" +
         "@qd.ad.grad_for(f)\n" + mark + "def g(a, b, n):\n    " + gradient +
         "\n@qd.kernel\ndef k(x: F, y: F, n: I, s: qd.f32):\n    for i in x:\n" +
         "        x[i] = 2.0 * x[i]\n    " + call + "\n    for i in x:\n        " + last + "\n";
}
std::string errorsOfTasks(const std::string &text, const char *build = "k.grad") {
  test::Analysis analysis;
  analysis.options.instantiations = {build};
  analysis.runText(text);
  return analysis.errors();
}

} // namespace

TEST_CASE("a function of several tasks may have a gradient of its own, in its place") {
  test::Analysis analysis;
  analysis.options.instantiations = {"k.grad"};
  analysis.runText(tasks("f(x, y, n)", "for i in a:\n        a.grad[i] += 7.0 * b.grad[n[i]]"));
  INFO(analysis.errors());
  REQUIRE(analysis.kernels.size() == 2);
  const hir::Kernel &gradient = analysis.kernels[analysis.kernels[0].instance == "k"];
  REQUIRE(gradient.tasks.size() == 3);
  const std::string code = hir::dump(gradient);
  const auto at = [&](const char *text) {
    INFO(code << text);
    REQUIRE(has(code, text));
    return code.find(text);
  };
  CHECK(at(" * 3:f32") < at("7:f32"));
  CHECK(at("7:f32") < at(" * 2:f32"));
  CHECK(!has(code, "exp"));
}

TEST_CASE("gradients of functions of several tasks are refused where they would be wrong") {
  const std::string gradient = "for i in a:\n        a.grad[i] += b.grad[n[i]]";
  CHECK(errorsOfTasks(tasks("f(x, y, n)", gradient, "x[i] = 3.0")) == "");
  CHECK(has(errorsOfTasks(tasks("f(x, y, n)", gradient, "n[i] = 0")), "`n` is overwritten here"));
  CHECK(has(errorsOfTasks(tasks("f(x, y, n)", "return 1")), "may return nothing"));
  const std::string twice = "@qd.func(requires_top_level=True)\ndef f(a, t):\n    for i in a:\n"
                            "        a[i] = t * a[i]\n@qd.ad.grad_for(f)\n@qd.func\n"
                            "def g(a, t):\n    pass\n";
  const std::string head = "@qd.kernel\ndef k(x: F, t: qd.f32):\n    ";
  CHECK(has(errorsOfTasks(types + twice + head + "f(x, t)\n"), "`t` of `f` is a real of the run"));
  CHECK(has(errorsOfTasks(types + "U = qd.types.ndarray(qd.u32, 1)\n@qd.kernel\n"
                                  "def k(x: F, y: F, s: U):\n"
                                  "    qd.algorithms.reduce(x, y, s, 9, qd.f32, qd.max, x[0])\n"),
            "`identity` of `_reduce_extreme` is a real of the run"));
  CHECK(errorsOfTasks(types + twice + head + "f(x, 2.0)\n") == "");
  const std::string viewed = "@qd.kernel\ndef k(x: qd.BufferView[qd.f32]):\n    ";
  CHECK(errorsOfTasks(types + twice + viewed + "f(x, 2.0)\n") == "");
  CHECK(has(errorsOfTasks(types + twice + viewed + "f(x[2:4], 2.0)\n"), "is a part of an array"));
}

TEST_CASE("algorithms without a gradient say what to write instead") {
  const std::string sort =
      "U = qd.types.ndarray(qd.u32, 1)\nC = qd.types.ndarray(qd.f32, 1, needs_grad=False)\n"
      "@qd.kernel\ndef k(x: F, t: F, c: C, d: C, n: I, m: I, s: U):\n    qd.algorithms.";
  CHECK(has(errorsOfTasks(types + sort + "sort(x, t, n, m, s, 9, qd.f32, True, 32, 4)\n"),
            "a sort in place has no gradient"));
  CHECK(has(errorsOfTasks(types + sort + "sort(n, m, x, t, s, 9, qd.i32, True, 32, 4)\n"),
            "a sort in place has no gradient"));
  CHECK(errorsOfTasks(types + sort + "sort(n, m, x, t, s, 9, qd.i32, False, 32, 4)\n") == "");
  CHECK(has(errorsOfTasks(types + sort + "exclusive_scan_max(x, t, s, 9, qd.f32, 4)\n"),
            "only scans by sums have a gradient"));
  CHECK(errorsOfTasks(types + sort + "exclusive_scan_max(n, m, s, 9, qd.i32, 4)\n") == "");
  CHECK(errorsOfTasks(types + sort +
                      "sort(c, d, n, m, s, 9, qd.f32, True, 32, 4)\n"
                      "    for i in n:\n        t[i] = x[n[i]]\n") == "");
}

TEST_CASE("functions that do not fit as derivatives are refused where they stand") {
  const std::string f = function("f(a, b)", "return a * b");
  const char *call = "y[i] = f(x[i], y[i])";
  for (const auto &[functions, statement, words] :
       std::vector<std::tuple<std::string, const char *, const char *>>{
           {f + function("g(a, w)", "return w", "grad_for"), call,
            "takes 2 arguments: those of `f`, and then the gradient of its result, are 3"},
           {f + function("g(a, b, c)", "return c", "dual_for"), call,
            "takes 3 arguments: those of `f`, and then the tangents of its reals, are 4"},
           {f + function("g(a, b, w)", "return w", "grad_for"), call,
            "has to return the derivatives by 2 parameters of `f`, but returns a run-time f32"},
           {f + function("g(a, b, w)", "return w, qd.Vector([w, w])", "grad_for"), call,
            "returns a vector as the derivative by `b`, which is a run-time f32"},
           {f + function("g(a, b, c, d)", "return c, d", "dual_for"), call,
            "returns a tuple as the tangent of the result"},
           {f + "@qd.ad.grad_for(f)\ndef g(a, b, w):\n    return w, w\n", call,
            "`g` is a host function"},
           {function("f(a: qd.template(), b)", "return a * b") +
                function("g(a, b, w)", "return w", "grad_for"),
            call, "`a` of `f` is a template parameter"},
           {function("f(a, b)", "print(a)") + function("g(a, b, w)", "return w", "grad_for"),
            "f(x[i], y[i])", "`f` returns nothing"},
           {function("f(a, b)", "b[0] = a\n    return a") +
                function("g(a, b, w)", "return w", "grad_for"),
            "y[i] = f(x[i], n)", "`f` changes an array"},
           {function("f(a, b)", "return a * b[0]") + function("g(a, b, w)", "return w", "grad_for"),
            "y[i] = f(x[i], x)", "`f` reads an array that has a gradient"},
           {function("f(a, b)", "return a") +
                function("g(a, b, w)", "b[0] = 1\n    return w", "grad_for"),
            "y[i] = f(x[i], n)", "`g` changes an array, but computes a derivative"},
           {function("g(a, w)", "return w", "grad_for"), "y[i] = x[i]",
            "this does not name a `@qd.func` of the same file"}}) {
    INFO(functions);
    CHECK(has(errorsOf(statement, "k.grad", functions), words));
  }
  CHECK(has(errorsOf(call, "k.dual", f + function("g(a, b, w)", "return w * b, w * a", "grad_for")),
            "this function has a gradient by `@qd.ad.grad_for`, but no tangent"));
}

TEST_CASE("a function with a gradient may be called where it has none") {
  const std::string functions =
      function("f(a)", "return a * 2") + function("g(a, w)", "return w * 2", "grad_for");
  CHECK(errorsOf("y[i] = x[i] * f(n[i])", "k.grad", functions) == "");
  CHECK(errorsOf("y[i] = x[f(n[i])]", "k.dual", functions) == "");
  const std::string counts = function("f(a, c: qd.template())", "c += 1\n    return a") +
                             function("g(a, c: qd.template(), w)", "return w * c", "grad_for");
  CHECK(has(codeOf("c = n[i]\n        y[i] = f(x[i], c) * c", "k_grad", counts), "+ 1)"));
}

TEST_CASE("what a function's own gradient reads may not be overwritten") {
  const std::string functions = function("f(a, b, i)", "return a * b[i]") +
                                function("g(a, b, i, w)", "return w * b[i]", "grad_for");
  CHECK(errorsOf("y[i] = f(x[i], n, i)", "k.grad", functions) == "");
  CHECK(has(errorsOf("y[i] = f(x[i], n, i)\n        n[i] = 0", "k.grad", functions),
            "`n` is overwritten here"));
}

TEST_CASE("host code may have gradients of its own for tapes") {
  const std::string host = "from quadrants.ad import no_grad\n"
                           "@qd.ad.grad_replaced\ndef step(a):\n    k(a)\n"
                           "@qd.ad.grad_for(step)\ndef step_grad(a):\n    k.grad(a)\n"
                           "@no_grad\ndef show(a):\n    print(a)\n"
                           "with qd.ad.Tape(loss=loss):\n    step(a)\n";
  CHECK(errorsOf("y[i] = x[i]", "k.grad", host) == "");
  CHECK(has(errorsOf("y[i] = step(x[i])", "k.grad", host), "`step` is a host function"));
}
