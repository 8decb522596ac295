// Divergent control flow: lanes that take different sides and leave loops at
// different rounds. (Random programs: tests/ir/FuzzCpuTest.cpp.)
#include "tests/cpu/Kernels.h"

using namespace cputest;

static void check(const std::string &body, unsigned dim = 96,
                  std::vector<unsigned> waves = {4, 32}) {
  std::vector<int32_t> in = randoms<int32_t>(400), out(400, -1);
  for (int i = 0; i < 400; ++i)
    in[i] = i % 5 == 0 ? 0 : in[i] % 50;
  compare(task(dim, buffer("x", "i32") + "," + buffer("y", "i32") + ", %n: i32", body),
          variants(waves), {Arg::array(in), Arg::array(out), Arg::scalar(int32_t(250))}, 3);
}

TEST_CASE("divergent if with results, nested") {
  check(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %ten = arith.constant 10 : i32
    %pos = arith.cmpi sgt, %v, %c0 : i32
    %r:2 = scf.if %pos -> (i32, i1) {
      %big = arith.cmpi sgt, %v, %ten : i32
      %q = scf.if %big -> (i32) {
        %d = arith.divsi %v, %ten : i32
        simt.store %d, %y[%i] : !simt.buffer<i32, global>, i32
        scf.yield %d : i32
      } else {
        scf.yield %thread : i32
      }
      scf.yield %q, %big : i32, i1
    } else {
      %neg = arith.subi %c0, %v : i32
      scf.yield %neg, %pos : i32, i1
    }
    scf.if %r#1 {
      %s = arith.addi %r#0, %v : i32
      simt.store %s, %y[%i] : !simt.buffer<i32, global>, i32
    } else {
      simt.store %r#0, %y[%i] : !simt.buffer<i32, global>, i32
    }
  )");
}

TEST_CASE("while loops that lanes leave at different rounds") {
  // A carried value, a forwarded expression, a uniform counter, a memory effect.
  check(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %seven = arith.constant 7 : i32
    %r:3 = scf.while (%a = %v, %k = %c0, %acc = %c1) : (i32, i32, i32) -> (i32, i32, i32) {
      %more = arith.cmpi sgt, %a, %c0 : i32
      %twice = arith.addi %acc, %acc : i32
      scf.condition(%more) %a, %k, %twice : i32, i32, i32
    } do {
    ^bb0(%a: i32, %k: i32, %acc: i32):
      %next = arith.subi %a, %seven : i32
      %k1 = arith.addi %k, %c1 : i32
      %acc1 = arith.addi %acc, %k : i32
      %old = simt.load %y[%i] : !simt.buffer<i32, global>, i32
      %new = arith.addi %old, %k1 : i32
      simt.store %new, %y[%i] : !simt.buffer<i32, global>, i32
      scf.yield %next, %k1, %acc1 : i32, i32, i32
    }
    %s = arith.muli %r#0, %r#1 : i32
    %t = arith.addi %s, %r#2 : i32
    %old = simt.load %y[%i] : !simt.buffer<i32, global>, i32
    %new = arith.xori %old, %t : i32
    simt.store %new, %y[%i] : !simt.buffer<i32, global>, i32
  )");
}

TEST_CASE("while loop inside a divergent branch, with a divergent break flag") {
  check(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %false = arith.constant false
    %hundred = arith.constant 20 : i32
    %odd1 = arith.andi %v, %c1 : i32
    %odd = arith.cmpi eq, %odd1, %c1 : i32
    scf.if %odd {
      %r:2 = scf.while (%k = %c0, %done = %false) : (i32, i1) -> (i32, i1) {
        %below = arith.cmpi slt, %k, %hundred : i32
        %going = arith.xori %done, %true : i1
        %more = arith.andi %below, %going : i1
        scf.condition(%more) %k, %done : i32, i1
      } do {
      ^bb0(%k: i32, %done: i1):
        %sum = arith.addi %k, %v : i32
        %hit0 = arith.remui %sum, %hundred : i32
        %hit = arith.cmpi eq, %hit0, %c0 : i32
        scf.if %hit {
          simt.store %k, %y[%i] : !simt.buffer<i32, global>, i32
        }
        %k1 = arith.addi %k, %c1 : i32
        scf.yield %k1, %hit : i32, i1
      }
      %w = arith.extui %r#1 : i1 to i32
      %z = arith.addi %w, %r#0 : i32
      %at = arith.constant 300 : i32
      simt.store %z, %y[%i] : !simt.buffer<i32, global>, i32
    }
  )");
}

/// A loop over an array by the threads of the grid, with a `condition` besides, and results of all
/// kinds: carried values, what the condition passes on, and what only a loop that goes on changes.
static std::string byGrid(const std::string &condition) {
  return R"(
    %step = arith.constant 37 : i32
    %r:4 = scf.while (%at = %thread, %sum = %c0, %k = %c0) : (i32, i32, i32) -> (i32, i32, i32, i32) {
      %below = arith.cmpi slt, %at, %n : i32
      %twice = arith.addi %sum, %at : i32
)" + condition +
         R"(
      scf.condition(%more) %at, %sum, %k, %twice : i32, i32, i32, i32
    } do {
    ^bb0(%at: i32, %sum: i32, %k: i32, %twice: i32):
      %v = simt.load %x[%at] : !simt.buffer<i32, global>, i32
      %more = arith.addi %sum, %v : i32
      %next = arith.addi %at, %step : i32
      %k1 = arith.addi %k, %c1 : i32
      scf.yield %next, %more, %k1 : i32, i32, i32
    }
    %p = arith.muli %r#0, %r#1 : i32
    %q = arith.addi %p, %r#2 : i32
    %s = arith.xori %q, %r#3 : i32
    simt.store %s, %y[%i] : !simt.buffer<i32, global>, i32
  )";
}

TEST_CASE("while loops over an array by the threads of a block") {
  const std::string all = "%more = arith.andi %below, %below : i1";
  const std::string some = "%odd = arith.cmpi slt, %twice, %i : i32\n"
                           "%more = arith.andi %below, %odd : i1";
  const std::string few = "%limit = arith.constant 3 : i32\n"
                          "%short = arith.cmpi slt, %k, %limit : i32\n"
                          "%more = arith.andi %below, %short : i1";
  for (const std::string &condition : {all, some, few}) {
    check(byGrid(condition));
    check("%guard = arith.cmpi slt, %i, %n : i32\nscf.if %guard {\n" + byGrid(condition) + "}\n");
  }
}

TEST_CASE("for loops: uniform bounds, bounds of each lane, strided") {
  check(R"(
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %five = arith.constant 5 : i32
    %sum = scf.for %k = %c0 to %five step %c1 iter_args(%s = %v) -> (i32) : i32 {
      %p = arith.muli %s, %k : i32
      %q = arith.addi %p, %i : i32
      scf.yield %q : i32
    }
    %r:2 = scf.for %k = %c1 to %v step %c2 iter_args(%s = %sum, %u = %c0) -> (i32, i32) : i32 {
      %q = arith.addi %s, %k : i32
      %w = arith.addi %u, %c1 : i32
      scf.yield %q, %w : i32, i32
    }
    %lo = arith.remsi %v, %five : i32
    %t = scf.for %k = %lo to %n step %five iter_args(%s = %r#0) -> (i32) : i32 {
      %q = arith.xori %s, %k : i32
      scf.yield %q : i32
    }
    %z = arith.addi %t, %r#1 : i32
    simt.store %z, %y[%i] : !simt.buffer<i32, global>, i32
  )");
  check(R"(
    %step = arith.constant 288 : i32
    %three = arith.constant 3 : i32
    %count = scf.for %k = %i to %n step %three iter_args(%c = %c0) -> (i32) : i32 {
      %v = simt.load %x[%k] : !simt.buffer<i32, global>, i32
      %c1x = arith.addi %c, %v : i32
      scf.yield %c1x : i32
    }
    simt.store %count, %y[%i] : !simt.buffer<i32, global>, i32
    %cc = scf.for %k = %thread to %n step %dim iter_args(%c = %c0) -> (i32) : i32 {
      %cy = arith.addi %c, %c1 : i32
      scf.yield %cy : i32
    }
    %old = simt.load %y[%i] : !simt.buffer<i32, global>, i32
    %new = arith.addi %old, %cc : i32
    simt.store %new, %y[%i] : !simt.buffer<i32, global>, i32
  )");
}

TEST_CASE("a guard with two conditions, then divergence inside") {
  check(R"(
    %w = arith.constant 16 : i32
    %row = arith.divui %i, %w : i32
    %col = arith.remui %i, %w : i32
    %limit = arith.constant 11 : i32
    %a = arith.cmpi slt, %i, %n : i32
    %b = arith.cmpi slt, %col, %limit : i32
    %both = arith.andi %a, %b : i1
    scf.if %both {
      %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
      %p = arith.cmpi sgt, %v, %c0 : i32
      %r = arith.select %p, %row, %col : i32
      scf.if %p {
        simt.store %v, %y[%i] : !simt.buffer<i32, global>, i32
      } else {
        simt.store %r, %y[%i] : !simt.buffer<i32, global>, i32
      }
    }
  )");
}

TEST_CASE("arrays of the thread's own") {
  check(R"(
    %tmp = simt.private : !simt.buffer<i32, private, 8>
    %eight = arith.constant 8 : i32
    scf.for %k = %c0 to %eight step %c1 : i32 {
      %p = arith.muli %k, %i : i32
      simt.store %p, %tmp[%k] : !simt.buffer<i32, private, 8>, i32
    }
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %mask = arith.constant 7 : i32
    %at = arith.andi %v, %mask : i32
    %odd = arith.cmpi sgt, %v, %c0 : i32
    scf.if %odd {
      simt.store %v, %tmp[%at] : !simt.buffer<i32, private, 8>, i32
      simt.store %thread, %tmp[%c2] : !simt.buffer<i32, private, 8>, i32
    }
    %at2 = arith.xori %at, %c1 : i32
    %a = simt.load %tmp[%at] : !simt.buffer<i32, private, 8>, i32
    %b = simt.load %tmp[%at2] : !simt.buffer<i32, private, 8>, i32
    %c = simt.load %tmp[%c2] : !simt.buffer<i32, private, 8>, i32
    %s = arith.addi %a, %b : i32
    %t = arith.xori %s, %c : i32
    simt.store %t, %y[%i] : !simt.buffer<i32, global>, i32
  )");
}

TEST_CASE("a serial task") {
  std::vector<int32_t> in = randoms<int32_t>(50), out(50, 0);
  std::string text = replaceAll(task(1, buffer("x", "i32") + "," + buffer("y", "i32"), R"(
    %n = arith.constant 50 : i32
    %tmp = simt.private : !simt.buffer<i32, private, 4>
    simt.store %c1, %tmp[%c0] : !simt.buffer<i32, private, 4>, i32
    %t = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
      %v = simt.load %x[%k] : !simt.buffer<i32, global>, i32
      %s1 = arith.addi %s, %v : i32
      %o = simt.atomic_rmw addi %s1, %y[%c0] : !simt.buffer<i32, global>, i32
      %w = simt.load %tmp[%thread] : !simt.buffer<i32, private, 4>, i32
      %z = arith.addi %o, %w : i32
      simt.store %z, %y[%k] : !simt.buffer<i32, global>, i32
      scf.yield %s1 : i32
    }
  )"),
                                "block_dim = 1 : i32", "block_dim = 1 : i32, serial");
  compare(text, variants({4, 32}), {Arg::array(in), Arg::array(out)}, 1);
}

TEST_CASE("runs of a thread's own, some of them empty") {
  // Loads at the loop's counter, from each thread's bounds on, and at what these give.
  std::vector<int32_t> begin{0}, in = randoms<int32_t>(900), out(100, -1);
  while (begin.size() <= 100)
    begin.push_back(begin.back() + int32_t(begin.size() * 7 % 13) % 9);
  std::vector<int32_t> at(in);
  for (int32_t &each : at)
    each &= 511;
  for (unsigned dim : {32u, 96u})
    compare(task(dim,
                 buffer("begin", "i32") + "," + buffer("at", "i32") + "," + buffer("x", "i32") +
                     "," + buffer("y", "i32") + ", %n: i32",
                 R"(
    %guard = arith.cmpi slt, %i, %n : i32
    scf.if %guard {
      %next = arith.addi %i, %c1 : i32
      %from = simt.load %begin[%i] : !simt.buffer<i32, global>, i32
      %to = simt.load %begin[%next] : !simt.buffer<i32, global>, i32
      %s = scf.for %k = %from to %to step %c1 iter_args(%a = %i) -> (i32) : i32 {
        %place = simt.load %at[%k] : !simt.buffer<i32, global>, i32
        %v = simt.load %x[%k] : !simt.buffer<i32, global>, i32
        %w = simt.load %x[%place] : !simt.buffer<i32, global>, i32
        %p = arith.muli %v, %w : i32
        %b = arith.addi %a, %p : i32
        scf.yield %b : i32
      }
      simt.store %s, %y[%i] : !simt.buffer<i32, global>, i32
    }
  )"),
            variants(),
            {Arg::array(begin), Arg::array(at), Arg::array(in), Arg::array(out),
             Arg::scalar(int32_t(100))},
            (100 + dim - 1) / dim);
}
