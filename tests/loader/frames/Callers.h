// Callers of functions in an image: found by the image's frames, and compared at each instruction
// of a task with those that there were when it began.
#pragma once

#include "tests/loader/frames/Steps.h"

#include "loader/system/UnwindRecords.h"

namespace sextant::test {

/// The facts that an image in memory states about its frames. Handlers of signals read it.
struct FrameTables {
  FrameTables(const system::FrameSections &sections, uint64_t base);

  uint64_t begin, end; ///< addresses of the image in memory
  std::vector<system::CallFrame> frames;
  system::UnwindRecords records;
  uint64_t place; ///< place of the records, from the image's first address
};

/// A way to find callers.
struct Way {
  const char *name;
  bool (*callerOf)(const FrameTables &tables, const Registers &registers, Registers &caller);
};

/// The system's way where it looks images up; elsewhere by the rows, and by the records for
/// Windows.
std::vector<Way> waysToCallers();

/// Compares what a way finds with the registers that the task began with.
class Comparison : public Visitor {
public:
  Comparison(const FrameTables &tables, const Way &way, loader::CpuTask task)
      : tables(tables), way(way), entry(reinterpret_cast<uintptr_t>(task)) {}

  bool visit(const Registers &registers) override;

  unsigned steps = 0, wrong = 0; ///< instructions of the image
  uint64_t firstWrong = 0;       ///< from the image's first address

private:
  bool isRight(Registers registers) const;

  const FrameTables &tables;
  const Way &way;
  const uint64_t entry;
  bool isInside = false;
  Registers expected;
};

} // namespace sextant::test
