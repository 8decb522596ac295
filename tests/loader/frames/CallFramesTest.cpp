// Reads call frames that were written by hand, and bytes that are not frames.
#include "tests/loader/frames/Sections.h"

#include "loader/system/UnwindRecords.h"
#include "tests/support/Catch.h"

using namespace sextant::system;
using namespace sextant::test;

namespace {

constexpr uint8_t advance = 0x40, offset = 0x80, restore = 0xc0; // and a number of 6 bits
constexpr uint8_t advance1 = 2, advance2 = 3, advance4 = 4, remember = 0x0a, goBack = 0x0b,
                  defCfa = 0x0c, defCfaRegister = 0x0d, defCfaOffset = 0x0e, argsSize = 0x2e;
constexpr uint8_t rbx = 3, rbp = 6, rsp = 7, r11 = 11;

std::vector<CallFrame> framesOf(const Sections::Bytes &instructions, uint32_t size = 0x1000) {
  Sections sections;
  sections.add(0x1000, size, instructions);
  return readCallFrames(sections.sections());
}

/// The rows of one function as texts, such as "1001-1002 7+16 3@-24".
std::vector<std::string> rowsOf(const CallFrame &rows) {
  std::vector<std::string> texts;
  for (const CallFrameRow &row : rows) {
    char text[80];
    std::snprintf(text, sizeof text, "%x-%x %d+%d", row.begin, row.end, int(row.base),
                  int(row.offset));
    std::string all = text;
    for (size_t i = 0; i < row.saved.size(); ++i)
      if (row.saved[i] != 0)
        all += " " + std::to_string(i) + "@" + std::to_string(row.saved[i]);
    texts.push_back(all);
  }
  return texts;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("rows of a function that pushes, and takes stack") {
  const auto frames = framesOf({advance | 1,  defCfaOffset,
                                16,           advance | 1,
                                defCfaOffset, 24,
                                advance | 7,  defCfaOffset,
                                0xa0,         8, // 1056
                                offset | 3,   3,
                                offset | rbp, 2,
                                advance1,     200,
                                defCfaOffset, 24,
                                advance | 1,  defCfaOffset,
                                16,           advance | 1,
                                defCfaOffset, 8},
                               212);
  REQUIRE(frames.size() == 1);
  CHECK(rowsOf(frames[0]) == Texts{"1000-1001 7+8", "1001-1002 7+16", "1002-1009 7+24",
                                   "1009-10d1 7+1056 3@-24 6@-16", "10d1-10d2 7+24 3@-24 6@-16",
                                   "10d2-10d3 7+16 3@-24 6@-16", "10d3-10d4 7+8 3@-24 6@-16"});
}

TEST_CASE("rows with other registers, and rules that are taken back") {
  const auto frames = framesOf({advance2,
                                0,
                                1,
                                defCfa,
                                rbp,
                                16,
                                offset | rbp,
                                2, // from 0x1100 on
                                advance4,
                                0,
                                1,
                                0,
                                0,
                                remember,
                                offset | rbx,
                                3,
                                defCfaRegister,
                                r11,
                                advance | 4,
                                goBack,
                                argsSize,
                                0x90,
                                1,
                                advance | 4,
                                restore | rbp,
                                defCfa,
                                rsp,
                                8},
                               0x300);
  REQUIRE(frames.size() == 1);
  CHECK(rowsOf(frames[0]) == Texts{"1000-1100 7+8", "1100-1200 6+16 6@-16",
                                   "1200-1204 11+16 3@-24 6@-16", "1204-1208 6+16 6@-16",
                                   "1208-1300 7+8"});
}

TEST_CASE("functions that are not understood are left out, and the others stay") {
  const Sections::Bytes bad[] = {
      {0x0f, 1, 0x30},                           // an expression
      {0x1d},                                    // not used
      {goBack},                                  // back to nothing
      {defCfaRegister, 16},                      // no register
      {defCfa, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, // a number that is too long
      {offset | rsp, 2},                         // the stack pointer is not a saved register
      {offset | 17, 2},                          // xmm0
      {offset | 16, 2},                          // a return address at another place
      {restore | 20},                            //
      {advance4, 0xff, 0xff, 0xff, 0xff},        // out of the function
      {advance | 0x20, advance | 0x3f},          //
      Sections::Bytes(20, remember),
  };
  for (const Sections::Bytes &instructions : bad) {
    INFO(int(instructions[0]));
    Sections sections;
    sections.add(0x1000, 0x40, {});
    sections.add(0x1040, 0x40, instructions);
    sections.add(0x1080, 0x40, {});
    const auto frames = readCallFrames(sections.sections());
    REQUIRE(frames.size() == 2);
    CHECK(rowsOf(frames[0]) == Texts{"1000-1040 7+8"});
    CHECK(rowsOf(frames[1]) == Texts{"1080-10c0 7+8"});
  }
}

TEST_CASE("functions of another kind are left out") {
  const Sections::Bytes others[] = {
      {3, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1}, // a version
      {1, 'z', 'P', 'L', 'R', 0, 1, 0x78, 16, 1, 0x1b},            // with functions for exceptions
      {1, 'z', 'R', 0, 4, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1}, // instructions of four bytes
      {1, 'z', 'R', 0, 1, 0x7c, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1}, // words of four bytes
      {1, 'z', 'R', 0, 1, 0x78, 30, 1, 0x1b, 0x0c, 7, 8, 0x9e, 1}, // aarch64's return address
      {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x00, 0x0c, 7, 8, 0x90, 1}, // pointers of another kind
      {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8},          // no return address
      {},
  };
  for (const Sections::Bytes &common : others) {
    Sections sections(common);
    sections.add(0x1000, 0x40, {});
    CHECK(readCallFrames(sections.sections()).empty());
  }
}

TEST_CASE("functions come in ascending order, and lie in the image") {
  Sections sections;
  sections.add(0x2000, 0x40, {});
  sections.add(0x1000, 0x40, {});
  sections.add(0x203f, 0x40, {});
  sections.add(0x2040, 0, {});
  sections.add(0xfff0, 0x11, {});
  sections.add(0x10000, 1, {});
  sections.add(0x80000000, 1, {});
  sections.add(0x2040, 0xfffffff0, {});
  sections.add(0x2040, 0xdfc0, {});
  const auto frames = readCallFrames(sections.sections());
  REQUIRE(frames.size() == 2);
  CHECK(rowsOf(frames[0]) == Texts{"2000-2040 7+8"});
  CHECK(rowsOf(frames[1]) == Texts{"2040-10000 7+8"});
}

namespace {

Sections several() {
  Sections sections;
  for (uint32_t i = 0; i < 3; ++i)
    sections.add(0x1000 + i * 0x100, 0x100,
                 {advance | 1,
                  defCfaOffset,
                  16,
                  offset | rbp,
                  2,
                  advance1,
                  30,
                  remember,
                  defCfaRegister,
                  rbp,
                  advance2,
                  9,
                  0,
                  goBack,
                  advance4,
                  9,
                  0,
                  0,
                  0,
                  defCfa,
                  rsp,
                  8});
  return sections;
}

/// Reads and translates. Whatever comes out lies in the image, in order.
size_t readAll(const Sections::Bytes &bytes) {
  const auto frames = readCallFrames(Sections::sections(bytes));
  const UnwindRecords made = unwindRecords(frames, 0x20000);
  uint32_t end = 0;
  for (const UnwindFunction &function : made.functions) {
    CHECK(function.begin >= end);
    CHECK(function.end > function.begin);
    CHECK(function.end <= 0x10000);
    CHECK(function.record % 4 == 0);
    CHECK(function.record - 0x20000 < made.records.size());
    end = function.end;
  }
  return frames.size();
}

} // namespace

TEST_CASE("sections that are cut anywhere") {
  const Sections whole = several();
  CHECK(readAll(whole.bytes) == 3);
  for (size_t size = 0; size < whole.bytes.size(); ++size) {
    // In memory of its own, so that sanitizers see each byte past it.
    const Sections::Bytes cut(whole.bytes.begin(), whole.bytes.begin() + long(size));
    CHECK(readAll(cut) < 3);
  }
}

TEST_CASE("sections with any byte wrong") {
  const Sections whole = several();
  for (size_t at = 0; at < whole.bytes.size(); ++at)
    for (const int value : {0, 1, 3, 4, 0x0b, 0x3f, 0x40, 0x7f, 0x80, 0x90, 0xc3, 0xf0, 0xff}) {
      Sections::Bytes wrong = whole.bytes;
      wrong[at] = static_cast<uint8_t>(value);
      CHECK(readAll(wrong) <= 3);
    }
}

TEST_CASE("what functions have in common may be long, and reading ends all the same") {
  Sections::Bytes common = Sections::plainCommon();
  common.resize(1000000); // instructions that mean nothing
  Sections sections(common, 10000);
  for (uint32_t i = 0; i < 10000; ++i)
    sections.add(0x1000 + i, 1, {});
  CHECK(readCallFrames(sections.sections()).size() < 8);
}
