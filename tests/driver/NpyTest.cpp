// .npy files: NumPy's own bytes, round trips, and every way to be malformed.
#include "driver/host/Npy.h"
#include "driver/Environment.h"
#include "tests/support/Catch.h"

using namespace sextant;

namespace {

/// A file around `header`, padded as NumPy pads.
std::string file(std::string header, const std::string &data, char major = 1) {
  size_t fixed = major == 1 ? 10 : 12;
  while ((fixed + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += major;
  bytes += '\0';
  for (size_t index = 0; index < fixed - 8; ++index)
    bytes += static_cast<char>(header.size() >> (8 * index) & 0xff);
  return bytes + header + data;
}

std::string refusal(const std::string &bytes) {
  try {
    parseNpy(bytes, "a.npy");
  } catch (const Refusal &refusal) {
    return refusal.what();
  }
  return "";
}

} // namespace

TEST_CASE("npy: round trip of every type", "[npy]") {
  for (const char *type :
       {"u1", "i8", "u8", "i16", "u16", "f16", "i32", "u32", "f32", "i64", "u64", "f64"}) {
    HostArray array{type, {3, 2}, std::string(6 * elementSize(type), '\1')};
    std::string bytes = formatNpy(array);
    HostArray back = parseNpy(bytes, "a.npy");
    CHECK(back.type == array.type);
    CHECK(back.shape == array.shape);
    CHECK(back.bytes == array.bytes);
  }
}

TEST_CASE("npy: the bytes that NumPy writes", "[npy]") {
  // numpy.save of numpy.array([1, 2, 3], dtype=numpy.int16)
  std::string expected = "\x93NUMPY\x01";
  expected += '\0';
  expected += "v";
  expected += '\0';
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  expected += header + "\n" + std::string("\1\0\2\0\3\0", 6);
  CHECK(parseNpy(expected, "a.npy").shape == std::vector<int64_t>{3});
  CHECK(parseNpy(formatNpy({"i16", {3}, std::string("\1\0\2\0\3\0", 6)}), "a").bytes ==
        std::string("\1\0\2\0\3\0", 6));
}

TEST_CASE("npy: scalars, empty arrays, versions 2 and 3, quotes", "[npy]") {
  CHECK(parseNpy(file("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "abcd"), "a")
            .shape.empty());
  CHECK(parseNpy(file("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 5), }", ""), "a")
            .bytes.empty());
  for (char major : {2, 3})
    CHECK(parseNpy(file("{\"descr\": \"|u1\", 'fortran_order':False,'shape':(2L,)}", "ab", major),
                   "a")
              .bytes == "ab");
  CHECK(
      parseNpy(file("{'descr': '<b1', 'fortran_order': False, 'shape': (1,), }", "\1"), "a").type ==
      "u1");
}

TEST_CASE("npy: bytes of a type that NumPy lacks are of the type that is wanted", "[npy]") {
  const auto typeOf = [](const std::string &descr, const char *wanted) {
    return parseNpy(file("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,), }",
                         descr.back() == '2' ? "ab" : "a"),
                    "a", wanted)
        .type;
  };
  for (const char *descr : {"|V1", "<V1"})
    for (const char *type : {"f8e4m3", "f8e5m2"})
      CHECK(typeOf(descr, type) == type);
  CHECK(typeOf("<V2", "bf16") == "bf16");
  CHECK(typeOf("<f1", "f8e4m3") == "f8e5m2"); // ml_dtypes says so
  CHECK(typeOf("|u1", "f8e4m3") == "u8");
  const HostArray eight = {"f8e4m3", {1}, "a"};
  CHECK(parseNpy(formatNpy(eight), "a", "f8e4m3").type == "f8e4m3");
}

TEST_CASE("npy: Fortran order is transposed", "[npy]") {
  HostArray array =
      parseNpy(file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "adbecf"), "a");
  CHECK(array.bytes == "abcdef");
}

TEST_CASE("npy: malformed files", "[npy]") {
  std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  CHECK(refusal("hello") == "cannot use 'a.npy' as an array: it is not a .npy file");
  CHECK(refusal("") == "cannot use 'a.npy' as an array: it is not a .npy file");
  std::string whole = file(good, "abcd");
  for (size_t size = 6; size < whole.size(); ++size)
    CHECK(!refusal(whole.substr(0, size)).empty());
  CHECK(refusal(whole + "x").find("needs 4 bytes of elements, but it holds 5") !=
        std::string::npos);
  CHECK(refusal(file(good, "abcd", 9)).find("version 9") != std::string::npos);
  auto header = [](const std::string &text) { return refusal(file(text, "abcd")); };
  CHECK(header("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }").find("big-endian") !=
        std::string::npos);
  CHECK(header("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }").find("'<c8'") !=
        std::string::npos);
  CHECK(header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }")
            .find("records") != std::string::npos);
  CHECK(header("{'fortran_order': False, 'shape': (1,), }").find("lacks") != std::string::npos);
  CHECK(header("{'descr': '<f4', 'order': False, 'shape': (1,), }").find("'order'") !=
        std::string::npos);
  CHECK(header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }").find("malformed") !=
        std::string::npos);
  CHECK(!header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }")
             .empty());
  CHECK(!header("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }")
             .empty());
  CHECK(!header("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }").empty());
  CHECK(!header("{'descr': '<f4").empty());
  CHECK(!header("garbage").empty());
}
