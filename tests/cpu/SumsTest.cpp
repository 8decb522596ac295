// Sums of products that threads keep in registers: tiles of matrices, by results and by their code.
#include "tests/cpu/Kernels.h"

#include <sstream>

using namespace cputest;

static std::string number(const char *name, unsigned i) { return "%" + (name + std::to_string(i)); }

/// Loads `count` elements of an array of the block at `%base + k` as `%<name>0` to `%<name>n`.
static std::string loads(const char *name, const char *array, const std::string &base,
                         unsigned count) {
  std::string text;
  for (unsigned k = 0; k < count; ++k)
    text += "%at" + number(name, k).substr(1) + " = arith.addi " + base + ", " + number("k", k) +
            " : i32\n" + number(name, k) + " = simt.load " + array + "[%at" +
            number(name, k).substr(1) + "] : !simt.buffer<f32, shared, 1024>, i32\n";
  return text;
}

static std::string constants(unsigned count) {
  std::string text = "%zero = arith.constant 0.0 : f32\n";
  for (unsigned k = 0; k < count; ++k)
    text += number("k", k) + " = arith.constant " + std::to_string(k) + " : i32\n";
  return text;
}

/// Fills the arrays `%a` and `%b` of a block from `%x`, another part each round.
static const char *const fill = R"(
  %fill = arith.constant 1024 : i32
  scf.for %e = %thread to %fill step %dim : i32 {
    %from = arith.addi %e, %round : i32
    %v = simt.load %x[%from] : !simt.buffer<f32, global>, i32
    simt.store %v, %a[%e] : !simt.buffer<f32, shared, 1024>, i32
    %from2 = arith.addi %from, %dim : i32
    %v2 = simt.load %x[%from2] : !simt.buffer<f32, global>, i32
    simt.store %v2, %b[%e] : !simt.buffer<f32, shared, 1024>, i32
  }
  simt.barrier
)";

static std::string sums(const char *name, unsigned count, const char *before = "",
                        const char *after = "") {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + number(name, i) + before + after;
  return text;
}

static std::string types(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += i ? ", f32" : "f32";
  return text;
}

/// A loop over rounds around `body`, which makes `%next<i>` of `%sum<i>`.
static std::string rounds(unsigned count, const std::string &body) {
  std::string stores;
  for (unsigned i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    stores += "%place" + n + " = arith.addi %mine, %k" + n + " : i32\nsimt.store %done#" + n +
              ", %y[%place" + n + "] : !simt.buffer<f32, global>, i32\n";
  }
  return "%a = simt.shared \"a\" : !simt.buffer<f32, shared, 1024>\n"
         "%b = simt.shared \"b\" : !simt.buffer<f32, shared, 1024>\n" +
         constants(128) + "%mine = arith.muli %thread, %k" + std::to_string(count) + " : i32\n" +
         "%done:" + std::to_string(count) + " = scf.for %round = %c0 to %n step %c1 iter_args(" +
         sums("sum", count, " = %zero") + ") -> (" + types(count) + ") : i32 {\n" + fill + body +
         "simt.barrier\nscf.yield " + sums("next", count) + " : " + types(count) + "\n}\n" + stores;
}

/// Eight by eight sums a thread; sixteen threads share the rows of `%a`.
static std::string registerTiles() {
  std::string body = "%ty = arith.shrui %thread, %k4 : i32\n%tx = arith.andi %thread, %k15 : i32\n"
                     "%row = arith.muli %ty, %k8 overflow<nsw> : i32\n"
                     "%col = arith.muli %tx, %k8 overflow<nsw> : i32\n";
  for (unsigned k = 0; k < 8; ++k) {
    const std::string n = std::to_string(k);
    body += "%line" + n + " = arith.constant " + std::to_string(128 * k) + " : i32\n%row" + n +
            " = arith.addi %row, %line" + n + " : i32\n%col" + n + " = arith.addi %col, %line" + n +
            " : i32\n" + loads(("l" + n + "_").c_str(), "%a", "%row" + n, 8) +
            loads(("r" + n + "_").c_str(), "%b", "%col" + n, 8);
    for (unsigned i = 0; i < 64; ++i) {
      const std::string at = std::to_string(i),
                        from = k ? "%s" + std::to_string(k - 1) + "_" : "%sum";
      body += "%p" + n + "_" + at + " = arith.mulf %l" + n + "_" + std::to_string(i / 8) + ", %r" +
              n + "_" + std::to_string(i % 8) + " : f32\n" + (k == 7 ? "%next" : "%s" + n + "_") +
              at + " = arith.addf " + from + at + ", %p" + n + "_" + at + " : f32\n";
    }
  }
  return task(64, buffer("x", "f32") + "," + buffer("y", "f32") + ", %n: i32", rounds(64, body),
              true);
}

/// One sum a thread, of 32 products; 32 threads share a row of `%a`, and others a column of `%b`.
static std::string sharedTiles() {
  std::string body = "%ty = arith.shrui %thread, %k5 : i32\n%tx = arith.andi %thread, %k31 : i32\n"
                     "%row = arith.muli %ty, %k32 overflow<nsw> : i32\n" +
                     loads("l", "%a", "%row", 32);
  for (unsigned k = 0; k < 32; ++k) {
    const std::string n = std::to_string(k);
    body += "%line" + n + " = arith.constant " + std::to_string(32 * k) + " : i32\n%col" + n +
            " = arith.addi %tx, %line" + n + " : i32\n%r" + n + " = simt.load %b[%col" + n +
            "] : !simt.buffer<f32, shared, 1024>, i32\n%p" + n + " = arith.mulf %l" + n + ", %r" +
            n + " : f32\n" + (k == 31 ? "%next0" : "%s" + n) + " = arith.addf " +
            (k ? "%s" + std::to_string(k - 1) : "%sum0") + ", %p" + n + " : f32\n";
  }
  return task(256, buffer("x", "f32") + "," + buffer("y", "f32") + ", %n: i32", rounds(1, body),
              true);
}

/// Whole numbers, whose sums are exact in any order, so that a missing or doubled one shows.
static void check(const std::string &text) {
  std::vector<float> in(2048), out(64 * 64, -1);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = float(int(i * i * 7 + i * 3) % 31 - 15);
  compare(text, variants({32}), {Arg::array(in), Arg::array(out), Arg::scalar(int32_t(3))}, 1);
}

TEST_CASE("sums: 64 a thread, past barriers") { check(registerTiles()); }

TEST_CASE("sums: one a thread, of tiles that threads share") { check(sharedTiles()); }

namespace {
struct Counts {
  unsigned products = 0, moves = 0, gathers = 0;
};
} // namespace

static Counts count(const std::string &text, const Variant &variant, const char *registers) {
  std::istringstream lines(assembly(text, variant));
  Counts counts;
  const auto has = [](const std::string &line, const char *what) {
    return line.find(what) != std::string::npos;
  };
  for (std::string line; std::getline(lines, line);) {
    counts.products += has(line, "vfmadd") && has(line, registers);
    counts.moves += has(line, "vmov") && has(line, "rsp");
    counts.gathers += has(line, "gather");
  }
  return counts;
}

// Each sum is read and written once for its eight products, and factors are kept on the stack:
// fewer than two moves a product, where sums that do not stay in registers take three.
TEST_CASE("sums: 64 a thread are of full width, and stay in registers for their products") {
  for (const char *arch : {"x86-64-v3", "x86-64-v4"}) {
    const bool isWide = arch[8] == '4';
    const Counts counts = count(registerTiles(), {arch, 32}, isWide ? "zmm" : "ymm");
    INFO(arch << ": " << counts.moves << " moves");
    CHECK(counts.products == 512);
    CHECK(counts.gathers == 0);
    CHECK(counts.moves < 2 * counts.products);
  }
}

// Each column of `%b` is loaded once for eight rows, whose sums are all in registers.
TEST_CASE("sums: chunks that share a tile run together") {
  const Counts counts = count(sharedTiles(), {"x86-64-v4", 32}, "zmm");
  CHECK(counts.products == 8 * 2 * 32);
  CHECK(counts.gathers == 0);
  CHECK(counts.moves < counts.products / 2);
}

// 32 lanes would have two rows of such a tile each.
TEST_CASE("sums: lanes are as many as a row of a tile has columns") {
  const std::string text =
      task(256, buffer("x", "f32") + "," + buffer("y", "f32") + ", %n: i32", constants(32) + R"(
    %tile = simt.shared "a" : !simt.buffer<f32, shared, 256>
    %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    simt.store %v, %tile[%thread] : !simt.buffer<f32, shared, 256>, i32
    simt.barrier
    %col = arith.andi %thread, %k15 : i32
    %next = arith.addi %col, %k16 : i32
    %w = simt.load %tile[%next] : !simt.buffer<f32, shared, 256>, i32
    simt.store %w, %y[%i] : !simt.buffer<f32, global>, i32
  )",
           true);
  CHECK(count(text, {"x86-64-v4", 32}, "zmm").gathers == 0);
  CHECK(count(text, {"x86-64-v3", 32}, "ymm").gathers == 0);
}
