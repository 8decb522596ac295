// Subgroup operations at every wave size: constant and run-time lanes, tiles,
// partial subgroups, every type.
#include "tests/cpu/Kernels.h"

using namespace cputest;

static unsigned bytesOf(const std::string &type) {
  return type == "i8" ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
}

/// Values of small magnitude, so that float sums are exact in any order.
static Arg input(const std::string &type, size_t count) {
  std::vector<int> small(count);
  for (size_t i = 0; i < count; ++i)
    small[i] = int(i * 7 + i / 13) % 11 - 5;
  if (type == "f32")
    return Arg::array(std::vector<float>(small.begin(), small.end()));
  if (type == "f64")
    return Arg::array(std::vector<double>(small.begin(), small.end()));
  if (type == "f16") {
    std::vector<uint16_t> halves;
    for (int v : small)
      halves.push_back(v == 0 ? 0
                              : (v < 0 ? 0x8000 : 0) |
                                    (std::vector<int>{0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500,
                                                      0x4600}[std::abs(v)]));
    return Arg::array(halves);
  }
  return Arg::array(randoms<uint8_t>(count * bytesOf(type)));
}

/// Every text of `ways` computes `%r` from `%v`, each in a region of its own.
static void check(const std::string &type, const std::vector<std::string> &ways, unsigned dim = 64,
                  std::vector<unsigned> waves = {}) {
  size_t count = 2 * dim;
  std::string body = "%v = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32\n";
  for (size_t k = 0; k < ways.size(); ++k) {
    std::string n = std::to_string(k);
    body += "%w" + n + " = scf.if %true -> (TYPE) {\n" + ways[k] + "scf.yield %r : TYPE\n" +
            "} else {\nscf.yield %v : TYPE\n}\n" + "%from" + n + " = arith.constant " +
            std::to_string(k * count) + " : i32\n%to" + n + " = arith.addi %from" + n +
            ", %i : i32\nsimt.store %w" + n + ", %y[%to" + n +
            "] : !simt.buffer<TYPE, global>, i32\n";
  }
  std::string text = task(dim, buffer("x", type) + "," + buffer("y", type) + ", %n: i32", body);
  Tolerance exact{type == "f32" ? 4u : type == "f64" ? 8u : 0u, 0};
  text = replaceAll(text, "TYPE", type);
  compare(text, inTurns(variants(waves), text),
          {input(type, count),
           Arg::array(std::vector<uint8_t>(ways.size() * count * bytesOf(type))),
           Arg::scalar(int32_t(3))},
          2, exact);
}

TEST_CASE("shuffles") {
  const std::vector<std::string> ways{
      // Lanes stay inside of the wave where a result is stored.
      "%m = arith.constant 3 : i32\n %r = simt.shuffle xor %v, %m : TYPE\n",
      "%m = arith.constant 1 : i32\n %r0 = simt.shuffle up %v, %m : TYPE\n"
      "%l = simt.lane\n %ok = arith.cmpi uge, %l, %m : i32\n %r = arith.select %ok, %r0, %v : "
      "TYPE\n",
      "%m = arith.constant 2 : i32\n %r0 = simt.shuffle down %v, %m : TYPE\n"
      "%l = simt.lane\n %e = arith.addi %l, %m : i32\n %w = arith.constant $W : i32\n"
      "%ok = arith.cmpi ult, %e, %w : i32\n %r = arith.select %ok, %r0, %v : TYPE\n",
      "%r = simt.shuffle xor %v, %n : TYPE\n", // known at run time, uniform
      "%l = simt.lane\n %k = arith.constant 5 : i32\n %p = arith.muli %l, %k : i32\n"
      "%w = arith.constant $W : i32\n %q = arith.addi %p, %n : i32\n %at = arith.remui %q, %w : "
      "i32\n"
      "%r = simt.shuffle index %v, %at : TYPE\n",
      "%m = arith.constant 2 : i32\n %r = simt.shuffle broadcast %v, %m : TYPE\n",
      "%r = simt.shuffle broadcast %v, %n : TYPE\n",
      "%m = arith.constant 1 : i32\n %r = simt.shuffle index %v, %m : TYPE\n",
  };
  for (const char *type : {"i8", "i16", "i32", "i64", "f16", "f32", "f64"})
    check(type, ways, 64,
          std::string(type) == "i32" ? std::vector<unsigned>{} : std::vector<unsigned>{4, 32, 64});
}

TEST_CASE("ballots and votes") {
  std::string pre = "%five = arith.constant 5 : i32\n %p = arith.cmpi sgt, %v, %five : i32\n"
                    "%q = arith.cmpi sge, %v, %v : i32\n";
  std::vector<std::string> ways{
      pre + "%b = simt.ballot %p\n %c = math.ctpop %b : i64\n %t = arith.trunci %c : i64 to i32\n"
            "%h = arith.trunci %b : i64 to i32\n %r = arith.xori %t, %h : i32\n"};
  for (const char *log2 : {"0", "1", "2", "$LOG"})
    for (const char *kind : {"all", "any"})
      for (const char *name : {"p", "q"})
        ways.push_back(pre + "%t = simt.vote " + kind + " %" + name + " tile " + log2 +
                       "\n %r = arith.extui %t : i1 to i32\n");
  check("i32", ways);
  check("i32", ways, 40, {4, 32, 64}); // a partial subgroup
}

TEST_CASE("lanes that hold the same low bits") {
  std::vector<std::string> ways;
  for (const char *bits : {"1", "3", "8", "32"})
    for (const char *half :
         {"", "%by = arith.constant 32 : i64\n %m = arith.shrui %b, %by : i64\n"})
      ways.push_back(std::string("%b = simt.match %v bits ") + bits + "\n" + half +
                     "%r = arith.trunci %" + (*half ? "m" : "b") + " : i64 to i32\n");
  ways.push_back("%five = arith.constant 5 : i32\n %k = arith.andi %v, %five : i32\n"
                 "%b = simt.match %k bits 32\n %r = arith.trunci %b : i64 to i32\n");
  // Lanes that are off are in no match, though they hold the value, too.
  ways.push_back(R"(
    %three = arith.constant 3 : i32
    %off = arith.remui %i, %three : i32
    %on = arith.cmpi ne, %off, %c0 : i32
    %r = scf.if %on -> (i32) {
      %b = simt.match %v bits 2
      %t = arith.trunci %b : i64 to i32
      scf.yield %t : i32
    } else {
      scf.yield %c1 : i32
    }
  )");
  check("i32", ways);
  check("i32", ways, 40, {4, 32, 64}); // a partial subgroup
}

TEST_CASE("reductions and scans") {
  std::vector<std::string> integers{"addi", "muli", "mins", "minu", "maxs",
                                    "maxu", "andi", "ori",  "xori"};
  auto checkAll = [&](const std::string &type, const std::vector<std::string> &kinds) {
    std::vector<std::string> ways;
    for (const std::string &kind : kinds)
      for (std::string log2 : {"1", "2", "$LOG"})
        for (std::string op : {"reduce KIND %v tile LOG2 all", "scan KIND %v tile LOG2",
                               "scan KIND %v tile LOG2 exclusive"})
          ways.push_back(
              replaceAll(replaceAll("%r = simt." + op + " : TYPE\n", "KIND", kind), "LOG2", log2));
    bool isCommon = type == "i32" || type == "f32";
    check(type, ways, 64, isCommon ? std::vector<unsigned>{4, 16, 64} : std::vector<unsigned>{32});
  };
  checkAll("i32", integers);
  checkAll("i64", integers);
  checkAll("i8", {"addi", "minu"});
  checkAll("f16", {"addf", "minf", "maxf"});
  checkAll("f32", {"addf", "minf", "maxf"});
  checkAll("f64", {"addf", "mulf", "minf", "maxf"});
}

TEST_CASE("inactive lanes contribute the identity") {
  std::vector<std::string> ways;
  for (const char *kind : {"addi", "mins", "maxu", "andi"})
    for (const char *op : {"reduce KIND %v tile $LOG all", "scan KIND %v tile $LOG",
                           "scan KIND %v tile $LOG exclusive", "reduce KIND %v tile 2 all"})
      ways.push_back(replaceAll(std::string(R"(
        %limit = arith.constant 55 : i32
        %in = arith.cmpi slt, %i, %limit : i32
        %r = scf.if %in -> (i32) {
          %s = simt.)") + op + R"( : i32
          scf.yield %s : i32
        } else {
          scf.yield %c0 : i32
        }
      )",
                                "KIND", kind));
  ways.push_back(R"(
    %odd = arith.trunci %i : i32 to i1
    %r = scf.if %odd -> (i32) {
      %b = simt.ballot %true
      %all = simt.vote all %true tile $LOG
      %w = arith.extui %all : i1 to i32
      %t = arith.trunci %b : i64 to i32
      %q = arith.addi %t, %w : i32
      scf.yield %q : i32
    } else {
      scf.yield %c1 : i32
    }
  )");
  for (unsigned dim : {40u, 64u})
    check("i32", ways, dim, {4, 16, 32, 64});
}

TEST_CASE("float minima skip NaN and keep it where all are") {
  std::string text = task(32, buffer("x", "f32") + "," + buffer("y", "f32"), R"(
    %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %a = simt.reduce minf %v tile 2 all : f32
    %at = arith.muli %i, %c2 : i32
    %at1 = arith.addi %at, %c1 : i32
    simt.store %a, %y[%at] : !simt.buffer<f32, global>, i32
    %b = simt.scan maxf %v tile 2 : f32
    simt.store %b, %y[%at1] : !simt.buffer<f32, global>, i32
  )");
  std::vector<float> in(32);
  for (int i = 0; i < 32; ++i)
    in[i] = i < 8 || i % 3 == 0 ? NAN : float(i);
  compare(text, variants(), {Arg::array(in), Arg::array(std::vector<float>(64))}, 1, {4, 0});
}

TEST_CASE("subgroup operations inside loops that lanes leave at different rounds") {
  std::string text = task(64, buffer("x", "i32") + "," + buffer("y", "i32"), R"(
    %v0 = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %k = arith.constant 7 : i32
    %v = arith.andi %v0, %k : i32
    %r:2 = scf.while (%left = %v, %sum = %c0) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi sgt, %left, %c0 : i32
      scf.condition(%more) %left, %sum : i32, i32
    } do {
    ^bb0(%left: i32, %sum: i32):
      %b = simt.ballot %true
      %n = math.ctpop %b : i64
      %m = arith.trunci %n : i64 to i32
      %s = simt.scan addi %left tile $LOG : i32
      %t = arith.addi %s, %m : i32
      %u = arith.addi %sum, %t : i32
      %next = arith.subi %left, %c1 : i32
      scf.yield %next, %u : i32, i32
    }
    simt.store %r#1, %y[%i] : !simt.buffer<i32, global>, i32
  )");
  compare(text, variants(),
          {Arg::array(randoms<int32_t>(128)), Arg::array(std::vector<int32_t>(128))}, 2);
}
