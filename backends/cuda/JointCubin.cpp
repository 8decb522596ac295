// A cubin has sections of its own for each entry, and a few that have rows for all of them: names,
// symbols, facts (.nv.info), frames. Cutting drops the others' sections and rows, and numbers the
// rest anew.
#include "backends/cuda/JointCubin.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace llvm::ELF;
using namespace sextant;

//===--- Reading -----------------------------------------------------------===//

static constexpr StringLiteral codePrefix = ".text.", factsPrefix = ".nv.info.",
                               constantsPrefix = ".nv.constant0.", sharedPrefix = ".nv.shared.";

/// The sections that an entry may have for itself.
static constexpr StringRef ownPrefixes[] = {codePrefix, factsPrefix, constantsPrefix, sharedPrefix};

static constexpr StringRef commonSections[] = {"",
                                               ".shstrtab",
                                               ".strtab",
                                               ".symtab",
                                               ".debug_frame",
                                               ".note.nv.tkinfo",
                                               ".note.nv.cuinfo",
                                               ".nv.info",
                                               ".nv.compat",
                                               ".nv.callgraph",
                                               ".rela.debug_frame",
                                               ".nv.shared.reserved.0"};

/// The shared memory that ptxas reserves, which comes after the first entry's own names.
static constexpr StringRef reserved[] = {".nv.reservedSmem.offset0", ".nv.shared.reserved.0",
                                         "__nv_reservedSMEM_offset_0_alias"};

template <class T> static T load(StringRef bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T> static void append(SmallVectorImpl<char> &bytes, const T &value) {
  const char *begin = reinterpret_cast<const char *>(&value);
  bytes.append(begin, begin + sizeof value);
}

static StringRef nameAt(StringRef table, uint64_t at) { return table.substr(at).split('\0').first; }

/// Returns the rows of a table in the cubin; none if they do not lie inside.
template <class T> static std::vector<T> rowsOf(StringRef bytes, uint64_t at, uint64_t count) {
  std::vector<T> rows;
  if (at <= bytes.size() && count <= (bytes.size() - at) / sizeof(T))
    for (uint64_t row = 0; row < count; ++row)
      rows.push_back(load<T>(bytes, at + row * sizeof(T)));
  return rows;
}

bool JointCubin::readSections(StringRef bytes) {
  if (bytes.size() < sizeof header)
    return false;
  header = load<Elf64_Ehdr>(bytes, 0);
  if (!header.checkMagic() || header.e_machine != EM_CUDA)
    return false;
  segments = rowsOf<Elf64_Phdr>(bytes, header.e_phoff, header.e_phnum);
  for (const Elf64_Shdr &row : rowsOf<Elf64_Shdr>(bytes, header.e_shoff, header.e_shnum)) {
    const bool hasBytes = row.sh_type != SHT_NULL && row.sh_type != SHT_NOBITS;
    const StringRef own = hasBytes ? bytes.substr(row.sh_offset, row.sh_size) : StringRef();
    if (hasBytes && own.size() != row.sh_size)
      return false;
    sections.push_back({{}, row, own});
  }
  if (header.e_shstrndx >= sections.size() || segments.size() != header.e_phnum)
    return false;
  for (Section &one : sections) {
    one.name = nameAt(sections[header.e_shstrndx].bytes, one.header.sh_name);
    if (StringRef entry = one.name; entry.consume_front(codePrefix))
      entries.push_back(entry);
  }
  return true;
}

const JointCubin::Section &JointCubin::section(StringRef name) const {
  return *find_if(sections, [&](const Section &one) { return one.name == name; });
}

/// The entry that a section or symbol of that name belongs to, or "".
StringRef JointCubin::ownerOf(StringRef name) const {
  const StringRef last = name.rsplit('.').second;
  const StringRef entry = last.empty() ? name : last;
  return is_contained(entries, entry) ? entry : "";
}

bool JointCubin::readSymbols() {
  for (StringRef needed : commonSections)
    if (none_of(sections, [&](const Section &one) { return one.name == needed; }))
      return false;
  const StringRef table = section(".symtab").bytes, names = section(".strtab").bytes;
  for (const Elf64_Sym &row : rowsOf<Elf64_Sym>(table, 0, table.size() / sizeof(Elf64_Sym)))
    symbols.push_back({nameAt(names, row.st_name), row});
  return true;
}

/// Returns false if something unknown belongs to no entry.
bool JointCubin::findStrange() {
  const auto note = [&](StringRef owner) {
    if (!owner.empty() && !is_contained(strange, owner))
      strange.push_back(owner);
    return !owner.empty();
  };
  for (const Section &one : sections) {
    const StringRef owner = ownerOf(one.name);
    const bool isOwn = any_of(ownPrefixes, [&](StringRef prefix) {
      return !owner.empty() && one.name == (prefix + owner).str();
    });
    if (!isOwn && !is_contained(commonSections, one.name) && !note(owner))
      return false;
  }
  for (const Symbol &symbol : drop_begin(symbols)) {
    const bool isSection = symbol.row.getType() == STT_SECTION;
    if (isSection || is_contained(reserved, symbol.name) || is_contained(entries, symbol.name))
      continue;
    if (symbol.row.st_shndx >= sections.size() ||
        !note(ownerOf(sections[symbol.row.st_shndx].name)))
      return false;
  }
  return true;
}

std::optional<JointCubin> JointCubin::read(ArrayRef<char> bytes) {
  JointCubin cubin;
  if (!cubin.readSections({bytes.data(), bytes.size()}) || !cubin.readSymbols() ||
      !cubin.findStrange())
    return std::nullopt;
  return cubin;
}

//===--- Cutting -----------------------------------------------------------===//

/// Names of a table, and where they stand in it.
struct NameTable {
  SmallVector<char, 0> bytes;
  StringMap<uint32_t> places;
};

struct JointCubin::Cut {
  const JointCubin &joint;
  ArrayRef<StringRef> kept;
  StringRef first; ///< the first kept entry in the cubin's order
  NameTable sectionNames, symbolNames;
  DenseMap<uint32_t, uint32_t> newSection, newSymbol; ///< old to new numbers
  std::vector<Symbol> symbols;
  SmallVector<char, 0> frames, frameRelocations;

  Cut(const JointCubin &joint, ArrayRef<StringRef> kept) : joint(joint), kept(kept) {
    first = *find_if(joint.entries, [&](StringRef entry) { return is_contained(kept, entry); });
    sectionNames = cutNames(joint.section(".shstrtab").bytes);
    symbolNames = cutNames(joint.section(".strtab").bytes);
    numberSections();
    numberSymbols();
    cutFrames();
  }

  bool keeps(StringRef name) const {
    const StringRef owner = joint.ownerOf(name);
    return owner.empty() || is_contained(kept, owner);
  }

  /// Moves what `nameOf` says is reserved to the place after the row named `anchor`.
  template <class Row, class NameOf>
  static void placeReserved(std::vector<Row> &rows, const std::string &anchor, NameOf nameOf) {
    std::vector<Row> moved;
    const auto isMoved = [&](const Row &row) { return is_contained(reserved, nameOf(row)); };
    copy_if(rows, std::back_inserter(moved), isMoved);
    erase_if(rows, isMoved);
    const auto before = find_if(rows, [&](const Row &row) { return nameOf(row) == anchor; });
    rows.insert(before == rows.end() ? before : before + 1, moved.begin(), moved.end());
  }

  NameTable cutNames(StringRef table) const {
    std::vector<StringRef> names;
    for (StringRef name : split(table.drop_back(), '\0'))
      if (keeps(name))
        names.push_back(name);
    placeReserved(names, (sharedPrefix + first).str(), [](StringRef name) { return name; });
    NameTable result;
    for (StringRef name : names) {
      result.places.try_emplace(name, result.bytes.size());
      result.bytes.append(name.begin(), name.end());
      result.bytes.push_back('\0');
    }
    return result;
  }

  void numberSections() {
    for (const auto &[old, section] : enumerate(joint.sections))
      if (keeps(section.name))
        newSection.try_emplace(old, newSection.size());
  }

  void numberSymbols() {
    std::vector<uint32_t> order;
    for (const auto &[old, symbol] : enumerate(joint.symbols))
      if (keeps(symbol.name))
        order.push_back(old);
    placeReserved(order, (codePrefix + first).str(),
                  [&](uint32_t old) { return joint.symbols[old].name; });
    for (uint32_t old : order) {
      newSymbol.try_emplace(old, newSymbol.size());
      symbols.push_back(joint.symbols[old]);
    }
  }

  SmallVector<char, 0> symbolTable() const {
    SmallVector<char, 0> bytes;
    for (const Symbol &symbol : symbols) {
      Elf64_Sym row = symbol.row;
      row.st_name = symbolNames.places.lookup(symbol.name);
      if (row.st_shndx < joint.sections.size())
        row.st_shndx = newSection.lookup(row.st_shndx);
      append(bytes, row);
    }
    return bytes;
  }

  /// Facts of all entries begin with a symbol, and so does where an entry's parameters lie.
  SmallVector<char, 0> facts(StringRef bytes, bool ofAll) const {
    static constexpr uint8_t withBytes = 4, placeOfParameters = 0x0a; // EIFMT_SVAL, PARAM_CBANK
    SmallVector<char, 0> result;
    while (bytes.size() >= 4) {
      const uint8_t format = bytes[0], kind = bytes[1];
      const size_t size = 4 + (format == withBytes ? load<uint16_t>(bytes, 2) : 0);
      std::string row = bytes.take_front(size).str();
      bytes = bytes.drop_front(std::min(size, bytes.size()));
      if (ofAll || (format == withBytes && kind == placeOfParameters)) {
        const auto symbol = newSymbol.find(load<uint32_t>(row, 4));
        if (symbol == newSymbol.end())
          continue;
        std::memcpy(row.data() + 4, &symbol->second, sizeof symbol->second);
      }
      result.append(row.begin(), row.end());
    }
    return result;
  }

  /// Each entry has two records of the frames' section, and one relocation. The second record says
  /// how far from the section's begin the first one is.
  void cutFrames() {
    const StringRef all = joint.section(".debug_frame").bytes;
    const auto endOf = [&](uint64_t at) { return at + 12 + load<uint64_t>(all, at + 4); };
    const StringRef table = joint.section(".rela.debug_frame").bytes;
    const auto rows = rowsOf<Elf64_Rela>(table, 0, table.size() / sizeof(Elf64_Rela));
    DenseMap<uint64_t, uint64_t> moved; // from a relocation's old place to its new one
    for (uint64_t begin = 0; begin < all.size();) {
      const uint64_t second = endOf(begin), end = endOf(second), to = frames.size();
      const auto own = find_if(
          rows, [&](const Elf64_Rela &row) { return row.r_offset >= begin && row.r_offset < end; });
      if (own != rows.end() && newSymbol.count(own->getSymbol())) {
        frames.append(all.begin() + begin, all.begin() + end);
        std::memcpy(frames.data() + to + (second - begin) + 12, &to, sizeof to);
        moved[own->r_offset] = own->r_offset - begin + to;
      }
      begin = end;
    }
    for (Elf64_Rela row : rows)
      if (const auto to = moved.find(row.r_offset); to != moved.end()) {
        row.r_offset = to->second;
        row.setSymbol(newSymbol.lookup(row.getSymbol()));
        append(frameRelocations, row);
      }
  }

  /// A section's bytes and header in the result, but for its place and size.
  SmallVector<char, 0> bytesOf(const Section &section) const {
    const StringRef name = section.name;
    if (name == ".shstrtab")
      return sectionNames.bytes;
    if (name == ".strtab")
      return symbolNames.bytes;
    if (name == ".symtab")
      return symbolTable();
    if (name == ".debug_frame")
      return frames;
    if (name == ".rela.debug_frame")
      return frameRelocations;
    if (name == ".nv.info" || name.starts_with(factsPrefix))
      return facts(section.bytes, name == ".nv.info");
    return {section.bytes.begin(), section.bytes.end()};
  }

  Elf64_Shdr headerOf(const Section &section) const {
    Elf64_Shdr row = section.header;
    row.sh_name = sectionNames.places.lookup(section.name);
    if (section.name == ".symtab")
      row.sh_info = symbols.size();
    else if (joint.ownerOf(section.name).empty())
      return row; // it refers to sections in front of all that were dropped
    else if (section.name.starts_with(codePrefix))
      row.sh_info = newSymbol.lookup(row.sh_info & 0xffffff) | (row.sh_info & 0xff000000);
    else
      row.sh_info = newSection.lookup(row.sh_info);
    return row;
  }

  /// ptxas leaves room between the tables of names, among other things for `.nv.capmerc.text.NAME`
  /// of each entry.
  uint64_t roomForNames() const {
    const Elf64_Shdr &names = joint.section(".shstrtab").header;
    int64_t room = joint.section(".strtab").header.sh_offset - names.sh_offset - names.sh_size;
    for (StringRef entry : joint.entries)
      if (!is_contained(kept, entry))
        room -= sizeof(".nv.capmerc.text.") + entry.size();
    return std::max<int64_t>(room, 0);
  }

  SmallVector<char, 0> write() const {
    SmallVector<char, 0> out;
    append(out, joint.header);
    std::vector<Section> placed;
    for (const Section &old : joint.sections) {
      if (!keeps(old.name))
        continue;
      Section &section = placed.emplace_back(Section{old.name, headerOf(old), {}});
      Elf64_Shdr &row = section.header;
      if (row.sh_type == SHT_NULL)
        continue;
      if (old.name == ".strtab")
        out.append(roomForNames(), '\0');
      out.resize(alignTo(out.size(), std::max<uint64_t>(row.sh_addralign, 1)));
      row.sh_offset = out.size();
      const SmallVector<char, 0> bytes = bytesOf(old);
      if (row.sh_type != SHT_NOBITS)
        row.sh_size = bytes.size();
      out.append(bytes);
    }
    out.resize(alignTo(out.size(), 8));
    Elf64_Ehdr header = joint.header;
    header.e_shoff = out.size();
    header.e_shnum = placed.size();
    for (const Section &section : placed)
      append(out, section.header);
    header.e_phoff = out.size();
    for (const Elf64_Phdr &old : joint.segments)
      append(out, segmentOf(old, header.e_phoff, placed));
    std::memcpy(out.data(), &header, sizeof header);
    return out;
  }

  /// A segment that holds all entries' code, their constants or their shared memory holds the kept
  /// ones'; the others hold the segments' own table.
  Elf64_Phdr segmentOf(Elf64_Phdr row, uint64_t table, ArrayRef<Section> placed) const {
    if (row.p_offset == joint.header.e_phoff) {
      row.p_offset = table;
      return row;
    }
    const bool isShared = row.p_flags & PF_W;
    const auto isInside = [&](const Section &section) {
      return isShared ? section.header.sh_type == SHT_NOBITS
                      : section.name.starts_with(row.p_flags & PF_X ? codePrefix : constantsPrefix);
    };
    row.p_memsz = 0;
    uint64_t begin = UINT64_MAX, end = 0;
    for (const Section &section : placed)
      if (isInside(section)) {
        begin = std::min<uint64_t>(begin, section.header.sh_offset);
        end = section.header.sh_offset + (isShared ? 0 : section.header.sh_size);
        row.p_memsz += section.header.sh_size;
      }
    row.p_offset = begin;
    row.p_filesz = end - begin;
    if (!isShared)
      row.p_memsz = row.p_filesz;
    return row;
  }
};

SmallVector<char, 0> JointCubin::cut(ArrayRef<StringRef> kept) const {
  return Cut(*this, kept).write();
}
