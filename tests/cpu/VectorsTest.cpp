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

TEST_CASE("components: every third and fourth vector, with a tail") {
  for (unsigned apart : {3u, 4u})
    for (unsigned count : {2u, 3u, 4u})
      for (const char *type : {"i8", "i16", "i64", "f32"})
        check("%n71 = arith.constant 71 : i32\n%guard = arith.cmpi slt, %i, %n71 : i32\n"
              "scf.if %guard {\n%apart = arith.constant " +
                  std::to_string(apart) +
                  " : i32\n%far = arith.muli %i, %apart overflow<nsw> : i32\n"
                  "%at = arith.addi %far, %c1 overflow<nsw> : i32\n" +
                  moves(count, type) + "}\n",
              type, 32, (70 * apart + 2) * count); // the last one ends the array
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

/// `y[at] = x[at] * factor + y[at]`, each component with a factor of its own.
static std::string alike(unsigned count, const char *type, const std::string &factor) {
  const bool isReal = type[0] == 'f';
  std::string text = "%count = arith.constant " + std::to_string(count) + " : i32\n" +
                     "%base = arith.muli %at, %count overflow<nsw> : i32\n";
  for (unsigned k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    text += "%k" + n + " = arith.constant " + n + " : i32\n%i" + n + " = arith.addi %base, %k" + n +
            " : i32\n%v" + n + " = simt.load %x[%i" + n +
            "] : !simt.buffer<TYPE, global>, i32\n%w" + n + " = simt.load %y[%i" + n +
            "] : !simt.buffer<TYPE, global>, i32\n%g" + n + " = arith.addi " +
            (factor == "own" ? "%n, %k" + n : factor + ", %c1") + " : i32\n%f" + n + " = arith." +
            (isReal ? "sitofp %g" + n + " : i32 to TYPE" : "muli %g" + n + ", %c2 : i32") + "\n%p" +
            n + " = arith.MUL %v" + n + ", %f" + n + " : TYPE\n";
  }
  for (unsigned k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    text += "%s" + n + " = arith.ADD %p" + n + ", %w" + n + " : TYPE\nsimt.store %s" + n +
            ", %y[%i" + n + "] : !simt.buffer<TYPE, global>, i32\n";
  }
  text = replaceAll(replaceAll(text, "MUL", isReal ? "mulf" : "muli"), "ADD",
                    isReal ? "addf" : "addi");
  return replaceAll(text, "TYPE", type);
}

TEST_CASE("components: computed alike, with factors of all lanes, of each and of each component") {
  for (unsigned count : {2u, 3u, 4u})
    for (const char *type : {"i32", "f32"})
      for (const char *factor : {"%n", "%i", "own"}) {
        check(guard + alike(count, type, factor) + "}\n", type);
        check(guard +
                  std::string("%odd = arith.andi %i, %c1 : i32\n"
                              "%p = arith.cmpi eq, %odd, %c1 : i32\nscf.if %p {\n") +
                  alike(count, type, factor) + "}\n}\n",
              type);
      }
}

// Loads before a barrier are another run than those after it.
TEST_CASE("components: computed alike past a barrier") {
  std::string text = alike(4, "f32", "%n");
  const size_t stores = text.find("%s0 =");
  text.insert(stores, "simt.barrier\n");
  std::vector<float> in = randoms<float>(1200), out = randoms<float>(1200, 2);
  compare(task(96, buffer("x", "f32") + "," + buffer("y", "f32") + ", %n: i32",
               "%at = arith.addi %i, %c1 : i32\n" + text, /*fullBlocks=*/true),
          variants({32}), {Arg::array(in), Arg::array(out), Arg::scalar(int32_t(5))}, 3);
}

TEST_CASE("components: vectors that are computed alike are not taken apart") {
  const std::string text = task(128, buffer("x", "f32") + "," + buffer("y", "f32") + ", %n: i32",
                                "%at = arith.addi %i, %c1 : i32\n" + alike(4, "f32", "%n"));
  for (const char *arch : {"x86-64-v3", "x86-64-v4"}) {
    const std::string code = assembly(text, {arch, 32});
    INFO(code);
    CHECK(code.find("vfmadd") != std::string::npos);
    CHECK(code.find("vperm") == std::string::npos);
    CHECK(code.find("vunpck") == std::string::npos);
  }
}

// A subgroup's 32 vectors are taken apart and put together eight at a time, by twelve shuffles.
TEST_CASE("components: as few shuffles on AVX2 as vectors of eight lanes take") {
  const std::string body = "%w = simt.shuffle xor %i, %c1 : i32\n%at = arith.addi %i, %c1 : i32\n"
                           "simt.store %w, %z[%i] : !simt.buffer<i32, global>, i32\n" +
                           moves(4, "f32");
  const std::string params =
      buffer("x", "f32") + "," + buffer("y", "f32") + "," + buffer("z", "i32");
  const std::string code = assembly(task(128, params, body), {"x86-64-v3", 32});
  INFO(code);
  unsigned shuffles = 0;
  for (const char *name : {"vunpck", "vperm", "vshuf", "vinsert", "vblend", "vextract"})
    for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1))
      ++shuffles;
  CHECK(shuffles <= 32 / 8 * (12 + 12));
}
