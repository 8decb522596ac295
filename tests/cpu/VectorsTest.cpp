// Components of vectors in memory: one run of memory for all lanes, taken apart and put together,
// under masks, at one place and at scattered ones.
#include "tests/cpu/Kernels.h"

using namespace cputest;

/// Loads and stores `count` components at `%at * count`, in another order.
static std::string moves(unsigned count, const char *type) {
  std::string text = "%count = arith.constant " + std::to_string(count) + " : i32\n" +
                     "%base = arith.muli %at, %count overflow<nsw> : i32\n";
  for (unsigned k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    text += "%k" + n + " = arith.constant " + n + " : i32\n" + "%i" + n +
            " = arith.addi %base, %k" + n + " : i32\n" + "%v" + n + " = simt.load %x[%i" + n +
            "] : !simt.buffer<TYPE, global>, i32\n";
  }
  for (unsigned k = 0; k < count; ++k) {
    const std::string n = std::to_string(k), next = std::to_string((k + 1) % count);
    text += "%s" + n + " = arith.ADD %v" + n + ", %v" + next + " : TYPE\n";
    text += "simt.store %s" + n + ", %y[%i" + n + "] : !simt.buffer<TYPE, global>, i32\n";
  }
  return replaceAll(replaceAll(text, "ADD", type[0] == 'f' ? "addf" : "addi"), "TYPE", type);
}

static void check(const std::string &body, const char *type, unsigned dim = 96,
                  unsigned size = 1200) {
  const unsigned bytes = type[1] == '8' ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
  std::vector<uint8_t> in(size * bytes), out(size * bytes, 0x3c);
  if (type[0] == 'f') {
    const std::vector<float> values = randoms<float>(size);
    std::memcpy(in.data(), values.data(), in.size());
  } else {
    in = randoms<uint8_t>(size * bytes);
  }
  const std::string text =
      task(dim, buffer("x", type) + "," + buffer("y", type) + ", %n: i32", body);
  compare(text, inTurns(variants(), text),
          {Arg::array(in), Arg::array(out), Arg::scalar(int32_t(217))}, 3);
}

static const char *const guard = "%guard = arith.cmpi slt, %i, %n : i32\nscf.if %guard {\n"
                                 "%at = arith.addi %i, %c1 : i32\n";

TEST_CASE("components: consecutive vectors, with a tail") {
  for (unsigned count : {2u, 3u, 4u})
    for (const char *type : {"i8", "i16", "i32", "i64", "f32"})
      check(guard + moves(count, type) + "}\n", type);
}

TEST_CASE("components: every other vector") {
  for (unsigned count : {2u, 3u, 4u})
    for (const char *type : {"i8", "f32"})
      check("%twice = arith.muli %i, %c2 overflow<nsw> : i32\n"
            "%at = arith.addi %twice, %c1 overflow<nsw> : i32\n" +
                moves(count, type),
            type, 32, 192 * count); // the last one ends the array
}

TEST_CASE("components: under a mask") {
  for (unsigned count : {2u, 3u, 4u})
    for (const char *type : {"i8", "i32"})
      check(guard +
                std::string("%third = arith.constant 3 : i32\n"
                            "%rest = arith.remui %i, %third : i32\n"
                            "%some = arith.cmpi ne, %rest, %c1 : i32\nscf.if %some {\n") +
                moves(count, type) + "}\n}\n",
            type);
}

TEST_CASE("components: of one vector, and of scattered ones") {
  for (unsigned count : {2u, 3u, 4u}) {
    check("%at = arith.addi %block, %c1 : i32\n" + moves(count, "i32"), "i32");
    check("%k37 = arith.constant 37 : i32\n%k277 = arith.constant 277 : i32\n"
          "%far = arith.muli %i, %k37 : i32\n%at = arith.remui %far, %k277 : i32\n"
          "%below = arith.cmpi slt, %i, %n : i32\nscf.if %below {\n" +
              moves(count, "i32") + "}\n",
          "i32");
  }
}

TEST_CASE("components: one array is both, and a part is left alone") {
  // Stores of two components of three; loads after them see them.
  check(guard + std::string(R"(
      %three = arith.constant 3 : i32
      %base = arith.muli %at, %three overflow<nsw> : i32
      %i1 = arith.addi %base, %c1 : i32
      %i2 = arith.addi %base, %c2 : i32
      simt.store %i, %y[%base] : !simt.buffer<i32, global>, i32
      simt.store %at, %y[%i2] : !simt.buffer<i32, global>, i32
      %a = simt.load %y[%base] : !simt.buffer<i32, global>, i32
      %b = simt.load %y[%i1] : !simt.buffer<i32, global>, i32
      %c = simt.load %y[%i2] : !simt.buffer<i32, global>, i32
      %ab = arith.subi %a, %b : i32
      %abc = arith.muli %ab, %c : i32
      simt.store %abc, %y[%i1] : !simt.buffer<i32, global>, i32
    })"),
        "i32");
}
