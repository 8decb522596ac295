// Rows of frames and the records of Windows for them, worked out by hand from Microsoft's page.
#include "loader/system/UnwindRecords.h"

#include "tests/support/Catch.h"

#include <cstring>

using namespace sextant::system;

namespace {

// Numbers of DWARF.
constexpr uint64_t rax = 0, rbx = 3, rbp = 6, rsp = 7, r11 = 11, r15 = 15;
constexpr uint64_t place = 0x20000;

CallFrameRow row(uint32_t begin, uint32_t end, uint64_t base, int64_t offset,
                 std::initializer_list<std::pair<uint64_t, int64_t>> saved = {}) {
  CallFrameRow made;
  made.begin = begin;
  made.end = end;
  made.base = base;
  made.offset = offset;
  for (auto [number, at] : saved)
    made.saved[number] = at;
  return made;
}

using Bytes = std::vector<int>;

/// The bytes of a record from its version up to what it is chained to.
Bytes recordOf(const UnwindRecords &made, size_t function) {
  const uint64_t at = made.functions[function].record - place;
  auto byte = [&](uint64_t number) { return std::to_integer<int>(made.records.at(at + number)); };
  Bytes bytes;
  for (uint64_t i = 0; i < 4 + 2 * uint64_t(byte(2)); ++i)
    bytes.push_back(byte(i));
  return bytes;
}

/// The function that a record is chained to.
UnwindFunction chainOf(const UnwindRecords &made, size_t function) {
  const uint64_t at = made.functions[function].record - place;
  const auto words = std::to_integer<uint64_t>(made.records.at(at + 2));
  UnwindFunction chain;
  const uint64_t behind = at + 4 + (words + 1) / 2 * 4;
  REQUIRE(behind + sizeof chain <= made.records.size());
  std::memcpy(&chain, made.records.data() + behind, sizeof chain);
  return chain;
}

UnwindRecords recordsOf(const CallFrame &rows) { return unwindRecords({&rows, 1}, place); }

/// The record of a row of a function that begins plainly.
Bytes describe(const CallFrameRow &of) {
  const UnwindRecords made = recordsOf({row(of.begin - 1, of.begin, rsp, 8), of});
  return made.functions.empty() ? Bytes() : recordOf(made, 1);
}

} // namespace

TEST_CASE("a function that pushes two registers and takes 1032 bytes") {
  const UnwindRecords made = recordsOf({row(0x1000, 0x1001, rsp, 8), row(0x1001, 0x1002, rsp, 16),
                                        row(0x1002, 0x1009, rsp, 24),
                                        row(0x1009, 0x10d1, rsp, 1056, {{rbx, -24}, {rbp, -16}}),
                                        row(0x10d1, 0x10d2, rsp, 24, {{rbx, -24}, {rbp, -16}}),
                                        row(0x10d2, 0x10d3, rsp, 16, {{rbx, -24}, {rbp, -16}}),
                                        row(0x10d3, 0x10d4, rsp, 8, {{rbx, -24}, {rbp, -16}})});
  REQUIRE(made.functions.size() == 7);
  CHECK(made.functions[3].begin == 0x1009);
  CHECK(made.functions[3].end == 0x10d1);
  // Version, length of the prologue, words, base; then each word's low byte is zero.
  CHECK(recordOf(made, 0) == Bytes{0x01, 0, 0, 0});
  CHECK(recordOf(made, 1) == Bytes{0x21, 0, 1, 0, 0, 0x02});
  CHECK(recordOf(made, 2) == Bytes{0x21, 0, 1, 0, 0, 0x12});
  // rbx is 1032 bytes above the stack pointer, rbp 1040, and the return address 1048.
  CHECK(recordOf(made, 3) ==
        Bytes{0x21, 0, 6, 0, 0, 0x34, 129, 0, 0, 0x54, 130, 0, 0, 0x01, 131, 0});
  CHECK(recordOf(made, 4) == Bytes{0x21, 0, 5, 0, 0, 0x34, 0, 0, 0, 0x54, 1, 0, 0, 0x12});
  // rbx has been popped, and then rbp.
  CHECK(recordOf(made, 5) == Bytes{0x21, 0, 3, 0, 0, 0x54, 0, 0, 0, 0x02});
  CHECK(recordOf(made, 6) == Bytes{0x21, 0, 0, 0});
  for (size_t i = 1; i < made.functions.size(); ++i) {
    const UnwindFunction chain = chainOf(made, i);
    CHECK(chain.begin == 0x1000);
    CHECK(chain.end == 0x1001);
    CHECK(chain.record == made.functions[0].record);
  }
}

TEST_CASE("a frame that a register finds") {
  // rbp points to its old value. The base lies 48 bytes below, at or below the lowest register.
  CHECK(describe(row(16, 32, rbp, 16, {{rbp, -16}, {rbx, -56}})) ==
        Bytes{0x21, 0, 6, 0x35, 0, 0x03, 0, 0x34, 1, 0, 0, 0x54, 6, 0, 0, 0x62});
  // Nothing is saved below.
  CHECK(describe(row(16, 32, rbp, 16, {{rbp, -16}})) ==
        Bytes{0x21, 0, 4, 0x05, 0, 0x03, 0, 0x54, 0, 0, 0, 0x02});
  // The register that a loop of probes compares with, far below.
  CHECK(describe(row(16, 32, r11, 98328)) == Bytes{0x21, 0, 3, 0x0b, 0, 0x03, 0, 0x01, 0x02, 0x30});
  CHECK(describe(row(16, 32, rbp, 16, {{r15, -16 - 240}})) ==
        Bytes{0x21, 0, 5, 0xf5, 0, 0x03, 0, 0xf4, 0, 0, 0, 0x01, 31, 0});
}

TEST_CASE("sizes of frames") {
  CHECK(describe(row(16, 32, rsp, 136)) == Bytes{0x21, 0, 1, 0, 0, 0xf2});
  CHECK(describe(row(16, 32, rsp, 144)) == Bytes{0x21, 0, 2, 0, 0, 0x01, 17, 0});
  CHECK(describe(row(16, 32, rsp, 0x80000)) == Bytes{0x21, 0, 2, 0, 0, 0x01, 0xff, 0xff});
  CHECK(describe(row(16, 32, rsp, 0x80008)) == Bytes{0x21, 0, 3, 0, 0, 0x11, 0, 0, 8, 0});
  CHECK(describe(row(16, 32, rsp, 0x600000, {{rbx, -16}})) ==
        Bytes{0x21, 0, 6, 0, 0, 0x35, 0xf0, 0xff, 0x5f, 0, 0, 0x11, 0xf8, 0xff, 0x5f, 0});
}

TEST_CASE("equal rows of a function share a record") {
  const UnwindRecords made = recordsOf({row(0, 1, rsp, 8), row(1, 2, rsp, 16), row(2, 9, rsp, 24),
                                        row(9, 10, rsp, 16), row(10, 11, rsp, 8)});
  REQUIRE(made.functions.size() == 5);
  CHECK(made.functions[1].record == made.functions[3].record);
  CHECK(made.functions[4].record != made.functions[0].record); // which is chained to none
  CHECK(made.records.size() == 4 + 20 + 20 + 16);
}

TEST_CASE("what has no record leaves out its function alone") {
  const CallFrameRow none[] = {
      row(16, 32, rax, 16),                     // not a base
      row(16, 32, rsp, 0),                      // the return address would be below
      row(16, 32, rsp, 20),                     // no whole words
      row(16, 32, rsp, 32, {{rbx, -17}}),       //
      row(16, 32, rbp, 16, {{r15, -16 - 248}}), // too far below
      row(16, 32, rsp, int64_t(1) << 33),       // too large
      row(16, 32, rbp, 16, {{r15, 1LL << 33}}), //
  };
  for (const CallFrameRow &bad : none)
    CHECK(describe(bad).empty());
  CHECK(recordsOf({row(0, 4, rsp, 16)}).functions.empty()); // does not begin plainly
  const CallFrame frames[] = {
      {row(0, 4, rsp, 8)}, {row(4, 8, rsp, 8), row(8, 12, rax, 16)}, {row(12, 16, rsp, 8)}};
  const UnwindRecords made = unwindRecords(frames, place);
  REQUIRE(made.functions.size() == 2);
  CHECK(made.functions[1].begin == 12);
  CHECK(made.functions[1].record == place + 4);
}

TEST_CASE("records that 32 bits do not reach are left out") {
  const CallFrame rows{row(0, 4, rsp, 8)};
  CHECK(unwindRecords({&rows, 1}, UINT32_MAX - 3).functions.empty());
  CHECK(unwindRecords({&rows, 1}, UINT32_MAX - 7).functions.size() == 1);
}
