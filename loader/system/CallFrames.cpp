// Sources: DWARF 5, 6.4 "Call Frame Information" and 7.24; Linux Standard Base Core 5.0, "Exception
// Frames" (.eh_frame and .eh_frame_hdr); System V ABI for x86-64, "DWARF Register Number Mapping".
#include "loader/system/CallFrames.h"

#include <cstring>
#include <type_traits>

namespace sextant::system {
namespace {

constexpr uint64_t stackPointer = 7, returnAddress = 16;
constexpr size_t mostRemembered = 8; // LLVM's code has one
constexpr size_t mostRows = 1 << 18; // limit for all functions: some thousand tasks have so many
/// How pointers are written: 4 bytes with a sign, from their own place or from the index on. The
/// number of functions has 4 bytes without a sign.
constexpr uint8_t fromHere = 0x1b, fromIndex = 0x3b, plainNumber = 0x03;

/// Reads a range of bytes in turn. After its end are zeros, and `isBad` is set.
class Reader {
public:
  Reader(const FrameSections &sections, uint64_t address) : sections(&sections) { skipTo(address); }

  /// Ends the range so many bytes from here.
  void limit(uint64_t bytes) {
    if (bytes > end - at)
      isBad = true;
    else
      end = at + bytes;
  }
  bool isAtEnd() const { return isBad || at == end; }
  uint64_t left() const { return end - at; }
  uint64_t address() const { return sections->address + at; }
  void skip(uint64_t bytes) {
    if (bytes > end - at)
      isBad = true;
    else
      at += bytes;
  }
  template <class T> T read() {
    T value{};
    if (isBad || sizeof value > end - at) {
      isBad = true;
      return value;
    }
    std::memcpy(&value, sections->bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  /// A pointer that is written as a distance from its own place.
  uint64_t pointer() {
    const uint64_t here = address();
    return here + static_cast<uint64_t>(int64_t(read<int32_t>()));
  }
  /// A LEB128 number of at most 35 bits, which is more than frames need.
  template <class T> T number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift <= 28; shift += 7) {
      const auto byte = read<uint8_t>();
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte & 0x80)
        continue;
      if (std::is_signed_v<T> && (byte & 0x40))
        value |= ~uint64_t(0) << (shift + 7);
      return static_cast<T>(value);
    }
    isBad = true;
    return 0;
  }

  bool isBad = false;

private:
  void skipTo(uint64_t address) {
    end = sections->bytes.size();
    isBad = address < sections->address || address - sections->address > end;
    at = isBad ? end : address - sections->address;
  }

  const FrameSections *sections;
  uint64_t at = 0, end = 0;
};

/// Executes the instructions of call frames. They change the rules, and where one says that code
/// goes on, the rules so far are a row's.
class Rules {
public:
  /// \param begin,end the function's instructions
  Rules(CallFrame &rows, uint32_t begin, uint32_t end) : rows(rows) {
    now.begin = begin;
    now.end = end;
  }

  bool execute(Reader reader) {
    while (!reader.isAtEnd())
      if (!step(reader))
        return false;
    return !reader.isBad;
  }
  /// The state so far is the one that DW_CFA_restore goes back to.
  void keepInitial() { initial = now; }
  bool finish() {
    close(now.end);
    return hasReturn && !rows.empty() && rows.back().end == now.end;
  }

private:
  void close(uint64_t end) {
    if (end == now.begin)
      return;
    if (!rows.empty() && rows.back().hasRulesOf(now))
      rows.back().end = static_cast<uint32_t>(end);
    else
      rows.emplace_back(now).end = static_cast<uint32_t>(end);
    now.begin = static_cast<uint32_t>(end);
  }
  bool advance(uint64_t bytes) {
    if (bytes > now.end - now.begin)
      return false;
    close(now.begin + bytes);
    return true;
  }
  bool setBase(uint64_t number) {
    now.base = number;
    return number < now.saved.size();
  }
  bool save(uint64_t number, int64_t factored) {
    const int64_t place = -8 * factored; // the factor of this processor
    if (number == returnAddress) {
      hasReturn = place == -8;
      return hasReturn;
    }
    if (number >= now.saved.size() || number == stackPointer || place == 0)
      return false;
    now.saved[number] = place;
    return true;
  }
  bool restore(uint64_t number) {
    if (number >= now.saved.size())
      return false;
    now.saved[number] = initial.saved[number];
    return true;
  }
  void setRules(const CallFrameRow &from) {
    now.base = from.base;
    now.offset = from.offset;
    now.saved = from.saved;
  }
  bool step(Reader &reader);

  CallFrame &rows;
  CallFrameRow now, initial;
  std::vector<CallFrameRow> remembered;
  bool hasReturn = false;
};

bool Rules::step(Reader &reader) {
  const auto code = reader.read<uint8_t>();
  const uint64_t low = code & 0x3f;
  switch (code >> 6) {
  case 1: // DW_CFA_advance_loc
    return advance(low);
  case 2: // DW_CFA_offset
    return save(low, static_cast<int64_t>(reader.number<uint64_t>()));
  case 3: // DW_CFA_restore
    return restore(low);
  default:
    break;
  }
  switch (code) {
  case 0x00: // DW_CFA_nop
    return true;
  case 0x02: // DW_CFA_advance_loc1
    return advance(reader.read<uint8_t>());
  case 0x03: // DW_CFA_advance_loc2
    return advance(reader.read<uint16_t>());
  case 0x04: // DW_CFA_advance_loc4
    return advance(reader.read<uint32_t>());
  case 0x0a: // DW_CFA_remember_state
    remembered.push_back(now);
    return remembered.size() <= mostRemembered;
  case 0x0b: // DW_CFA_restore_state
    if (remembered.empty())
      return false;
    setRules(remembered.back());
    remembered.pop_back();
    return true;
  case 0x0c: { // DW_CFA_def_cfa
    const auto base = reader.number<uint64_t>();
    now.offset = static_cast<int64_t>(reader.number<uint64_t>());
    return setBase(base);
  }
  case 0x0d: // DW_CFA_def_cfa_register
    return setBase(reader.number<uint64_t>());
  case 0x0e: // DW_CFA_def_cfa_offset
    now.offset = static_cast<int64_t>(reader.number<uint64_t>());
    return true;
  case 0x2e: // DW_CFA_GNU_args_size
    reader.number<uint64_t>();
    return true;
  default:
    return false;
  }
}

/// Begins to read a record, and ends the reader after it. Returns false if there is none.
bool beginRecord(Reader &reader) {
  const auto bytes = reader.read<uint32_t>();
  constexpr uint32_t longer = 0xfffffff0; // marks records of more than 4 GiB
  if (bytes < sizeof(uint32_t) || bytes >= longer)
    return false;
  reader.limit(bytes);
  return !reader.isBad;
}

/// Reads what functions have in common (a CIE), up to its instructions.
bool beginCommon(Reader &reader) {
  if (!beginRecord(reader) || reader.read<uint32_t>() != 0 || reader.read<uint8_t>() != 1)
    return false;
  // The text "zR": data of a stated size follow, which say how pointers are written.
  const bool isPlain =
      reader.read<uint8_t>() == 'z' && reader.read<uint8_t>() == 'R' && reader.read<uint8_t>() == 0;
  return isPlain && reader.number<uint64_t>() == 1 && reader.number<int64_t>() == -8 &&
         reader.read<uint8_t>() == returnAddress && reader.number<uint64_t>() == 1 &&
         reader.read<uint8_t>() == fromHere && !reader.isBad;
}

/// Reads the rows of one function (an FDE), if it lies after the instruction `least`.
/// \param budget bytes of records that may be read
bool readFunction(const FrameSections &sections, uint64_t address, uint32_t least, uint64_t &budget,
                  CallFrame &rows) {
  Reader reader(sections, address);
  if (!beginRecord(reader))
    return false;
  const uint64_t here = reader.address();
  const auto distance = reader.read<uint32_t>();
  Reader common(sections, here - distance);
  if (distance == 0 || !beginCommon(common))
    return false;
  const uint64_t begin = reader.pointer();
  const auto bytes = reader.read<uint32_t>();
  reader.skip(reader.number<uint64_t>());
  if (reader.isBad || bytes == 0 || begin < sections.first || begin > sections.end ||
      bytes > sections.end - begin || sections.end - sections.first > UINT32_MAX)
    return false;
  const auto from = static_cast<uint32_t>(begin - sections.first);
  const uint64_t cost = reader.left() + common.left();
  if (from < least || cost > budget)
    return false;
  budget -= cost;
  Rules rules(rows, from, from + bytes);
  if (!rules.execute(common))
    return false;
  rules.keepInitial();
  return rules.execute(reader) && rules.finish();
}

} // namespace

std::vector<CallFrame> readCallFrames(const FrameSections &sections) {
  std::vector<CallFrame> frames;
  Reader index(sections, sections.index);
  const bool isPlain = index.read<uint8_t>() == 1 && index.read<uint8_t>() == fromHere &&
                       index.read<uint8_t>() == plainNumber && index.read<uint8_t>() == fromIndex;
  (void)index.pointer(); // to .eh_frame, whose records the index names
  const auto count = index.read<uint32_t>();
  // Records may lie over each other, and reading them still takes no longer than the image is long.
  uint64_t budget = 4 * sections.bytes.size();
  size_t rowsSoFar = 0;
  for (uint32_t i = 0; isPlain && i < count; ++i) {
    (void)index.read<int32_t>(); // the function, which its record names, too
    const auto record = index.read<int32_t>();
    if (index.isBad)
      break;
    const uint64_t address = sections.index + static_cast<uint64_t>(int64_t(record));
    const uint32_t least = frames.empty() ? 0 : frames.back().back().end;
    CallFrame rows;
    if (!readFunction(sections, address, least, budget, rows))
      continue;
    rowsSoFar += rows.size();
    if (rowsSoFar > mostRows)
      break;
    frames.push_back(std::move(rows));
  }
  return frames;
}

} // namespace sextant::system
