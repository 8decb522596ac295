// Memory: copies, fills, mappings, fields.
#include "tests/loader/contract/Contract.h"

#include <algorithm>

using namespace sextant;
using namespace sextant::test;

TEST_CASE("fields by name", "[runs]") {
  Fixture f;
  std::vector<float> values(12);
  f.program.read("table", std::span<float>(values));
  CHECK(values == std::vector<float>(12, 0.0f)); // zero at first
  std::iota(values.begin(), values.end(), 1.0f);
  f.program.write("table", std::span<const float>(values));
  f.program.kernel("scale_table")(f.stream, 0.5f);
  std::vector<float> scaled(12);
  f.program.read("table", std::span<float>(scaled));
  for (size_t i = 0; i < 12; ++i)
    CHECK(scaled[i] == 0.5f * values[i]);
  ArrayView<float, 2> view = f.program.global<float, 2>("table");
  CHECK(view.shape == std::array<int64_t, 2>{3, 4});
}

TEST_CASE("copies of any size, at any place") {
  Fixture f;
  // The whole, a part at odd offsets, one byte, none.
  std::vector<unsigned char> bytes(1001), back(1001);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(i * 7 + i / 256);
  Buffer a(f.device, bytes.size()), b(f.device, bytes.size());
  check(sxt_buffer_write(a.get(), 0, bytes.data(), bytes.size(), nullptr));
  check(sxt_buffer_copy(b.get(), 0, a.get(), 0, bytes.size(), nullptr));
  check(sxt_buffer_copy(b.get(), 401, a.get(), 3, 257, nullptr));
  check(sxt_buffer_copy(b.get(), 1000, a.get(), 0, 1, nullptr));
  check(sxt_buffer_copy(b.get(), 1001, a.get(), 0, 0, nullptr));
  check(sxt_buffer_read(b.get(), 0, back.data(), back.size(), nullptr));
  std::vector<unsigned char> expected = bytes;
  std::copy_n(bytes.begin() + 3, 257, expected.begin() + 401);
  expected[1000] = bytes[0];
  CHECK(back == expected);
  // Within one buffer, side by side.
  check(sxt_buffer_copy(a.get(), 100, a.get(), 0, 100, nullptr));
  check(sxt_buffer_read(a.get(), 100, back.data(), 100, nullptr));
  CHECK(std::equal(back.begin(), back.begin() + 100, bytes.begin()));
}

TEST_CASE("fills with patterns of one, two and four bytes") {
  Fixture f;
  const std::vector<int> values = iota(256);
  Array<int> a(f.device, std::span<const int>(values));
  const uint8_t one = 0x5a;
  const uint16_t two = 0xabcd;
  const uint32_t four = 0x01234567;
  check(sxt_buffer_fill(a.buffer().get(), 9, 3, &one, 1, nullptr));
  check(sxt_buffer_fill(a.buffer().get(), 22, 6, &two, 2, nullptr));
  check(sxt_buffer_fill(a.buffer().get(), 1020, 4, &four, 4, nullptr));
  std::vector<int> expected = values;
  expected[2] = 0x5a5a5a02;
  expected[5] = int(0xabcd0005u);
  expected[6] = int(0xabcdabcdu);
  expected[255] = 0x01234567;
  CHECK(a.read() == expected);
}

TEST_CASE("copies of a stream are in order, and none waits for the host") {
  Fixture f;
  Stream stream = f.device.createStream();
  const std::vector<int> first = iota(5000), second(5000, -3);
  std::vector<int> early(5000), late(5000);
  Buffer a(f.device, 20000), b(f.device, 20000);
  check(sxt_buffer_write_async(a.get(), 0, first.data(), 20000, stream.get()));
  check(sxt_buffer_copy(b.get(), 0, a.get(), 0, 20000, stream.get()));
  check(sxt_buffer_read_async(b.get(), 0, early.data(), 20000, stream.get()));
  check(sxt_buffer_write_async(a.get(), 0, second.data(), 20000, stream.get()));
  check(sxt_buffer_copy(b.get(), 0, a.get(), 0, 20000, stream.get()));
  check(sxt_buffer_read_async(b.get(), 0, late.data(), 20000, stream.get()));
  stream.synchronize();
  CHECK(early == first);
  CHECK(late == second);
}

TEST_CASE("a mapping shows the buffer, and its changes go there") {
  Fixture f;
  const std::vector<int> values = iota(256);
  Array<int> a(f.device, std::span<const int>(values));
  void *mapped = nullptr;
  check(sxt_buffer_map(a.buffer().get(), &mapped));
  CHECK(static_cast<int *>(mapped)[100] == 100);
  static_cast<int *>(mapped)[100] = -5;
  check(sxt_buffer_unmap(a.buffer().get()));
  CHECK(a.read()[99] == 99);
  CHECK(a.read()[100] == -5);
}

TEST_CASE("part of a buffer is an array, and its memory wrapped is a buffer", "[runs]") {
  Fixture f;
  const std::vector<int> values = iota(256);
  Array<int> a(f.device, std::span<const int>(values));
  ArrayView<int> tail{a.buffer().get(), {16}, 240 * 4};
  f.program.kernel("bump")(f.stream, tail);
  Buffer wrapped = Buffer::wrap(f.device, a.buffer().address() + 239 * 4, 3 * 4);
  int three[3];
  check(sxt_buffer_read(wrapped.get(), 0, three, sizeof three, nullptr));
  CHECK(three[0] == 239);
  CHECK(three[1] == 241);
  CHECK(three[2] == 242);
}

TEST_CASE("copies of many megabytes") {
  Fixture f;
  std::vector<int> values = iota(15 << 20); // 60 MiB and a bit
  values.push_back(-1);
  Array<int> a(f.device, std::span<const int>(values)), b(f.device, int64_t(values.size()));
  check(sxt_buffer_copy(b.buffer().get(), 0, a.buffer().get(), 0, values.size() * 4, nullptr));
  CHECK(b.read() == values);
}
