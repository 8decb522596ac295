#include "tests/loader/frames/Callers.h"

#include <cstring>

using namespace sextant;
using namespace sextant::system;
using namespace sextant::test;

static constexpr size_t stackPointer = 7;
static constexpr size_t keptRegisters[] = {3, 6, stackPointer, 12, 13, 14, 15};

static uint64_t wordAt(uint64_t address) {
  uint64_t word;
  std::memcpy(&word, reinterpret_cast<const void *>(address), sizeof word);
  return word;
}

FrameTables::FrameTables(const FrameSections &sections, uint64_t base)
    : begin(base + sections.first), end(base + sections.end), frames(readCallFrames(sections)),
      place((sections.end - sections.first + 4095) / 4096 * 4096) {
  records = unwindRecords(frames, place);
}

static bool callerByRows(const FrameTables &tables, const Registers &registers, Registers &caller) {
  const uint64_t at = registers.pc - tables.begin;
  for (const CallFrame &rows : tables.frames)
    for (const CallFrameRow &row : rows)
      if (at >= row.begin && at < row.end) {
        caller = registers;
        const uint64_t frame = registers.general[row.base] + static_cast<uint64_t>(row.offset);
        for (size_t i = 0; i < row.saved.size(); ++i)
          if (row.saved[i] != 0)
            caller.general[i] = wordAt(frame + static_cast<uint64_t>(row.saved[i]));
        caller.general[stackPointer] = frame;
        caller.pc = wordAt(frame - 8);
        return true;
      }
  return false;
}

/// Microsoft's "Unwind procedure" after a prologue, for the operations that images need.
static bool callerByRecords(const FrameTables &tables, const Registers &registers,
                            Registers &caller) {
  constexpr size_t numbers[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
  const uint64_t at = registers.pc - tables.begin;
  const UnwindFunction *function = nullptr;
  for (const UnwindFunction &each : tables.records.functions)
    if (at >= each.begin && at < each.end)
      function = &each;
  if (!function)
    return false;
  caller = registers;
  const std::byte *record = tables.records.records.data() + (function->record - tables.place);
  auto byte = [&](size_t i) { return std::to_integer<unsigned>(record[i]); };
  auto word = [&](size_t i) { return byte(4 + 2 * i) | byte(5 + 2 * i) << 8; };
  const unsigned base = byte(3);
  const uint64_t frame = base ? registers.general[numbers[base & 15]] - (base >> 4) * 16
                              : registers.general[stackPointer];
  for (size_t i = 0; i < byte(2); ++i) {
    const unsigned what = word(i) >> 8 & 15, info = word(i) >> 12;
    switch (what) {
    case 1: // UWOP_ALLOC_LARGE
      caller.general[stackPointer] += info == 0 ? word(i + 1) * 8 : word(i + 1) | word(i + 2) << 16;
      i += info + 1;
      break;
    case 2: // UWOP_ALLOC_SMALL
      caller.general[stackPointer] += info * 8 + 8;
      break;
    case 3: // UWOP_SET_FPREG
      caller.general[stackPointer] = frame;
      break;
    case 4: // UWOP_SAVE_NONVOL
      caller.general[numbers[info]] = wordAt(frame + word(++i) * 8);
      break;
    case 5: // UWOP_SAVE_NONVOL_FAR
      caller.general[numbers[info]] = wordAt(frame + (word(i + 1) | word(i + 2) << 16));
      i += 2;
      break;
    default:
      return false;
    }
  }
  caller.pc = wordAt(caller.general[stackPointer]);
  caller.general[stackPointer] += 8;
  return true;
}

std::vector<Way> test::waysToCallers() {
  // Where the system has tables, its handlers run on the task's stack, and overwrite what pops
  // leave behind.
  if (systemCallerOf)
    return {{"system", [](const FrameTables &, const Registers &registers, Registers &caller) {
               return systemCallerOf(registers, caller);
             }}};
  return {{"rows", callerByRows}, {"records", callerByRecords}};
}

bool Comparison::visit(const Registers &registers) {
  if (!isInside) {
    if (registers.pc != entry)
      return true;
    isInside = true;
    expected = registers;
    expected.pc = wordAt(registers.general[stackPointer]);
    expected.general[stackPointer] += 8;
  } else if (registers.pc == expected.pc) {
    return false;
  }
  ++steps;
  if (!isRight(registers) && ++wrong == 1)
    firstWrong = registers.pc - tables.begin;
  return true;
}

bool Comparison::isRight(Registers registers) const {
  // Functions that the task calls have callers in the image, too.
  for (int depth = 0; registers.pc >= tables.begin && registers.pc < tables.end; ++depth) {
    Registers caller;
    if (depth > 3 || !way.callerOf(tables, registers, caller))
      return false;
    registers = caller;
  }
  for (const size_t i : keptRegisters)
    if (registers.general[i] != expected.general[i])
      return false;
  return registers.pc == expected.pc;
}
