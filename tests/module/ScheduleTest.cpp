// The text of a schedule, which the compiler writes and the loader relies on.
#include "loader/abi/Schedule.h"
#include "tests/support/Catch.h"

using namespace sextant::abi;

namespace {

/// Returns what is read, as text again; "no" if it is not read.
std::string read(std::string_view text, size_t tasks) {
  std::vector<Span> spans;
  return readSchedule(text, tasks, spans) ? textOf(spans) : "no";
}

} // namespace

TEST_CASE("spans are read as they are written") {
  const std::vector<Span> spans = {{Span::Loop, 1, 6, 0},
                                   {Span::Loop, 1, 3, 0},
                                   {Span::Checkpoint, 3, 5, -9223372036854775807 - 1},
                                   {Span::Fork, 6, 8, 0},
                                   {Span::Branch, 6, 7, 0},
                                   {Span::Branch, 7, 8, 0}};
  const std::string text = textOf(spans);
  CHECK(text == "loop 1 6\nloop 1 3\ncheckpoint 3 5 -9223372036854775808\nfork 6 8\nbranch 6 7\n"
                "branch 7 8\n");
  std::vector<Span> back;
  REQUIRE(readSchedule(text, 8, back));
  CHECK(back == spans);
  CHECK(read("", 0).empty());
}

TEST_CASE("spans that are not runs of the kernel's tasks, or do not nest, are refused") {
  CHECK(read("loop 1 3\n", 3) == "loop 1 3\n");
  for (const char *wrong : {
           "loop 1 4\n",          // there are 3 tasks
           "loop 2 2\n",          // no task
           "loop 2 1\n",          // backwards
           "loop -1 2\n",         // no number
           "loop 1 4294967297\n", // past 32 bits
           "loop 1 3",            // no end of the line
           "loop 1  3\n",         // two blanks
           "loop 1 3 5\n",        // a label
           "checkpoint 1 3\n",    // no label
           "checkpoint 1 3 9223372036854775808\n", "kernel 0 3\n", "repeat 0 3\n", "\n",
           "loop 0 2\nloop 1 3\n", // they overlap
           "loop 1 3\nloop 0 1\n", // out of order
           "loop 1 2\nloop 1 3\n", // the inner one is longer
       })
    CHECK(read(wrong, 3) == "no");
}

TEST_CASE("a fork is its branches, one after the other") {
  CHECK(read("fork 0 3\nbranch 0 1\nloop 0 1\nbranch 1 3\n", 3) ==
        "fork 0 3\nbranch 0 1\nloop 0 1\nbranch 1 3\n");
  for (const char *wrong : {
           "fork 0 3\n",                                   // none
           "fork 0 3\nbranch 0 2\n",                       // task 2 is in none
           "fork 0 2\nbranch 0 1\nloop 2 3\n",             // task 1 is in none
           "fork 0 3\nbranch 1 3\n",                       // task 0 is in none
           "fork 0 3\nbranch 0 1\nbranch 2 3\n",           // task 1 is in none
           "fork 0 3\nloop 0 3\n",                         // a loop instead
           "fork 0 3\nbranch 0 1\nloop 1 2\nbranch 2 3\n", // a loop among them
           "branch 0 1\n",                                 // no fork
           "fork 0 2\nbranch 0 2\nbranch 0 1\n",           // a branch in a branch
           "loop 0 3\nbranch 0 3\n",                       // a branch in a loop
       })
    CHECK(read(wrong, 3) == "no");
}

TEST_CASE("spans nest as deep as sources do, and no deeper") {
  auto nested = [](unsigned depth) {
    std::string text;
    for (unsigned i = 0; i < depth; ++i)
      text += "loop 0 1\n";
    return text;
  };
  CHECK(read(nested(200), 1) == nested(200)); // 100 blocks of a fork and a branch each
  CHECK(read(nested(100000), 1) == "no");
}
