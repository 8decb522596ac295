// Loops over two axes: chunks within a row, across rows, with many rows; clamped indices at the
// borders. Every extent around a chunk's width gives a wrong copy or mask away.
#include "tests/cpu/Kernels.h"

using namespace cputest;

/// `%row` and `%col` of a guarded iteration, by a division or as launches prepare it.
static std::string decoded(const std::string &quotient, const std::string &body) {
  return R"(
    %guard = arith.cmpi slt, %i, %n : i32
    scf.if %guard {
      )" +
         quotient +
         R"(
      %whole = arith.muli %row, %w : i32
      %col = arith.subi %i, %whole : i32
      %last = arith.subi %w, %c1 : i32
  )" + body +
         "}\n";
}

static const char *const division = "%row = arith.divui %i, %w : i32";
static const char *const product = R"(%twice = arith.shli %i, %c1 : i32
      %upper = simt.mul_high %twice, %multiplier : i32
      %row = arith.shrui %upper, %shift : i32)";

/// The loader's number for divisions (loader/abi/Division.h), computed independently: the least
/// multiplier that is exact for all numbers below 2^31.
static std::pair<uint32_t, uint32_t> divisionBy(uint32_t divisor) {
  uint32_t log = 0;
  while ((uint64_t(1) << log) < divisor)
    ++log;
  return {uint32_t(((uint64_t(1) << (31 + log)) + divisor - 1) / divisor), log};
}

static void check(const std::string &body, unsigned dim = 96) {
  for (int32_t width : {1, 3, 7, 8, 15, 16, 31, 33, 61, 64, 250, 301}) {
    const int32_t count = width * ((430 + width - 1) / width);
    std::vector<int32_t> x = randoms<int32_t>(size_t(count)), y(size_t(count), -1);
    for (int32_t &each : x)
      each %= 1000;
    const auto [multiplier, shift] = divisionBy(uint32_t(width));
    for (const char *quotient : {division, product})
      compare(task(dim,
                   buffer("x", "i32") + "," + buffer("y", "i32") + "," + buffer("z", "i32") +
                       ", %n: i32, %w: i32, %multiplier: i32, %shift: i32",
                   decoded(quotient, body)),
              quotient == product ? variants({32}) : variants({4, 32}),
              {Arg::array(x), Arg::array(y), Arg::array(y), Arg::scalar(count), Arg::scalar(width),
               Arg::scalar(multiplier), Arg::scalar(shift)},
              (unsigned(count) + dim - 1) / dim);
  }
}

TEST_CASE("rows: neighbours with clamped columns") {
  for (unsigned dim : {96u, 128u})
    check(R"(
      %before = arith.subi %col, %c1 : i32
      %left = arith.maxsi %before, %c0 : i32
      %after = arith.addi %col, %c2 : i32
      %right = arith.minsi %after, %last : i32
      %li = arith.addi %whole, %left : i32
      %ri = arith.addi %right, %whole : i32
      %l = simt.load %x[%li] : !simt.buffer<i32, global>, i32
      %r = simt.load %x[%ri] : !simt.buffer<i32, global>, i32
      %s = arith.subi %l, %r : i32
      %m = arith.muli %s, %row : i32
      %v = arith.addi %m, %col : i32
      simt.store %v, %y[%i] : !simt.buffer<i32, global>, i32
    )",
          dim);
}

TEST_CASE("rows: clamps of clamps, in a loop and under a mask") {
  check(R"(
      %k3 = arith.constant 3 : i32
      %k5 = arith.constant 5 : i32
      %sum = scf.for %k = %c0 to %k5 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
        %shifted = arith.addi %col, %k : i32
        %moved = arith.subi %shifted, %c2 : i32
        %low = arith.maxsi %moved, %c0 : i32
        %both = arith.minsi %low, %last : i32
        %ci = arith.addi %whole, %both : i32
        %c = simt.load %x[%ci] : !simt.buffer<i32, global>, i32
        %next = arith.addi %a, %c : i32
        scf.yield %next : i32
      }
      %up = arith.subi %row, %c1 : i32
      %above = arith.maxsi %up, %c0 : i32
      %start = arith.muli %above, %w : i32
      %moved = arith.addi %col, %k3 : i32
      %high = arith.minsi %moved, %last : i32
      %both = arith.maxsi %high, %c1 : i32
      %fits = arith.minsi %both, %last : i32
      %ui = arith.addi %start, %fits : i32
      %isOdd = arith.trunci %col : i32 to i1
      %v = scf.if %isOdd -> (i32) {
        %u = simt.load %x[%ui] : !simt.buffer<i32, global>, i32
        scf.yield %u : i32
      } else {
        scf.yield %k5 : i32
      }
      %t = arith.addi %v, %sum : i32
      simt.store %t, %y[%i] : !simt.buffer<i32, global>, i32
  )");
}

// Where a row's threads begin and end to be inside follows from the steps, and from the clamp
// within.
TEST_CASE("rows: clamps of clamps, by steps of one, two and three") {
  for (unsigned dim : {32u, 128u})
    check(R"(
      %k3 = arith.constant 3 : i32
      %k40 = arith.constant 40 : i32
      %before = arith.subi %col, %k3 : i32
      %low = arith.maxsi %before, %c0 : i32
      %lower = arith.subi %low, %c1 : i32
      %both = arith.maxsi %lower, %c0 : i32
      %ui = arith.addi %whole, %both : i32
      %u = simt.load %x[%ui] : !simt.buffer<i32, global>, i32
      %double = arith.muli %col, %c2 : i32
      %less = arith.subi %double, %k40 : i32
      %high = arith.minsi %less, %last : i32
      %fits = arith.maxsi %high, %c0 : i32
      %vi = arith.addi %fits, %whole : i32
      %v = simt.load %x[%vi] : !simt.buffer<i32, global>, i32
      %triple = arith.muli %col, %k3 : i32
      %from = arith.maxsi %triple, %k40 : i32
      %to = arith.minsi %from, %last : i32
      %wi = arith.addi %to, %whole : i32
      %z3 = simt.load %x[%wi] : !simt.buffer<i32, global>, i32
      %s = arith.subi %u, %v : i32
      %m = arith.muli %s, %k3 : i32
      %t = arith.addi %m, %z3 : i32
      simt.store %t, %y[%i] : !simt.buffer<i32, global>, i32
    )",
          dim);
}

// Bounds far within chunks and out of order, and numbers that wrap between lanes.
TEST_CASE("clamps: of one axis") {
  constexpr int32_t count = 250, last = 2147483647;
  for (int32_t shift : {-300, -40, -1, 0, 1, 40, 300, last - 40, last - 100})
    for (const auto &[low, high] : {std::pair(0, 249), {20, 200}, {37, 38}, {60, 50}})
      for (bool isLowFirst : {true, false}) {
        const std::string steps =
            isLowFirst ? "%a = arith.maxsi %moved, %low : i32\n%b = arith.minsi %a, %high : i32\n"
                       : "%a = arith.minsi %moved, %high : i32\n%b = arith.maxsi %a, %low : i32\n";
        compare(task(96,
                     buffer("x", "i32") + "," + buffer("y", "i32") +
                         ", %n: i32, %shift: i32, %low: i32, %high: i32",
                     "%in = arith.cmpi slt, %i, %n : i32\nscf.if %in {\n"
                     "%moved = arith.addi %i, %shift : i32\n" +
                         steps +
                         "%v = simt.load %x[%b] : !simt.buffer<i32, global>, i32\n"
                         "simt.store %v, %y[%i] : !simt.buffer<i32, global>, i32\n}\n"),
                variants({32}),
                {Arg::array(randoms<int32_t>(count)), Arg::array(std::vector<int32_t>(count)),
                 Arg::scalar(count), Arg::scalar(shift), Arg::scalar(int32_t(low)),
                 Arg::scalar(int32_t(high))},
                3);
      }
}

TEST_CASE("rows: bounds that no lane meets, far from the array") {
  check(R"(
      %far = arith.constant 1000000000 : i32
      %below = arith.constant -1000000000 : i32
      %a = arith.minsi %col, %far : i32
      %b = arith.maxsi %a, %below : i32
      %at = arith.addi %whole, %b : i32
      %v = simt.load %x[%at] : !simt.buffer<i32, global>, i32
      %w2 = arith.addi %v, %row : i32
      simt.store %w2, %y[%at] : !simt.buffer<i32, global>, i32
  )");
}

TEST_CASE("rows: one place a row, by stores and atomics") {
  check(R"(
      simt.store %i, %y[%row] : !simt.buffer<i32, global>, i32
      %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %v, %z[%row] : !simt.buffer<i32, global>, i32
  )");
}

TEST_CASE("rows: elements of all sizes, indices of 64 bits") {
  for (const char *type : {"i8", "i16", "i64"}) {
    const std::string body = decoded(division, replaceAll(R"(
      %before = arith.subi %col, %c1 : i32
      %left = arith.maxsi %before, %c0 : i32
      %row64 = arith.extsi %whole : i32 to i64
      %left64 = arith.extsi %left : i32 to i64
      %li = arith.addi %row64, %left64 : i64
      %l = simt.load %x[%li] : !simt.buffer<TYPE, global>, i64
      %own = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32
      %v = arith.subi %l, %own : TYPE
      simt.store %v, %y[%i] : !simt.buffer<TYPE, global>, i32
    )",
                                                          "TYPE", type));
    const std::string text =
        task(64, buffer("x", type) + "," + buffer("y", type) + ", %n: i32, %w: i32", body);
    for (int32_t width : {5, 33, 90})
      compare(text, inTurns(variants(), text),
              {Arg::array(randoms<uint8_t>(450 * 8)), Arg::array(std::vector<uint8_t>(450 * 8)),
               Arg::scalar(int32_t(width * 5)), Arg::scalar(width)},
              8);
  }
}
