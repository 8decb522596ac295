// Block barriers: shared memory, values across barriers, barriers in loops and
// branches.
#include "tests/cpu/Kernels.h"

#include <sstream>

using namespace cputest;

static void check(const std::string &body, std::vector<unsigned> dims = {64, 128, 100, 1},
                  std::vector<unsigned> waves = {4, 32}) {
  for (unsigned dim : dims) {
    std::vector<int32_t> in = randoms<int32_t>(3 * dim), out(3 * dim, -1);
    for (int32_t &value : in)
      value %= 1000;
    const std::string text =
        task(dim, buffer("x", "i32") + "," + buffer("y", "i32") + ", %n: i32",
             "%tile = simt.shared \"tile\" : !simt.buffer<i32, shared, 256>\n"
             "%extra = simt.shared \"more\" : !simt.buffer<i32, shared, 16>\n" +
                 body,
             true);
    compare(text, inTurns(variants(waves), text),
            {Arg::array(in), Arg::array(out), Arg::scalar(int32_t(4))}, 3);
  }
}

TEST_CASE("reversal through shared memory") {
  check(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    simt.store %v, %tile[%thread] : !simt.buffer<i32, shared, 256>, i32
    simt.barrier
    %last = arith.subi %dim, %c1 : i32
    %at = arith.subi %last, %thread : i32
    %w = simt.load %tile[%at] : !simt.buffer<i32, shared, 256>, i32
    %s = arith.addi %w, %v : i32
    simt.store %s, %y[%i] : !simt.buffer<i32, global>, i32
  )");
}

// Chunks of 16 threads, a row of the tile each, load the same rows of the other tile: they run in
// step. The loop carries their sums past its barriers.
TEST_CASE("products by tiles of 16: chunks in step") {
  std::string products;
  for (int m = 0; m < 16; ++m) {
    const std::string k = std::to_string(m), before = m ? "%s" + std::to_string(m - 1) : "%sum";
    products += "%km" + k + " = arith.constant " + k + " : i32\n%kb" + k + " = arith.constant " +
                std::to_string(16 * m) + " : i32\n%la" + k + " = arith.addi %start, %km" + k +
                " : i32\n%lb" + k + " = arith.addi %col, %kb" + k + " : i32\n%a" + k +
                " = simt.load %tile[%la" + k + "] : !simt.buffer<i32, shared, 256>, i32\n%b" + k +
                " = simt.load %other[%lb" + k + "] : !simt.buffer<i32, shared, 256>, i32\n%p" + k +
                " = arith.muli %a" + k + ", %b" + k + " : i32\n%s" + k + " = arith.addi " + before +
                ", %p" + k + " : i32\n";
  }
  for (const unsigned dim : {256u, 128u, 64u, 80u}) // eight, four and two chunks in step; the last
    check(R"(
    %other = simt.shared "other" : !simt.buffer<i32, shared, 256>
    %k15 = arith.constant 15 : i32
    %k4 = arith.constant 4 : i32
    %k16 = arith.constant 16 : i32
    %k256 = arith.constant 256 : i32
    %col = arith.andi %thread, %k15 : i32
    %row = arith.shrsi %thread, %k4 : i32
    %start = arith.muli %row, %k16 : i32
    %all = scf.for %round = %c0 to %n step %c1 iter_args(%sum = %c1) -> (i32) : i32 {
      %far = arith.addi %i, %round : i32
      %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
      %w = arith.xori %v, %far : i32
      scf.for %at = %thread to %k256 step %dim : i32 {
        simt.store %w, %tile[%at] : !simt.buffer<i32, shared, 256>, i32
        %u = arith.subi %v, %at : i32
        simt.store %u, %other[%at] : !simt.buffer<i32, shared, 256>, i32
      }
      simt.barrier
)" + products +
              R"(
      simt.barrier
      scf.yield %s15 : i32
    }
    %t = arith.addi %all, %row : i32
    simt.store %t, %y[%i] : !simt.buffer<i32, global>, i32
  )",
          {dim}, {4, 16, 32});
}

TEST_CASE("a tree reduction: barriers in a while loop with a uniform condition") {
  check(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    simt.store %v, %tile[%thread] : !simt.buffer<i32, shared, 256>, i32
    simt.barrier
    %half = arith.constant 64 : i32
    %end = scf.while (%s = %half) : (i32) -> i32 {
      %more = arith.cmpi sgt, %s, %c0 : i32
      scf.condition(%more) %s : i32
    } do {
    ^bb0(%s: i32):
      %p = arith.addi %thread, %s : i32
      %in1 = arith.cmpi slt, %thread, %s : i32
      %in2 = arith.cmpi slt, %p, %dim : i32
      %in = arith.andi %in1, %in2 : i1
      scf.if %in {
        %a = simt.load %tile[%thread] : !simt.buffer<i32, shared, 256>, i32
        %b = simt.load %tile[%p] : !simt.buffer<i32, shared, 256>, i32
        %c = arith.addi %a, %b : i32
        simt.store %c, %tile[%thread] : !simt.buffer<i32, shared, 256>, i32
      }
      simt.barrier
      %next = arith.shrui %s, %c1 : i32
      scf.yield %next : i32
    }
    %total = simt.load %tile[%c0] : !simt.buffer<i32, shared, 256>, i32
    %r = arith.addi %total, %v : i32
    simt.store %r, %y[%i] : !simt.buffer<i32, global>, i32
  )");
}

TEST_CASE("values of each thread carried around loops with barriers") {
  check(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %false = arith.constant false
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v, %b = %thread, %f = %false) -> (i32, i32, i1) : i32 {
      simt.store %a, %tile[%thread] : !simt.buffer<i32, shared, 256>, i32
      simt.barrier
      %p = arith.addi %thread, %k : i32
      %q = arith.addi %p, %c1 : i32
      %at = arith.remui %q, %dim : i32
      %o = simt.load %tile[%at] : !simt.buffer<i32, shared, 256>, i32
      simt.barrier
      %s = arith.addi %o, %b : i32
      %neg = arith.cmpi slt, %s, %c0 : i32
      scf.yield %s, %a, %neg : i32, i32, i1
    }
    %z = arith.select %r#2, %r#0, %r#1 : i32
    simt.store %z, %y[%i] : !simt.buffer<i32, global>, i32
  )");
}

TEST_CASE("carried values that are read after their next one is known, and that are not") {
  // The next value of %a is known before a barrier. After it, %a is read: itself, or by what is
  // computed from it.
  for (const char *later : {"%c0, %b", "%a, %b", "%more, %b", "%b, %a", "%b, %more"})
    check(replaceAll(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v, %b = %thread) -> (i32, i32) : i32 {
      simt.store %a, %tile[%thread] : !simt.buffer<i32, shared, 256>, i32
      simt.barrier
      %p = arith.addi %thread, %c1 : i32
      %at = arith.remui %p, %dim : i32
      %o = simt.load %tile[%at] : !simt.buffer<i32, shared, 256>, i32
      %more = arith.addi %a, %k : i32
      %next = arith.addi %more, %o : i32
      simt.barrier
      %l = arith.subi LATER : i32
      %m = arith.xori %l, %next : i32
      scf.yield %next, %m : i32, i32
    }
    %z = arith.subi %r#0, %r#1 : i32
    simt.store %z, %y[%i] : !simt.buffer<i32, global>, i32
  )",
                     "LATER", later));
}

TEST_CASE("barriers in nested uniform branches and loops, results of both sides") {
  check(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %even0 = arith.andi %block, %c1 : i32
    %even = arith.cmpi eq, %even0, %c0 : i32
    %r:2 = scf.if %even -> (i32, i32) {
      %t = scf.for %k = %c0 to %n step %c2 iter_args(%a = %v) -> (i32) : i32 {
        simt.store %a, %tile[%thread] : !simt.buffer<i32, shared, 256>, i32
        simt.barrier
        %m = arith.andi %k, %c2 : i32
        %is = arith.cmpi eq, %m, %c0 : i32
        %w = scf.if %is -> (i32) {
          %at = arith.xori %thread, %c1 : i32
          %ok = arith.cmpi slt, %at, %dim : i32
          %at1 = arith.select %ok, %at, %thread : i32
          %o = simt.load %tile[%at1] : !simt.buffer<i32, shared, 256>, i32
          simt.barrier
          scf.yield %o : i32
        } else {
          simt.barrier
          %h = arith.muli %a, %c2 : i32
          scf.yield %h : i32
        }
        scf.yield %w : i32
      }
      scf.yield %t, %n : i32, i32
    } else {
      simt.store %v, %tile[%thread] : !simt.buffer<i32, shared, 256>, i32
      simt.barrier
      %o = simt.load %tile[%c0] : !simt.buffer<i32, shared, 256>, i32
      scf.yield %o, %block : i32, i32
    }
    simt.barrier
    %z = arith.addi %r#0, %r#1 : i32
    simt.store %z, %y[%i] : !simt.buffer<i32, global>, i32
  )");
}

TEST_CASE("a loop whose condition is read from shared memory") {
  check(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %is0 = arith.cmpi eq, %thread, %c0 : i32
    scf.if %is0 {
      simt.store %n, %extra[%c0] : !simt.buffer<i32, shared, 16>, i32
    }
    simt.barrier
    %r = scf.while (%a = %v) : (i32) -> i32 {
      %left = simt.load %extra[%c0] : !simt.buffer<i32, shared, 16>, i32
      simt.barrier
      %go = arith.cmpi sgt, %left, %c0 : i32
      scf.condition(%go) %a : i32
    } do {
    ^bb0(%a: i32):
      scf.if %is0 {
        %left = simt.load %extra[%c0] : !simt.buffer<i32, shared, 16>, i32
        %less = arith.subi %left, %c1 : i32
        simt.store %less, %extra[%c0] : !simt.buffer<i32, shared, 16>, i32
      }
      %b = arith.addi %a, %thread : i32
      simt.barrier
      scf.yield %b : i32
    }
    simt.store %r, %y[%i] : !simt.buffer<i32, global>, i32
  )");
}

TEST_CASE("a loop with barriers that starts at the thread's index") {
  // All threads of the block make the same number of rounds.
  check(R"(
    %end = arith.muli %dim, %n : i32
    %r = scf.for %k = %thread to %end step %dim iter_args(%a = %c0) -> (i32) : i32 {
      simt.store %k, %tile[%thread] : !simt.buffer<i32, shared, 256>, i32
      simt.barrier
      %o = simt.load %tile[%c0] : !simt.buffer<i32, shared, 256>, i32
      simt.barrier
      %s = arith.addi %a, %o : i32
      %s1 = arith.xori %s, %k : i32
      scf.yield %s1 : i32
    }
    simt.store %r, %y[%i] : !simt.buffer<i32, global>, i32
  )");
}

TEST_CASE("barriers that reduce") {
  for (const char *kind : {"count", "any", "all"})
    check(replaceAll(R"(
      %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
      %k = arith.constant 990 : i32
      %p = arith.cmpi slt, %v, %k : i32
      %c = simt.barrier_reduce KIND %p
      %q = arith.cmpi sgt, %c, %c0 : i32
      %d = scf.if %q -> (i32) {
        %e = arith.cmpi sge, %v, %v : i32
        %f = simt.barrier_reduce KIND %e
        scf.yield %f : i32
      } else {
        scf.yield %v : i32
      }
      %s = arith.addi %c, %d : i32
      simt.store %s, %y[%i] : !simt.buffer<i32, global>, i32
    )",
                     "KIND", kind));
}

TEST_CASE("private arrays and subgroup operations across barriers") {
  check(R"(
    %w = arith.constant $W : i32
    %tmp = simt.private : !simt.buffer<i32, private, 4>
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %k3 = arith.constant 3 : i32
    %at = arith.andi %v, %k3 : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      simt.store %thread, %tmp[%k] : !simt.buffer<i32, private, 4>, i32
    }
    simt.store %v, %tmp[%at] : !simt.buffer<i32, private, 4>, i32
    %sum = simt.reduce addi %v tile $LOG all : i32
    %warp = arith.divui %thread, %w : i32
    %lane = simt.lane
    %is0 = arith.cmpi eq, %lane, %c0 : i32
    scf.if %is0 {
      simt.store %sum, %tile[%warp] : !simt.buffer<i32, shared, 256>, i32
    }
    simt.barrier
    %other = simt.load %tmp[%k3] : !simt.buffer<i32, private, 4>, i32
    %s0 = simt.load %tile[%c0] : !simt.buffer<i32, shared, 256>, i32
    %incl = simt.scan addi %other tile $LOG : i32
    %t = arith.addi %incl, %s0 : i32
    %u = arith.xori %t, %sum : i32
    simt.store %u, %y[%i] : !simt.buffer<i32, global>, i32
  )",
        {64, 128, 40}, {4, 8, 16, 32, 64});
}

TEST_CASE("tiled operations in a block smaller than the wave") {
  check(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %a = simt.reduce addi %v tile 2 all : i32
    %b = simt.scan addi %v tile 2 exclusive : i32
    %c = arith.muli %a, %b : i32
    simt.store %c, %y[%i] : !simt.buffer<i32, global>, i32
  )",
        {4, 8, 16}, {4, 32, 64});
}

/// Eight values a thread, and their distances to a number that all threads read, past two barriers.
static std::string distances() {
  std::string text = "%tile = simt.shared \"tile\" : !simt.buffer<i32, shared, 1024>\n", sums;
  for (int k = 0; k < 8; ++k) {
    const std::string n = std::to_string(k), last = std::to_string(k - 1);
    text += "%k" + n + " = arith.constant " + n + " : i32\n%at" + n + " = arith.addi %i, %k" + n +
            " : i32\n%v" + n + " = simt.load %x[%at" + n + "] : !simt.buffer<i32, global>, i32\n";
    sums += "%d" + n + " = arith.subi %v" + n + ", %m : i32\n%e" + n + " = arith.muli %d" + n +
            ", %d" + n + " : i32\n%s" + n + " = arith.addi %e" + n + ", " +
            (k ? "%s" + last : "%c1") + " : i32\n";
  }
  text += "simt.store %v0, %tile[%thread] : !simt.buffer<i32, shared, 1024>, i32\nsimt.barrier\n"
          "%m = simt.load %tile[%c1] : !simt.buffer<i32, shared, 1024>, i32\n" +
          sums +
          "simt.barrier\nsimt.store %s7, %tile[%thread] : !simt.buffer<i32, shared, 1024>, i32\n"
          "simt.barrier\n%r = simt.load %tile[%c2] : !simt.buffer<i32, shared, 1024>, i32\n";
  for (int k = 0; k < 8; ++k) {
    const std::string n = std::to_string(k);
    text += "%f" + n + " = arith.muli %d" + n + ", %r : i32\n%g" + n + " = arith.addi %f" + n +
            ", " + (k ? "%g" + std::to_string(k - 1) : "%c0") + " : i32\n";
  }
  return text + "simt.store %g7, %y[%i] : !simt.buffer<i32, global>, i32\n";
}

static std::string distancesTask(unsigned dim) {
  return task(dim, buffer("x", "i32") + "," + buffer("y", "i32"), distances(), true);
}

TEST_CASE("values past a barrier that are computed from others there") {
  for (unsigned dim : {64u, 100u}) {
    const std::vector<int32_t> in = randoms<int32_t>(3 * dim + 8), out(3 * dim, -1);
    compare(distancesTask(dim), variants({4, 32}), {Arg::array(in), Arg::array(out)}, 3);
  }
}

// The values have slots, and so has the number; the distances are computed again.
TEST_CASE("no slots for vectors that a number and other slots give") {
  std::istringstream lines(assembly(distancesTask(1024), {"x86-64-v4", 32}));
  unsigned stores = 0;
  std::string all;
  for (std::string line; std::getline(lines, line); all += line + '\n')
    stores += line.find("zmmword ptr [rsp") != line.npos && line.find("], zmm") != line.npos;
  INFO(all);
  CHECK(stores >= 8 * 2);       // the values
  CHECK(stores <= (8 + 1) * 2); // and their sum
}
