// Where the device has graphs with loops, the kernel is one. Elsewhere the host repeats the tasks.
// Each task looks for itself whether it has to do anything. So the loader may queue rounds of a
// loop before it knows that there are so many: it asks after 1, 2, 4, 8, 16, 32, 32, … rounds, and
// a loop of n rounds costs about log2(n) + n / 32 questions. Rounds that were queued for nothing do
// nothing.
#include "loader/Schedule.h"

#include <algorithm>
#include <cinttypes>

using namespace sextant;
using namespace sextant::loader;

namespace {

using abi::Span;

/// The most rounds that are queued without a question.
constexpr uint32_t mostRounds = 32;

struct Walk {
  const sxt_kernel &kernel;
  sxt_stream &stream;
  const Packed &packed;
  uint64_t words; ///< address of the schedule's

  /// Queues the tasks [begin, end). `span` is the first span that begins there.
  sxt_status tasks(uint32_t begin, uint32_t end, size_t span) {
    for (uint32_t task = begin; task < end;) {
      while (span < kernel.spans.size() && kernel.spans[span].begin < task)
        ++span;
      size_t inner = span;
      while (inner < kernel.spans.size() && kernel.spans[inner].begin == task &&
             kernel.spans[inner].kind != Span::Loop)
        ++inner;
      if (inner < kernel.spans.size() && kernel.spans[inner].begin == task) {
        SXT_TRY(loop(inner));
        task = kernel.spans[inner].end;
        span = inner + 1;
        continue;
      }
      if (packed.grids[task])
        SXT_TRY(stream.impl->launch(kernel.tasks[task].loaded, packed.grids[task], packed.block,
                                    kernel.blockBytes));
      ++task;
    }
    return SXT_OK;
  }

  sxt_status loop(size_t index) {
    const Span &span = kernel.spans[index];
    uint32_t word = abi::FirstLoop;
    bool hasLoops = false; // they ask anyway
    for (size_t i = 0; i < kernel.spans.size(); ++i) {
      const bool isLoop = kernel.spans[i].kind == Span::Loop;
      word += isLoop && i < index;
      hasLoops |= isLoop && i > index && kernel.spans[i].begin < span.end;
    }
    for (uint32_t rounds = 1;; rounds = std::min(2 * rounds, hasLoops ? 1 : mostRounds)) {
      for (uint32_t i = 0; i < rounds; ++i)
        SXT_TRY(tasks(span.begin, span.end, index + 1));
      uint32_t goesOn = 0;
      SXT_TRY(stream.readNow(&goesOn, words + 4 * word, sizeof goesOn));
      if (!goesOn)
        return SXT_OK;
    }
  }
};

/// Writes the schedule's words. Kernels that only have sections do not read them.
sxt_status writeWords(const sxt_kernel &kernel, sxt_stream &stream, uint64_t words,
                      const std::vector<uint32_t> &begin) {
  return begin.size() > abi::FirstLoop || kernel.kept
             ? stream.impl->write(words, begin.data(), 4 * begin.size())
             : SXT_OK;
}

/// Makes the kernel's graph one of this launch. Leaves it null if the device makes none.
sxt_status prepareGraph(const sxt_kernel &kernel, const Packed &packed) {
  ScheduleGraph &schedule = *kernel.scheduleGraph;
  const size_t bytes = packedBytes(kernel), count = kernel.tasks.size();
  const bool isFirst = schedule.memory.empty();
  schedule.memory.resize(bytes);
  const Packed kept = packedAt(kernel, schedule.memory.data());
  if (schedule.graph && std::memcmp(kept.block, packed.block, kernel.blockBytes) == 0 &&
      std::equal(packed.grids, packed.grids + count, kept.grids))
    return SXT_OK;
  if (!isFirst && !sameTasks(kernel, packed, kept))
    schedule.graph.reset();
  std::memcpy(kept.block, packed.block, bytes);
  std::vector<GraphStep> steps(count);
  for (size_t i = 0; i < count; ++i)
    steps[i] = launchStep(kernel, kept, i);
  if (!schedule.graph) {
    schedule.handles.clear();
    schedule.hasHandles = false;
    SXT_TRY(kernel.program->device->device->makeSchedule(steps, kernel.spans, schedule.handles,
                                                         schedule.graph));
    schedule.isRefused = !schedule.graph;
    return SXT_OK;
  }
  for (size_t i = 0; i < count; ++i)
    if (steps[i].grid)
      SXT_TRY(schedule.graph->change(i, steps[i]));
  return SXT_OK;
}

/// Runs the tasks as a graph of the device. Leaves `done` false if there is none.
sxt_status runGraph(const sxt_kernel &kernel, sxt_stream &stream, const Packed &packed,
                    uint64_t words, std::vector<uint32_t> &begin, bool &done) {
  ScheduleGraph &schedule = *kernel.scheduleGraph;
  std::lock_guard lock(schedule.mutex);
  if (schedule.isRefused)
    return SXT_OK;
  const uint64_t address = schedule.words ? schedule.words | 1 : words;
  std::memcpy(packed.block + kernel.scheduleParam, &address, sizeof address);
  if (const sxt_status status = prepareGraph(kernel, packed)) {
    schedule.graph.reset(); // some of its launches may be those of this launch
    return status;
  }
  if (!schedule.graph) { // the host looks after each round
    std::memcpy(packed.block + kernel.scheduleParam, &words, sizeof words);
    return SXT_OK;
  }
  done = true;
  if (schedule.hasHandles)
    return schedule.graph->run(*stream.impl);
  for (size_t loop = 0; loop < schedule.handles.size(); ++loop)
    std::memcpy(&begin[abi::handleWord(schedule.handles.size(), loop)], &schedule.handles[loop],
                sizeof(uint64_t));
  if (!schedule.words) {
    SXT_TRY(writeWords(kernel, stream, words, begin));
  } else {
    // The graph before, and the launches to come, may be other streams'.
    SXT_TRY(kernel.program->device->device->synchronize());
    SXT_TRY(writeWords(kernel, stream, schedule.words, begin));
    SXT_TRY(stream.impl->synchronize());
    schedule.hasHandles = true;
  }
  return schedule.graph->run(*stream.impl);
}

} // namespace

sxt_status sextant::loader::failCheckpoint(const sxt_kernel &kernel, int64_t label) {
  return fail(SXT_ERROR_NOT_FOUND, "kernel '%s' has no checkpoint %" PRId64,
              kernel.record->instance.c_str(), label);
}

sxt_status sextant::loader::failOutcome(const sxt_kernel &kernel) {
  return fail(
      SXT_ERROR_INVALID_ARGUMENT,
      "kernel '%s' has checkpoints: launch it with sxt_kernel_resume, which says whether it "
      "has to be resumed",
      kernel.record->instance.c_str());
}

sxt_status sextant::loader::queueSchedule(const sxt_kernel &kernel, sxt_stream &stream,
                                          const Packed &packed, uint64_t temporary,
                                          Outcome *outcome) {
  const bool hasCheckpoints = kernel.kept != 0;
  if (hasCheckpoints && !outcome)
    return failOutcome(kernel);
  const uint64_t words = temporary + kernel.scheduleOffset;
  std::vector<uint32_t> begin(kernel.scheduleWords);
  if (outcome && outcome->from) {
    uint32_t number = 0, loops = 0;
    const Span *checkpoint = nullptr;
    for (const Span &span : kernel.spans)
      if (span.kind == Span::Checkpoint) {
        ++number;
        if (span.label == *outcome->from) {
          checkpoint = &span;
          begin[abi::ResumeWord] = number;
        }
      }
    if (!checkpoint)
      return failCheckpoint(kernel, *outcome->from);
    begin[abi::IdleWord] = 1;
    for (const Span &span : kernel.spans)
      if (span.kind == Span::Loop) // the launch goes on inside of the loops around it
        begin[abi::FirstLoop + loops++] =
            span.begin <= checkpoint->begin && checkpoint->end <= span.end;
  }
  // A launch that is resumed begins in the middle of loops, which those of graphs cannot.
  bool done = false;
  if (kernel.scheduleGraph && !begin[abi::IdleWord])
    SXT_TRY(runGraph(kernel, stream, packed, words, begin, done));
  if (!done) {
    SXT_TRY(writeWords(kernel, stream, words, begin));
    SXT_TRY((Walk{kernel, stream, packed, words}).tasks(0, uint32_t(kernel.tasks.size()), 0));
  }
  if (!hasCheckpoints)
    return SXT_OK;
  uint32_t yielded = 0;
  SXT_TRY(stream.readNow(&yielded, words + 4 * abi::YieldWord, sizeof yielded));
  outcome->yielded = yielded != 0;
  uint32_t number = 0;
  for (const Span &span : kernel.spans)
    if (span.kind == Span::Checkpoint && ++number == yielded)
      outcome->checkpoint = span.label;
  return SXT_OK;
}
