// The form of the machine code where speed depends on it.
#include "tests/cpu/Kernels.h"

#include <sstream>

using namespace cputest;

static bool has(const std::string &text, const std::string &what) {
  return text.find(what) != std::string::npos;
}

static std::vector<Variant> x86(std::vector<unsigned> waves = {32}) {
  std::vector<Variant> all;
  for (const char *arch : {"x86-64-v3", "x86-64-v4"})
    for (unsigned wave : waves)
      all.push_back({arch, wave});
  return all;
}

TEST_CASE("saxpy is plain vector code at every wave size") {
  std::string text =
      task(128, "%a: f32, " + buffer("x", "f32") + "," + buffer("y", "f32") + ", %n: i32", R"(
    %in = arith.cmpi slt, %i, %n : i32
    scf.if %in {
      %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
      %w = simt.load %y[%i] : !simt.buffer<f32, global>, i32
      %p = arith.mulf %a, %v : f32
      %s = arith.addf %p, %w : f32
      simt.store %s, %y[%i] : !simt.buffer<f32, global>, i32
    }
  )");
  std::string first;
  for (const Variant &variant : x86({4, 8, 16, 32, 64})) {
    INFO(variant.str());
    std::string code = assembly(text, variant);
    bool isWide = variant.arch == "x86-64-v4";
    CHECK(has(code, isWide ? "zmm" : "ymm"));
    CHECK(has(code, "vfmadd"));
    CHECK_FALSE(has(code, "gather"));
    CHECK_FALSE(has(code, "insertps"));
    CHECK_FALSE(has(code, "movss"));
    CHECK_FALSE(has(code, "call"));
    // No lane sees the wave: one code for all.
    if (variant.wave == 4)
      first = code;
    CHECK(code == first);
  }
}

// The rounds that all lanes take part in have no masks, in the copy for whole chunks of a guard
// too.
TEST_CASE("threads that walk over an array together load without masks") {
  const std::string loop = R"(
    %step = arith.muli %n, %dim : i32
    %r:2 = scf.while (%at = %i, %sum = %c0) : (i32, i32) -> (i32, i32) {
      %below = arith.cmpi slt, %at, %n : i32
      scf.condition(%below) %at, %sum : i32, i32
    } do {
    ^bb0(%at: i32, %sum: i32):
      %v = simt.load %x[%at] : !simt.buffer<i32, global>, i32
      %more = arith.addi %sum, %v : i32
      %next = arith.addi %at, %step : i32
      scf.yield %next, %more : i32, i32
    }
    simt.store %r#1, %y[%i] : !simt.buffer<i32, global>, i32
  )";
  const std::string guarded =
      "%m = arith.muli %n, %c2 : i32\n%in = arith.cmpi slt, %i, %m : i32\nscf.if %in {\n" + loop +
      "}\n";
  const std::string params = buffer("x", "i32") + "," + buffer("y", "i32") + ", %n: i32";
  for (const Variant &variant : x86())
    for (const std::string &body : {loop, guarded}) {
      const std::string code = assembly(task(128, params, body), variant);
      INFO(variant.str() << code);
      unsigned plain = 0; // additions of what memory has, for all lanes of a register
      std::istringstream lines(code);
      for (std::string line; std::getline(lines, line);)
        plain += has(line, "vpaddd") && has(line, "ptr [") && !has(line, "{k");
      CHECK(plain >= (variant.arch == "x86-64-v4" ? 2 : 4));
    }
}

// Threads walk in steps as wide as the grid. What they load is fetched before the rounds that count
// it, and not where a round does little.
TEST_CASE("rounds that count in a table fetch what later rounds load") {
  const auto walk = [](const std::string &round) {
    return "%step = arith.muli %n, %dim : i32\n"
           "%h = simt.shared \"h\" : !simt.buffer<i32, shared, 256>\n"
           "scf.for %at = %i to %n step %step : i32 {\n"
           "%v = simt.load %x[%at] : !simt.buffer<i32, global>, i32\n" +
           round + "}\n";
  };
  const std::string count =
      "%old = simt.atomic_rmw addi %c1, %h[%v] : !simt.buffer<i32, shared, 256>, i32\n";
  const std::string copy = "simt.store %v, %y[%at] : !simt.buffer<i32, global>, i32\n";
  const std::string params = buffer("x", "i32") + "," + buffer("y", "i32") + ", %n: i32";
  for (const Variant &variant : x86()) {
    CHECK(has(assembly(task(128, params, walk(count)), variant), "prefetch"));
    CHECK_FALSE(has(assembly(task(128, params, walk(copy)), variant), "prefetch"));
  }
}

TEST_CASE("vectors that do not lie side by side are loaded and stored whole") {
  std::string body = "%k3 = arith.constant 3 : i32\n"
                     "%k12 = arith.constant 12 : i32\n"
                     "%row = arith.muli %i, %k12 overflow<nsw> : i32\n";
  for (const char *k : {"%c0", "%c1", "%c2", "%k3"}) {
    const std::string n = k + 1;
    body += "%at" + n + " = arith.addi %row, " + k + " overflow<nsw> : i32\n%v" + n +
            " = simt.load %x[%at" + n + "] : !simt.buffer<f32, global>, i32\n";
  }
  for (const auto &[from, to] : {std::pair("c1", "c0"), {"k3", "c1"}, {"c0", "c2"}, {"c2", "k3"}})
    body += "simt.store %v" + std::string(from) + ", %y[%at" + to +
            "] : !simt.buffer<f32, global>, i32\n";
  const std::string text = task(128, buffer("x", "f32") + "," + buffer("y", "f32"), body);
  for (const Variant &variant : x86()) {
    const std::string code = assembly(text, variant);
    INFO(variant.str() << code);
    CHECK_FALSE(has(code, "gather"));
    CHECK_FALSE(has(code, "scatter"));
    CHECK_FALSE(has(code, "extractps"));
  }
}

TEST_CASE("shuffles by a constant are permutations, votes are mask tests") {
  std::string text = task(64, buffer("x", "f32") + "," + buffer("y", "f32"), R"(
    %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %m = arith.constant 4 : i32
    %w = simt.shuffle xor %v, %m : f32
    %lane = simt.lane
    %five = arith.constant 5 : i32
    %far = arith.muli %lane, %five : i32
    %back = arith.addi %far, %c1 : i32
    %q = simt.shuffle index %w, %back : f32
    simt.store %q, %y[%i] : !simt.buffer<f32, global>, i32
  )");
  for (const Variant &variant : x86({8, 16, 32})) {
    INFO(variant.str());
    std::string code = assembly(text, variant);
    CHECK(has(code, "vperm"));
    CHECK_FALSE(has(code, "extractps"));
    CHECK_FALSE(has(code, "gather"));
  }
}

TEST_CASE("shared memory is updated without locked instructions") {
  std::string text = task(64, buffer("x", "i32") + "," + buffer("y", "i32"), R"(
    %h = simt.shared "h" : !simt.buffer<i32, shared, 64>
    simt.store %c0, %h[%thread] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %k = arith.constant 63 : i32
    %at = arith.andi %v, %k : i32
    %old = simt.atomic_rmw addi %c1, %h[%at] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %w = simt.load %h[%thread] : !simt.buffer<i32, shared, 64>, i32
    simt.store %w, %y[%i] : !simt.buffer<i32, global>, i32
  )",
                          true);
  for (const Variant &variant : x86())
    CHECK_FALSE(has(assembly(text, variant), "lock"));
}

// A lane's place is a load and its own arithmetic, not a vector that is taken apart.
TEST_CASE("shared counts read their places one by one, and sums side by side are vectors") {
  const std::string text = task(64, buffer("x", "i32") + "," + buffer("y", "i32"), R"(
    %h = simt.shared "h" : !simt.buffer<i32, shared, 64>
    simt.store %c0, %h[%thread] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %high = arith.shrui %v, %c2 : i32
    %k = arith.constant 63 : i32
    %at = arith.andi %high, %k : i32
    %old = simt.atomic_rmw addi %c1, %h[%at] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %all = simt.atomic_rmw addi %v, %h[%thread] : !simt.buffer<i32, shared, 64>, i32
    simt.store %all, %y[%i] : !simt.buffer<i32, global>, i32
  )",
                                true);
  for (const Variant &variant : x86()) {
    const std::string code = assembly(text, variant);
    CHECK(has(code, "vpaddd"));
    CHECK_FALSE(has(code, "pextr"));
  }
}

TEST_CASE("lanes at one place make one locked instruction") {
  std::string text = task(128, buffer("x", "i32") + "," + buffer("y", "i32"), R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %old = simt.atomic_rmw addi %v, %y[%c0] : !simt.buffer<i32, global>, i32
  )");
  for (const Variant &variant : x86()) {
    std::string code = assembly(text, variant);
    // Lanes run 32 at a time.
    size_t locks = 0;
    for (size_t at = code.find("lock"); at != std::string::npos; at = code.find("lock", at + 1))
      ++locks;
    CHECK((locks == 1 || locks == 128 / 32));
  }
}

// macOS and Windows keep the register x18 for themselves.
TEST_CASE("aarch64's code leaves x18 alone, however many values live") {
  for (const char *type : {"i64", "i32"}) {
    // 40 values that are all alive between their loads and the last sum, on one thread.
    std::string loads, sums = "%s0 = arith.addi %v0, %v0 : T\n";
    for (int i = 0; i < 40; ++i) {
      const std::string n = std::to_string(i), m = std::to_string(i + 1);
      loads += "%k" + n + " = arith.constant " + n + " : i32\n%v" + n + " = simt.load %x[%k" + n +
               "] : !simt.buffer<T, global>, i32\nsimt.store %v" + n + ", %y[%k" + n +
               "] : !simt.buffer<T, global>, i32\n";
      sums += "%p" + m + " = arith.muli %v" + n + ", %s" + n + " : T\n%s" + m + " = arith.xori %p" +
              m + ", %v" + std::to_string(39 - i) + " : T\n";
    }
    const std::string body =
        loads + sums + "simt.store %s40, %y[%i] : !simt.buffer<T, global>, i32\n";
    const std::string code =
        assembly(replaceAll(task(1, buffer("x", "T") + "," + buffer("y", "T"), body), "T", type),
                 {"aarch64", 4});
    const char *const file = type == std::string("i64") ? "x" : "w";
    CHECK(has(code, file + std::string("17")));
    CHECK(has(code, file + std::string("19")));
    CHECK_FALSE(has(code, "x18"));
    CHECK_FALSE(has(code, "w18"));
  }
}

// A store that may fail tells so in a register that is looked at. LLVM 19 writes it to no register
// in loops of its own for reals, and updates get lost.
TEST_CASE("aarch64's atomics on reals look whether their store succeeded") {
  for (const char *type : {"f32", "f64"})
    for (const char *kind : {"addf", "minf", "maxf"}) {
      const std::string body = replaceAll(
          replaceAll("%v = simt.load %x[%i] : !simt.buffer<T, global>, i32\n"
                     "%old = simt.atomic_rmw KIND %v, %y[%c0] : !simt.buffer<T, global>, i32\n",
                     "KIND", kind),
          "T", type);
      const std::string code =
          assembly(task(64, buffer("x", type) + "," + buffer("y", type), body), {"aarch64", 4});
      INFO(code);
      CHECK(has(code, "xr"));
      CHECK_FALSE(has(code, "xr\twzr"));
    }
}

TEST_CASE("what cannot be built says so") {
  std::string big = task(1024, buffer("x", "f64"), R"(
    %tmp = simt.private : !simt.buffer<f64, private, 4096>
  )");
  CHECK(has(compileError(big, {"x86-64-v3", 32}), "local arrays"));
}

// LLVM 19 gives such an instruction the wrong truth table (llvm/llvm-project#157929).
TEST_CASE("no choice of bits is made under a mask") {
  std::string text =
      task(64, buffer("x", "i16") + "," + buffer("y", "i16") + "," + buffer("z", "f32"), R"(
    %c16 = arith.constant 16 : i32
    %v = simt.load %x[%i] : !simt.buffer<i16, global>, i32
    %w = simt.load %y[%i] : !simt.buffer<i16, global>, i32
    %vx = arith.extui %v : i16 to i32
    %wx = arith.extui %w : i16 to i32
    %vs = arith.shli %vx, %c16 : i32
    %ws = arith.shli %wx, %c16 : i32
    %a = arith.bitcast %vs : i32 to f32
    %b = arith.bitcast %ws : i32 to f32
    %r = arith.remf %a, %b : f32
    simt.store %r, %z[%i] : !simt.buffer<f32, global>, i32
  )");
  std::istringstream lines(assembly(text, {"x86-64-v4", 32}));
  unsigned ternary = 0;
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    ternary += has(line, "vpternlog");
    CHECK_FALSE((has(line, "vpternlog") && has(line, "{k")));
  }
  CHECK(ternary > 0); // the choice is still one instruction
}

/// True if some run of instructions between jumps has an fma, and none of `others`.
static bool hasRun(const std::string &code, const std::vector<std::string> &others) {
  std::istringstream lines(code);
  bool hasProducts = false, isPure = true;
  for (std::string line; std::getline(lines, line);) {
    hasProducts |= has(line, "vfmadd");
    for (const std::string &other : others)
      isPure &= !has(line, other);
    if (!has(line, "\tj"))
      continue;
    if (hasProducts && isPure)
      return true;
    hasProducts = false;
    isPure = true;
  }
  return false;
}

TEST_CASE("usual arguments of math functions pass no select, division or root") {
  for (std::string function : {"exp", "exp2", "log", "log2", "log10", "sin", "cos", "rsqrt"}) {
    std::string text = task(64, buffer("x", "f32") + "," + buffer("y", "f32"),
                            replaceAll(R"(
      %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
      %r = math.NAME %v : f32
      simt.store %r, %y[%i] : !simt.buffer<f32, global>, i32
    )",
                                       "NAME", function));
    // Eight lanes have a fast root and division.
    std::string code = assembly(text, {function == "rsqrt" ? "x86-64-v4" : "x86-64-v3", 32});
    INFO(function << "\n" << code);
    CHECK(hasRun(code, {"vblend", "vdiv", "vsqrt", "vround"}));
  }
}

// 120 products in a row, and 80 of 40 numbers that are live at once.
TEST_CASE("AVX2 takes four registers a value in long code, and two if many values live") {
  const auto products = [](const std::string &ops, const std::string &last) {
    const std::string code =
        assembly(task(128, buffer("x", "f32") + "," + buffer("y", "f32"),
                      ops + "simt.store " + last + ", %y[%i] : !simt.buffer<f32, global>, i32\n"),
                 {"x86-64-v3", 32});
    unsigned count = 0;
    for (size_t at = code.find("vmulps"); at != code.npos; at = code.find("vmulps", at + 1))
      ++count;
    return count;
  };
  const std::string load = "= simt.load %x[%i] : !simt.buffer<f32, global>, i32\n";
  std::string chain = "%p0 " + load;
  for (int k = 1; k <= 120; ++k)
    chain +=
        "%p" + std::to_string(k) + " = arith.mulf %p" + std::to_string(k - 1) + ", %p0 : f32\n";
  CHECK(products(chain, "%p120") == 120 * 4);
  std::string many;
  for (int k = 0; k < 40; ++k)
    many += replaceAll(R"(
      %kN = arith.constant N000 : i32
      %atN = arith.addi %i, %kN : i32
      %lN = simt.load %x[%atN] : !simt.buffer<f32, global>, i32
      %mN = arith.mulf %lN, %lN : f32
    )",
                       "N", std::to_string(k));
  many += "%s40 = arith.negf %m39 : f32\n";
  for (int k = 39; k >= 0; --k)
    many += "%s" + std::to_string(k) + " = arith.mulf %s" + std::to_string(k + 1) + ", %m" +
            std::to_string(k) + " : f32\n";
  CHECK(products(many, "%s0") == 80 * 2);
}
