// Atomics: scattered and at one place, global and shared, with and without use of
// the old value, every operator and type.
#include "tests/cpu/Kernels.h"

#include <algorithm>
#include <sstream>

using namespace cputest;

static unsigned bytesOf(const std::string &type) {
  return type == "i8" ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
}

TEST_CASE("operators at scattered and shared places") {
  struct Row {
    const char *type, *kinds;
  };
  const Row rows[] = {{"i32", "addi muli mins minu maxs maxu andi ori xori"},
                      {"i64", "addi mins maxu xori"},
                      {"i8", "addi maxu"},
                      {"i16", "mins addi"},
                      {"f32", "addf minf maxf"},
                      {"f64", "addf maxf"},
                      {"f16", "addf minf"}};
  for (const Row &row : rows) {
    std::string kinds = row.kinds, kind;
    for (std::istringstream list(kinds); list >> kind;) {
      for (const char *where :
           {"%at = arith.andi %i, %k15 : i32\n", "%at = arith.constant 5 : i32\n"}) {
        for (bool isMasked : {false, true}) {
          // In one block of 64 threads the order is the oracle's only where it
          // does not matter: sums of small values.
          std::string body = std::string("%k15 = arith.constant 15 : i32\n") + where +
                             "%v = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32\n";
          std::string op =
              "%old = simt.atomic_rmw " + kind + " %v, %y[%at] : !simt.buffer<TYPE, global>, i32\n";
          if (isMasked)
            op = "%m = arith.remui %i, %k15 : i32\n%p = arith.cmpi ugt, %m, %c2 : i32\nscf.if %p "
                 "{\n" +
                 op + "}\n";
          std::string text = task(64, buffer("x", row.type) + "," + buffer("y", row.type),
                                  replaceAll(body + op, "TYPE", row.type));
          Arg in;
          std::string type = row.type;
          std::vector<int> small(128);
          for (int i = 0; i < 128; ++i)
            small[i] = (i * 5) % 9 - 3;
          if (type == "f32")
            in = Arg::array(std::vector<float>(small.begin(), small.end()));
          else if (type == "f64")
            in = Arg::array(std::vector<double>(small.begin(), small.end()));
          else if (type == "f16")
            in = Arg::array(std::vector<uint16_t>(128, 0x3c00));
          else
            in = Arg::array(randoms<uint8_t>(128 * bytesOf(type)));
          Tolerance exact{type == "f32" ? 4u : type == "f64" ? 8u : 0u, 0};
          compare(text, inTurns(variants({4, 32}), text),
                  {in, Arg::array(std::vector<uint8_t>(16 * bytesOf(type)))}, 2, exact);
        }
      }
    }
  }
}

TEST_CASE("old values: each lane sees those before it") {
  for (const char *kind : {"addi", "maxs", "andi", "exchange"})
    for (const char *where :
         {"%at = arith.andi %i, %k15 : i32\n", "%at = arith.constant 5 : i32\n"})
      for (const char *space : {"global", "shared"}) {
        bool isShared = std::string(space) == "shared";
        std::string body = std::string("%k15 = arith.constant 15 : i32\n") + where + R"(
          %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
          %odd = arith.trunci %v : i32 to i1
          %r = scf.if %odd -> (i32) {
            %old = simt.atomic_rmw KIND %v, %TARGET[%at] : !simt.buffer<i32, TYPE>, i32
            scf.yield %old : i32
          } else {
            scf.yield %c1 : i32
          }
          %all = simt.atomic_rmw KIND %v, %TARGET[%at] : !simt.buffer<i32, TYPE>, i32
          %s = arith.xori %all, %r : i32
          simt.store %s, %z[%i] : !simt.buffer<i32, global>, i32
        )";
        if (isShared)
          body =
              "%h = simt.shared \"h\" : !simt.buffer<i32, shared, 16>\n"
              "%sixteen = arith.constant 16 : i32\n%few = arith.cmpi slt, %thread, %sixteen : i32\n"
              "scf.if %few {\nsimt.store %thread, %h[%thread] : !simt.buffer<i32, shared, 16>, "
              "i32\n}\n"
              "simt.subgroup_barrier\n" +
              body;
        else
          body = "simt.subgroup_barrier\n" + body;
        body =
            replaceAll(replaceAll(replaceAll(body, "KIND", kind), "TARGET", isShared ? "h" : "y"),
                       "i32, TYPE", isShared ? "i32, shared, 16" : "i32, global");
        // One subgroup a block: its lanes go in order.
        std::string text = task(
            32, buffer("x", "i32") + "," + buffer("y", "i32") + "," + buffer("z", "i32"), body);
        compare(text, inTurns(variants({32, 64}), text),
                {Arg::array(randoms<int32_t>(64)), Arg::array(std::vector<int32_t>(16)),
                 Arg::array(std::vector<int32_t>(64))},
                2);
      }
}

TEST_CASE("lanes side by side in shared memory, some of them or all") {
  struct Row {
    const char *type, *kinds;
  };
  const Row rows[] = {{"i32", "addi muli mins minu maxs maxu andi ori xori exchange"},
                      {"i64", "addi exchange"},
                      {"i8", "addi maxu"},
                      {"f32", "addf maxf"},
                      {"f16", "addf"}};
  for (const Row &row : rows) {
    std::string kinds = row.kinds, kind, type = row.type;
    for (std::istringstream list(kinds); list >> kind;)
      for (bool isMasked : {false, true}) {
        const std::string op = "%old = simt.atomic_rmw " + kind +
                               " %v, %h[%at] : !simt.buffer<TYPE, shared, 72>, i32\n";
        std::string body = R"(
          %h = simt.shared "h" : !simt.buffer<TYPE, shared, 72>
          %k3 = arith.constant 3 : i32
          %at = arith.addi %thread, %k3 : i32
          %v = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32
          simt.store %v, %h[%at] : !simt.buffer<TYPE, shared, 72>, i32
          simt.barrier
        )";
        body += isMasked ? "%m = arith.remui %i, %k3 : i32\n%p = arith.cmpi ugt, %m, %c1 : i32\n"
                           "%seen = scf.if %p -> (TYPE) {\n" +
                               op + "scf.yield %old : TYPE\n} else {\nscf.yield %v : TYPE\n}\n"
                         : replaceAll(op, "%old", "%seen");
        body += R"(
          simt.store %seen, %y[%i] : !simt.buffer<TYPE, global>, i32
          simt.barrier
          %w = simt.load %h[%at] : !simt.buffer<TYPE, shared, 72>, i32
          simt.store %w, %z[%i] : !simt.buffer<TYPE, global>, i32
        )";
        const std::string text =
            task(64, buffer("x", type) + "," + buffer("y", type) + "," + buffer("z", type),
                 replaceAll(body, "TYPE", type), true);
        std::vector<float> reals(128);
        for (int i = 0; i < 128; ++i)
          reals[i] = float((i * 5) % 9 - 3);
        const Arg in = type == "f32"   ? Arg::array(reals)
                       : type == "f16" ? Arg::array(std::vector<uint16_t>(128, 0x3c00))
                                       : Arg::array(randoms<uint8_t>(128 * bytesOf(type)));
        const Arg out = Arg::array(std::vector<uint8_t>(128 * bytesOf(type)));
        compare(text, inTurns(variants({4, 32}), text), {in, out, out}, 2);
      }
  }
}

TEST_CASE("tickets are unique over all threads") {
  std::string text = task(96, buffer("counter", "i32") + "," + buffer("y", "i32"), R"(
    %three = arith.constant 3 : i32
    %m = arith.remui %i, %three : i32
    %p = arith.cmpi ne, %m, %c1 : i32
    scf.if %p {
      %slot = simt.atomic_rmw addi %c1, %counter[%c0] : !simt.buffer<i32, global>, i32
      simt.store %i, %y[%slot] : !simt.buffer<i32, global>, i32
    }
  )");
  for (const Variant &variant : variants({4, 32})) {
    std::vector<Arg> args{Arg::array(std::vector<int32_t>{0}),
                          Arg::array(std::vector<int32_t>(192, -1))};
    run(text, variant, args, 3);
    CHECK(args[0].as<int32_t>()[0] == 192);
    std::vector<int32_t> got = args[1].as<int32_t>();
    std::sort(got.begin(), got.end());
    for (int i = 0, k = 0; i < 288; ++i)
      if (i % 3 != 1)
        REQUIRE(got[k++] == i);
  }
}

TEST_CASE("compare and swap, in a loop until it succeeds") {
  for (const char *type : {"i32", "i64"}) {
    std::string text = task(64, buffer("y", type),
                            replaceAll(R"(
      %k3 = arith.constant 3 : i32
      %at = arith.andi %i, %k3 : i32
      %one = arith.constant 1 : TYPE
      %start = simt.load %y[%at] : !simt.buffer<TYPE, global>, i32
      %r:2 = scf.while (%seen = %start, %go = %true) : (TYPE, i1) -> (TYPE, i1) {
        scf.condition(%go) %seen, %go : TYPE, i1
      } do {
      ^bb0(%seen: TYPE, %go: i1):
        %new = arith.addi %seen, %one : TYPE
        %old = simt.atomic_cas %seen, %new, %y[%at] : !simt.buffer<TYPE, global>, i32
        %lost = arith.cmpi ne, %old, %seen : TYPE
        scf.yield %old, %lost : TYPE, i1
      }
    )",
                                       "TYPE", type));
    for (const Variant &variant : variants({4, 32})) {
      std::vector<Arg> args{Arg::array(std::vector<uint8_t>(32))};
      run(text, variant, args, 2);
      for (int i = 0; i < 4; ++i)
        CHECK(args[0].bytes[i * bytesOf(type)] == 32);
    }
  }
}

TEST_CASE("fences and volatile accesses") {
  std::string text = task(64, buffer("x", "i32") + "," + buffer("y", "i32"), R"(
    %a = simt.load volatile %x[%i] : !simt.buffer<i32, global>, i32
    simt.fence device
    %b = simt.load volatile %x[%c0] : !simt.buffer<i32, global>, i32
    %k = arith.xori %i, %c1 : i32
    simt.fence block
    %odd = arith.trunci %i : i32 to i1
    scf.if %odd {
      %c = simt.load volatile %x[%k] : !simt.buffer<i32, global>, i32
      %s = arith.addi %c, %b : i32
      simt.store volatile %s, %y[%i] : !simt.buffer<i32, global>, i32
    } else {
      simt.store volatile %a, %y[%i] : !simt.buffer<i32, global>, i32
    }
  )");
  compare(text, variants({4, 32}),
          {Arg::array(randoms<int32_t>(128)), Arg::array(std::vector<int32_t>(128))}, 2);
}

TEST_CASE("sums that leave a task at its end") {
  // One place under a guard, one a thread, a maximum, and one that another access
  // keeps where it stands.
  std::string text = task(
      64, buffer("x", "i32") + "," + buffer("y", "i32") + "," + buffer("z", "i32") + ", %n: i32",
      R"(
    %h = simt.shared "h" : !simt.buffer<i32, shared, 64>
    %in = arith.cmpi slt, %i, %n : i32
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    simt.store %v, %h[%thread] : !simt.buffer<i32, shared, 64>, i32
    %before = simt.atomic_rmw xori %v, %z[%c1] : !simt.buffer<i32, global>, i32
    %now = simt.load %z[%c2] : !simt.buffer<i32, global>, i32
    simt.barrier
    %w = simt.load %h[%thread] : !simt.buffer<i32, shared, 64>, i32
    %at = arith.addi %thread, %c2 : i32
    %a = simt.atomic_rmw addi %w, %y[%at] : !simt.buffer<i32, global>, i32
    scf.if %in {
      %b = simt.atomic_rmw addi %v, %y[%c0] : !simt.buffer<i32, global>, i32
      %c = simt.atomic_rmw maxs %v, %y[%c1] : !simt.buffer<i32, global>, i32
    }
  )");
  std::vector<int32_t> in = randoms<int32_t>(256);
  for (int32_t n : {0, 1, 200, 256})
    compare(text, variants({4, 32}),
            {Arg::array(in), Arg::array(std::vector<int32_t>(66)),
             Arg::array(std::vector<int32_t>(3)), Arg::scalar(n)},
            4);
}

TEST_CASE("a place that does not exist is not touched when no thread gets there") {
  std::string text = task(64, buffer("y", "i32") + ", %n: i32", R"(
    %none = arith.cmpi slt, %i, %n : i32
    scf.if %none {
      %far = arith.constant 100000000 : i32
      %b = simt.atomic_rmw addi %c1, %y[%far] : !simt.buffer<i32, global>, i32
    }
  )");
  compare(text, variants({32}), {Arg::array(std::vector<int32_t>(4)), Arg::scalar(int32_t(0))}, 2);
}

/// Adds `count` components at places that `%at` says; no two lanes have the same one.
static std::string vectorAdds(unsigned count, const char *type, bool isMasked) {
  std::string text = "%count = arith.constant " + std::to_string(count) + " : i32\n" +
                     "%to = simt.load %at[%i] : !simt.buffer<i32, global>, i32\n"
                     "%base = arith.muli %to, %count overflow<nsw> : i32\n"
                     "%v = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32\n";
  if (isMasked)
    text += "%odd = arith.andi %i, %c1 : i32\n%p = arith.cmpi eq, %odd, %c1 : i32\nscf.if %p {\n";
  for (unsigned k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    text += "%k" + n + " = arith.constant " + n + " : i32\n%f" + n + " = arith.sitofp %k" + n +
            " : i32 to TYPE\n%w" + n + " = arith.mulf %v, %f" + n + " : TYPE\n%place" + n +
            " = arith.addi %base, %k" + n + " : i32\n%old" + n + " = simt.atomic_rmw addf %w" + n +
            ", %y[%place" + n + "] : !simt.buffer<TYPE, global>, i32\n";
  }
  text += isMasked ? "}\n" : "";
  const std::string y =
      "%y: !simt.buffer<TYPE, global> {simt.align = 16 : i32}, " + buffer("at", "i32");
  return replaceAll(task(32, buffer("x", "TYPE") + "," + y, text), "TYPE", type);
}

// Arrays end at a page's end, so that their length decides how they are aligned.
TEST_CASE("vectors of reals are added to, in arrays of any alignment") {
  std::vector<int32_t> at(64);
  for (int i = 0; i < 64; ++i)
    at[i] = i * 7 % 32; // twice each, in two blocks
  for (bool isMasked : {false, true})
    for (unsigned extra : {0u, 1u}) {
      std::vector<float> x(64), y(128 + extra, 0.5f);
      std::vector<double> dx(64), dy(64 + extra, 0.5);
      for (int i = 0; i < 64; ++i)
        dx[i] = x[i] = float(i * 5 % 13 - 4);
      compare(vectorAdds(4, "f32", isMasked), variants({4, 32}),
              {Arg::array(x), Arg::array(y), Arg::array(at)}, 2);
      compare(vectorAdds(2, "f64", isMasked), variants({32}),
              {Arg::array(dx), Arg::array(dy), Arg::array(at)}, 2);
    }
}

TEST_CASE("a vector of reals at a place that data knows is added to by one swap") {
  for (const char *arch : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const std::string code = assembly(vectorAdds(4, "f32", false), {arch, 32});
    INFO(code);
    CHECK(code.find("cmpxchg16b") != std::string::npos);
  }
}
