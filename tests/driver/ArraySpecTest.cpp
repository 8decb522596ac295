// Array texts of `sextant run`.
#include "driver/host/ArraySpec.h"
#include "driver/Environment.h"
#include "tests/support/Catch.h"

#include <cstring>

using namespace sextant;

namespace {

WantedArray wanted(const std::string &type, unsigned ndim = 1) { return {"a", type, ndim, {}}; }

std::string shown(const std::string &text, const WantedArray &want) {
  std::optional<HostArray> array = parseArraySpec(text, want);
  REQUIRE(array);
  return formatArray(*array);
}

std::string refusal(const std::string &text, const WantedArray &want) {
  try {
    parseArraySpec(text, want);
  } catch (const Refusal &refusal) {
    return refusal.what();
  }
  return "";
}

} // namespace

TEST_CASE("specs fill arrays", "[run]") {
  CHECK(shown("zeros:f32[3]", wanted("f32")) == "[0, 0, 0]");
  CHECK(shown("zeros[2]", wanted("f64")) == "[0, 0]");
  CHECK(shown("iota:i32[4]", wanted("i32")) == "[0, 1, 2, 3]");
  CHECK(shown("iota:5:-2:i8[4]", wanted("i8")) == "[5, 3, 1, -1]");
  CHECK(shown("iota:250:u8[8]", wanted("u8")) == "[250, 251, 252, 253, 254, 255, 0, 1]");
  CHECK(shown("iota:0.5:0.25:f32[3]", wanted("f32")) == "[0.5, 0.75, 1]");
  CHECK(shown("const:-1.5:f16[2]", wanted("f16")) == "[-1.5, -1.5]");
  CHECK(shown("const:0xffffffffffffffff:u64[1]", wanted("u64")) == "[18446744073709551615]");
  CHECK(shown("const:-9223372036854775808:i64[1]", wanted("i64")) == "[-9223372036854775808]");
  CHECK(shown("const:true:u1[2]", wanted("u1")) == "[true, true]");
  CHECK(shown("iota:i32[2,3]", wanted("i32", 2)) == "[[0, 1, 2], [3, 4, 5]]");
  CHECK(shown("iota:i32[2x3]", wanted("i32", 2)) == "[[0, 1, 2], [3, 4, 5]]");
  CHECK(shown("zeros:f32[0]", wanted("f32")) == "[]");
}

TEST_CASE("an array of no dimensions is one element, with or without brackets", "[run]") {
  CHECK(shown("const:1.5:f32[]", wanted("f32", 0)) == "1.5");
  CHECK(shown("const:-7", wanted("i64", 0)) == "-7");
  CHECK(shown("iota:3:i8", wanted("i8", 0)) == "3");
  CHECK(shown("iota:3[]", {"a", "i8", 0, {2}}) == "[3, 4]");
  CHECK(refusal("zeros[1]", wanted("f32", 0)) == "a: the kernel takes 0 extents, 'zeros[1]' has 1");
  CHECK(refusal("zeros[]", wanted("f32")).find("is not an extent") != std::string::npos);
  CHECK(refusal("zeros", wanted("f32")).find("lacks its extents") != std::string::npos);
}

TEST_CASE("an array that is too large is an error that says so", "[run]") {
  CHECK(refusal("zeros:u8[2147483660]", wanted("u8")) ==
        "a: the extent 2147483660 of 'zeros:u8[2147483660]' is larger than 2147483647");
  CHECK(refusal("zeros[99999999999999999999]", wanted("u8")).find("is larger than 2147483647") !=
        std::string::npos);
  CHECK(refusal("zeros[2147483647,16384]", wanted("u8", 2)).find("a takes 35184372072448 bytes") ==
        0);
}

TEST_CASE("long axes are shortened", "[run]") {
  std::string text = shown("iota:i32[1000]", wanted("i32"));
  CHECK(text == "[0, 1, 2, 3, 4, 5, 6, 7, …, 992, 993, 994, 995, 996, 997, 998, 999]");
}

TEST_CASE("random arrays are the same each time and in range", "[run]") {
  std::optional<HostArray> first = parseArraySpec("random:f32[1000]", wanted("f32"));
  CHECK(first->bytes == parseArraySpec("random:f32[1000]", wanted("f32"))->bytes);
  CHECK(first->bytes != parseArraySpec("random:2:f32[1000]", wanted("f32"))->bytes);
  double sum = 0;
  for (size_t index = 0; index < 1000; ++index) {
    float value;
    std::memcpy(&value, first->bytes.data() + 4 * index, 4);
    CHECK((value >= 0 && value < 1));
    sum += value;
  }
  CHECK(sum / 1000 == Approx(0.5).margin(0.05));
  std::string flags = parseArraySpec("random:u1[100]", wanted("u1"))->bytes;
  for (char value : flags)
    CHECK((value == 0 || value == 1));
}

TEST_CASE("random bits are all of them", "[run]") {
  // The first numbers of splitmix64 from the seed's state, computed apart.
  CHECK(shown("bits:u64[2]", wanted("u64")) == "[4926979638899482680, 7297445957568824363]");
  CHECK(shown("bits:i8[2]", wanted("i8")) == "[56, 43]");
  const std::string bytes = parseArraySpec("bits:7:i32[1000]", wanted("i32"))->bytes;
  for (unsigned bit = 0; bit < 32; ++bit) {
    int ones = 0;
    for (size_t index = 0; index < 1000; ++index)
      ones += bytes[index * 4 + bit / 8] >> bit % 8 & 1;
    CHECK(ones == Approx(500).margin(80)); // five standard deviations
  }
  const std::string flags = parseArraySpec("bits:u1[100]", wanted("u1"))->bytes;
  for (char value : flags)
    CHECK((value == 0 || value == 1));
}

TEST_CASE("elements of vectors and matrices", "[run]") {
  WantedArray vectors{"a", "i32", 1, {3}};
  CHECK(shown("iota:i32[2]", vectors) == "[[0, 1, 2], [3, 4, 5]]");
}

TEST_CASE("texts that are not specs, and what is wrong with specs", "[run]") {
  CHECK(!parseArraySpec("input.npy", wanted("f32")));
  CHECK(!refusal("zeros:f32", wanted("f32")).empty());
  CHECK(!refusal("zeros:f64[3]", wanted("f32")).empty());
  CHECK(!refusal("zeros:f32[3,4]", wanted("f32")).empty());
  CHECK(!refusal("zeros:f32[-3]", wanted("f32")).empty());
  CHECK(!refusal("zeros:f32[]", wanted("f32")).empty());
  CHECK(!refusal("zeros:f32[99999999999]", wanted("f32")).empty());
  CHECK(!refusal("const:f32[3]", wanted("f32")).empty());
  CHECK(!refusal("const:abc:f32[3]", wanted("f32")).empty());
  CHECK(!refusal("const:300:u8[3]", wanted("u8")).empty());
  CHECK(!refusal("const:-1:u8[3]", wanted("u8")).empty());
  CHECK(!refusal("const:1.5:i32[3]", wanted("i32")).empty());
  CHECK(!refusal("zeros:f32[2000000000x2000000000]", wanted("f32", 2)).empty());
}

TEST_CASE("scalars and matrices as text", "[run]") {
  CHECK(encodeScalar("-3", "i32", "n") == std::string("\xfd\xff\xff\xff", 4));
  CHECK(encodeScalar("1", "f32", "n") == std::string("\0\0\x80\x3f", 4));
  CHECK(encodeScalar("65504", "f16", "n") == std::string("\xff\x7b", 2));
  CHECK(encodeScalar("65520", "f16", "n") == std::string("\0\x7c", 2));
  CHECK(encodeScalar("5.960464477539063e-08", "f16", "n") == std::string("\1\0", 2));
  CHECK(encodeScalar("inf", "f16", "n") == std::string("\0\x7c", 2));
  CHECK(formatElement("\1\0", "f16") == "5.9604645e-08");
  CHECK_THROWS_AS(encodeScalar("2147483648", "i32", "n"), Refusal);
  CHECK_THROWS_AS(encodeScalar("", "i32", "n"), Refusal);
  CHECK_THROWS_AS(encodeScalar("1x", "f32", "n"), Refusal);
  CHECK_THROWS_AS(encodeScalar("--1", "f32", "n"), Refusal);
  CHECK(encodeMatrix("[1, 2, 3]", "i8", 3, "v") == "\1\2\3");
  CHECK(encodeMatrix("1,2,3,4", "u8", 4, "v") == "\1\2\3\4");
  CHECK_THROWS_AS(encodeMatrix("1,2", "u8", 3, "v"), Refusal);
}
