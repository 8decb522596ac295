// Updates at data-dependent places, in calls that are long enough for a table: few places, as many
// as the table has, more, and so many that it is given up; places that share an entry.
#include "tests/cpu/Kernels.h"

using namespace cputest;

static void check(const std::string &type, const std::string &kind, uint32_t places, uint32_t apart,
                  const std::string &index = "i32", bool isMasked = false, unsigned dim = 96) {
  std::string op = "%v = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32\n"
                   "%word = simt.load %at[%i] : !simt.buffer<i32, global>, i32\n";
  op += index == "i64" ? "%place = arith.extsi %word : i32 to i64\n"
                       : "%place = arith.addi %word, %c0 : i32\n";
  const std::string update = "%old = simt.atomic_rmw " + kind +
                             " %v, %y[%place] : !simt.buffer<TYPE, global>, " + index + "\n";
  op +=
      isMasked ? "%odd = arith.trunci %word : i32 to i1\nscf.if %odd {\n" + update + "}\n" : update;
  const std::string body = "%guard = arith.cmpi slt, %i, %n : i32\nscf.if %guard {\n" + op + "}\n";
  const unsigned count = 9001, grid = (count + dim - 1) / dim;
  std::vector<int32_t> at(count);
  std::vector<uint32_t> random = randoms<uint32_t>(count, places);
  for (unsigned i = 0; i < count; ++i)
    at[i] = int32_t(random[i] % places * apart);
  const unsigned bytes = type == "i64" ? 8 : type == "i16" ? 2 : type == "i8" ? 1 : 4;
  Arg in = Arg::array(randoms<uint8_t>(count * bytes));
  Tolerance tolerance;
  if (type == "f32") { // whole numbers, whose sums are exact in any order
    std::vector<float> whole(count);
    for (unsigned i = 0; i < count; ++i)
      whole[i] = float(int(i * 7 % 19) - 9);
    in = Arg::array(whole);
    tolerance = {4, 0};
  }
  compare(
      task(dim,
           buffer("x", type) + "," + buffer("at", "i32") + "," + buffer("y", type) + ", %n: i32",
           replaceAll(body, "TYPE", type)),
      variants({32}),
      {in, Arg::array(at), Arg::array(std::vector<uint8_t>(size_t(places) * apart * bytes)),
       Arg::scalar(int32_t(count))},
      grid, tolerance);
}

TEST_CASE("tallies: few places, many, and places that share an entry") {
  for (uint32_t places : {1u, 3u, 256u, 257u, 4096u, 5000u, 8990u})
    check("i32", "addi", places, 1);
  check("i32", "addi", 7, 4096);
  check("i32", "addi", 30, 1024);
  check("i32", "addi", 30000, 1);  // the table is given up
  check("i32", "addi", 600, 1000); // no table: far apart
}

TEST_CASE("tallies: operators, types, indices and masks") {
  for (const char *kind : {"addi", "mins", "maxu", "andi", "ori", "xori", "muli"})
    check("i32", kind, 100, 3);
  check("i64", "addi", 500, 2);
  check("i8", "addi", 500, 2);
  check("i16", "maxs", 500, 2);
  check("f32", "addf", 500, 2);
  check("f32", "maxf", 500, 2);
  check("i32", "addi", 500, 2, "i64");
  check("i32", "xori", 500, 2, "i32", true);
  check("i64", "maxs", 5000, 1, "i64", true, 128);
  check("i32", "addi", 9, 3000, "i32", true); // beyond the table of first places
  check("i32", "ori", 20000, 2, "i32", true);
}

TEST_CASE("tallies: two arrays, and a place that all update") {
  std::vector<int32_t> at = randoms<int32_t>(9001, 5);
  for (int32_t &each : at)
    each = int32_t(uint32_t(each) % 700);
  compare(
      task(128,
           buffer("at", "i32") + "," + buffer("y", "i32") + "," + buffer("z", "i32") + ", %n: i32",
           R"(
    %guard = arith.cmpi slt, %i, %n : i32
    scf.if %guard {
      %place = simt.load %at[%i] : !simt.buffer<i32, global>, i32
      %a = simt.atomic_rmw addi %i, %y[%place] : !simt.buffer<i32, global>, i32
      %next = arith.addi %place, %c1 : i32
      %b = simt.atomic_rmw addi %c2, %z[%next] : !simt.buffer<i32, global>, i32
      %c = simt.atomic_rmw addi %place, %z[%c0] : !simt.buffer<i32, global>, i32
      %d = simt.atomic_rmw addi %c1, %y[%c0] : !simt.buffer<i32, global>, i32
    }
  )"),
      variants({32}),
      {Arg::array(at), Arg::array(std::vector<int32_t>(701)), Arg::array(std::vector<int32_t>(701)),
       Arg::scalar(int32_t(9001))},
      71);
}
