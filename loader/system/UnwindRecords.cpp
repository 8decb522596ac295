// Source: Microsoft, "x64 exception handling": UNWIND_INFO, UNWIND_CODE, "Unwind procedure".
#include "loader/system/UnwindRecords.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>

namespace sextant::system {
namespace {

/// UNWIND_CODE's operations. Their words are undone in the order in which they stand.
enum Undo : uint8_t { AllocLarge = 1, AllocSmall = 2, SetFrame = 3, Save = 4, SaveFar = 5 };

constexpr uint64_t stackPointerOfElf = 7;
constexpr uint8_t stackPointerHere = 4;
constexpr uint8_t chained = 4; // UNW_FLAG_CHAININFO

/// Windows numbers the first eight registers as instructions do, and DWARF in an order of its own.
uint8_t numberHere(uint64_t ofElf) {
  constexpr uint8_t numbers[] = {0, 2, 1, 3, 6, 7, 5, stackPointerHere};
  return ofElf < std::size(numbers) ? numbers[ofElf] : static_cast<uint8_t>(ofElf);
}

/// The words of one record.
class Words {
public:
  void add(Undo what, uint8_t info) {
    words.push_back(static_cast<uint16_t>(what << 8 | info << 12)); // after a prologue of 0 bytes
  }
  void add(uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      words.push_back(static_cast<uint16_t>(value >> 16 * i));
  }
  /// The stack pointer goes up.
  void free(uint64_t bytes) {
    if (bytes == 0)
      return;
    if (bytes <= 128) {
      add(AllocSmall, static_cast<uint8_t>(bytes / 8 - 1));
    } else {
      const bool isFar = bytes / 8 > UINT16_MAX;
      add(AllocLarge, isFar ? 1 : 0);
      add(isFar ? bytes : bytes / 8, isFar ? 2 : 1);
    }
  }
  /// A register has its value so far above the base.
  void load(uint8_t number, uint64_t above) {
    const bool isFar = above / 8 > UINT16_MAX;
    add(isFar ? SaveFar : Save, number);
    add(isFar ? above : above / 8, isFar ? 2 : 1);
  }

  auto operator<=>(const Words &) const = default;

  std::vector<uint16_t> words;
  uint8_t base = 0; ///< UNWIND_INFO's byte of the frame's register and its offset
};

/// Describes a row. Returns false if Windows has no words for it.
bool describe(const CallFrameRow &row, Words &words) {
  constexpr int64_t step = 16, mostSteps = 15; // the offset of a base below its register
  const bool isPlain = row.base == stackPointerOfElf;
  int64_t lowest = 0; // place of a register, from the base register on
  for (const int64_t saved : row.saved) {
    if (saved != 0)
      lowest = std::min(lowest, row.offset + saved);
    if (saved % 8 != 0)
      return false;
  }
  const int64_t steps = isPlain ? 0 : (step - 1 - lowest) / step;
  // From the base on, there is the return address after so many bytes.
  const int64_t bytes = row.offset - 8 + steps * step;
  if (row.offset % 8 != 0 || bytes < 0 || bytes > UINT32_MAX || steps > mostSteps)
    return false;
  if (!isPlain) {
    const uint8_t number = numberHere(row.base);
    if (number == 0) // which says that there is none
      return false;
    words.base = static_cast<uint8_t>(number | steps << 4);
    words.add(SetFrame, 0);
  }
  for (uint64_t i = 0; i < row.saved.size(); ++i) {
    const int64_t above = row.offset + row.saved[i] + steps * step;
    // A register whose place lies below the stack pointer was popped: it has its value again.
    if (row.saved[i] == 0 || above < 0)
      continue;
    if (above > UINT32_MAX)
      return false;
    words.load(numberHere(i), static_cast<uint64_t>(above));
  }
  words.free(static_cast<uint64_t>(bytes));
  return true;
}

/// Puts records together.
class Writer {
public:
  explicit Writer(uint64_t place) : place(place) {}

  /// Adds a function, unless Windows has no words for it.
  void add(const CallFrame &rows) {
    const CallFrameRow &entry = rows.front();
    const bool isEntry = entry.base == stackPointerOfElf && entry.offset == 8 &&
                         entry.saved == decltype(entry.saved){};
    if (!isEntry)
      return;
    std::vector<Words> all(rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
      if (!describe(rows[i], all[i]))
        return;
    const UnwindFunction function{entry.begin, entry.end, write(all.front(), nullptr)};
    out.functions.push_back(function);
    std::map<Words, uint32_t> written; // epilogues take back what prologues did
    for (size_t i = 1; i < rows.size(); ++i) {
      uint32_t &record = written[all[i]];
      if (record == 0)
        record = write(all[i], &function);
      out.functions.push_back({rows[i].begin, rows[i].end, record});
    }
  }

  UnwindRecords out;

private:
  uint32_t write(const Words &words, const UnwindFunction *function) {
    const auto record = static_cast<uint32_t>(place + out.records.size());
    constexpr uint8_t version = 1;
    const uint8_t head[] = {static_cast<uint8_t>(version | (function ? chained : 0) << 3), 0,
                            static_cast<uint8_t>(words.words.size()), words.base};
    append(head, sizeof head);
    append(words.words.data(), words.words.size() * sizeof(uint16_t));
    out.records.resize((out.records.size() + 3) & ~size_t(3));
    if (function)
      append(function, sizeof *function);
    return record;
  }
  void append(const void *bytes, size_t count) {
    auto *begin = static_cast<const std::byte *>(bytes);
    out.records.insert(out.records.end(), begin, begin + count);
  }

  const uint64_t place;
};

} // namespace

UnwindRecords unwindRecords(std::span<const CallFrame> frames, uint64_t place) {
  Writer writer(place);
  for (const CallFrame &rows : frames)
    writer.add(rows);
  const bool isNear = place + writer.out.records.size() <= UINT32_MAX; // as numbers of 32 bits go
  return isNear ? std::move(writer.out) : UnwindRecords();
}

} // namespace sextant::system
