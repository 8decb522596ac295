// The tasks of a kernel that run again, or not at all, as the device decides. The compiler writes
// the decisions into the code of the tasks; the loader queues the tasks of a loop until it has
// ended.
#pragma once

#include "loader/abi/Words.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::abi {

/// Consecutive tasks under one rule. Spans nest, and lie in the order of their begins, outer ones
/// first.
struct Span {
  enum Kind : uint8_t {
    Kernel,     ///< all tasks; only the compiler uses it
    Loop,       ///< again while its word is not 0
    Checkpoint, ///< a launch may end after it, and another one begin with it
    Fork,       ///< its branches are independent of each other
    Branch,
  } kind = Kernel;
  uint32_t begin = 0, end = 0; ///< tasks
  int64_t label = 0;           ///< checkpoints: the source's

  bool operator==(const Span &) const = default;
};
constexpr auto words(Span::Kind) {
  return wordsUpTo<Span::Branch>("kernel", "loop", "checkpoint", "fork", "branch");
}

/// The words of a schedule's buffer. Loops have one each, in order, from `FirstLoop` on, and after
/// these two each: the handle of the loop's node in a CUDA graph, low half first; 0: it has none.
enum ScheduleWord : uint8_t {
  ResumeWord, ///< the checkpoint to begin with, numbered from 1; 0: none
  YieldWord,  ///< the checkpoint that ended the launch; 0: none
  IdleWord,   ///< not 0: tasks outside of the checkpoint to begin with do nothing
  FirstLoop,
};
constexpr uint64_t wordsOf(uint64_t loops) { return FirstLoop + 3 * loops; }
constexpr uint64_t loopsOf(uint64_t words) { return (words - FirstLoop) / 3; }
constexpr uint64_t handleWord(uint64_t loops, uint64_t loop) {
  return FirstLoop + loops + 2 * loop;
}

/// One line each; docs/module-format.md describes them.
std::string textOf(const std::vector<Span> &spans);
/// Reads what textOf writes. Returns false if it is not that, or not of a kernel with so many
/// tasks.
bool readSchedule(std::string_view text, size_t tasks, std::vector<Span> &spans);

} // namespace sextant::abi
