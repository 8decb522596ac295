// The loader's view of an image: its layout, its relocations, its symbols, and each refusal.
// The expected values are worked out from the specifications, by hand.
#include "tests/loader/elf/Draft.h"

#include "loader/devices/cpu/ElfDynamic.h"
#include "tests/support/Catch.h"

#include <functional>

using namespace sextant::loader;
using namespace sextant::test;

namespace {

constexpr uint64_t page = 4096;

std::string problemOf(Draft draft, uint64_t pageBytes = page) {
  ElfLayout layout;
  const char *problem = readLayout(draft.done(), pageBytes, layout);
  return problem ? problem : "";
}

/// An image in memory that is not code.
struct Copied {
  explicit Copied(Draft draft) {
    const std::vector<std::byte> file = draft.done();
    const char *problem = readLayout(file, page, layout);
    INFO((problem ? problem : ""));
    REQUIRE(!problem);
    memory.resize(layout.all.bytes);
    for (const ElfPart &part : layout.parts)
      std::memcpy(memory.data() + part.begin, file.data() + part.fileBegin, part.fileBytes);
    status = dynamic.read(layout, memory.data());
  }
  void relocate() {
    if (status == SXT_OK)
      status = dynamic.relocate([](const char *name) -> void * {
        return std::string(name) == "elsewhere" ? reinterpret_cast<void *>(0x123456789) : nullptr;
      });
  }
  uint64_t slot(unsigned number) const {
    uint64_t value;
    std::memcpy(&value, memory.data() + Draft::slotsAddress + 8 * number, sizeof value);
    return value;
  }
  uint64_t address() const { return reinterpret_cast<uintptr_t>(memory.data()); }

  ElfLayout layout;
  std::vector<std::byte> memory;
  ElfDynamic dynamic;
  sxt_status status = SXT_OK;
};

/// The message of an image that is refused once it is copied.
std::string refusalOf(Draft draft) {
  Copied copied(std::move(draft));
  copied.relocate();
  return copied.status == SXT_OK ? "" : sxt_last_error_message();
}

} // namespace

TEST_CASE("an image has its parts at their places") {
  ElfLayout layout;
  REQUIRE(readLayout(Draft().done(), page, layout) == nullptr);
  REQUIRE(layout.parts.size() == 3);
  CHECK(layout.alignment == 0x10000);
  CHECK(layout.all.begin == 0);
  CHECK(layout.all.bytes == 0x20800 + 0x1000);
  CHECK(layout.parts[0].access == sextant::system::Access::Read);
  CHECK(layout.parts[1].access == sextant::system::Access::ReadExecute);
  CHECK(layout.parts[1].begin == 0x10700);
  CHECK(layout.parts[1].fileBegin == 0x700);
  CHECK(layout.parts[2].access == sextant::system::Access::ReadWrite);
  CHECK(layout.parts[2].bytes == 0x1000);
  CHECK(layout.parts[2].fileBytes == 0x200);
  CHECK(layout.dynamic.begin == 0x20800);
  CHECK(problemOf(Draft(), 16384).empty());
  CHECK(problemOf(Draft(), 65536).empty());
}

TEST_CASE("an image may begin at another address than 0") {
  Draft draft;
  for (unsigned number : {Draft::Read, Draft::Run, Draft::Write, Draft::Dynamic})
    draft.program(number).p_vaddr += 0x50000;
  ElfLayout layout;
  REQUIRE(readLayout(draft.done(), page, layout) == nullptr);
  CHECK(layout.all.begin == 0x50000);
  CHECK(layout.all.bytes == 0x21800);
}

TEST_CASE("what is wrong with the headers is said") {
  struct Row {
    std::function<void(Draft &)> edit;
    const char *problem;
  };
  const char cut[] = "is cut short", foreign[] = "is not a 64-bit shared object of this machine",
             large[] = "is too large", overlap[] = "has segments that overlap",
             noObject[] = "is not a shared object";
  const Row rows[] = {
      {[](Draft &d) { d.bytes[0] = 0; }, "is not an ELF file"},
      {[](Draft &d) { d.at<Elf64_Ehdr>(0).e_ident[EI_CLASS] = ELFCLASS32; }, foreign},
      {[](Draft &d) { d.at<Elf64_Ehdr>(0).e_ident[EI_DATA] = ELFDATA2MSB; }, foreign},
      {[](Draft &d) { d.at<Elf64_Ehdr>(0).e_type = ET_EXEC; }, foreign},
      {[](Draft &d) { d.at<Elf64_Ehdr>(0).e_machine = EM_RISCV; }, foreign},
      {[](Draft &d) { d.at<Elf64_Ehdr>(0).e_phentsize = 32; }, cut},
      {[](Draft &d) { d.at<Elf64_Ehdr>(0).e_phoff = d.end - 8; }, cut},
      {[](Draft &d) { d.at<Elf64_Ehdr>(0).e_phoff = ~uint64_t(0) - 8; }, cut},
      {[](Draft &d) { d.at<Elf64_Ehdr>(0).e_phnum = 0xffff; }, cut},
      {[](Draft &d) { d.at<Elf64_Ehdr>(0).e_phnum = 0; }, noObject},
      {[](Draft &d) { d.program(d.Run).p_filesz = d.program(d.Run).p_memsz = d.end; }, cut},
      {[](Draft &d) { d.program(d.Run).p_offset = ~uint64_t(0); }, cut},
      {[](Draft &d) { d.program(d.Run).p_memsz = 8; }, cut},
      {[](Draft &d) { d.program(d.Write).p_memsz = uint64_t(1) << 33; }, large},
      {[](Draft &d) { d.program(d.Write).p_vaddr = ~uint64_t(0) - 8; }, large},
      {[](Draft &d) { d.program(d.Write).p_align = uint64_t(1) << 40; }, large},
      {[](Draft &d) { d.program(d.Write).p_align = 24; },
       "has an alignment that is not a power of two"},
      {[](Draft &d) { d.program(d.Run).p_flags |= PF_W; }, "has memory that is written and run"},
      {[](Draft &d) { d.program(d.Run).p_vaddr = 0x100; }, overlap},
      {[](Draft &d) { d.program(d.Run).p_vaddr = 0x30000; }, overlap}, // not ascending
      {[](Draft &d) { d.program(d.Run).p_vaddr = 0x700; },
       "was linked for smaller pages than this system has; compile it again"},
      {[](Draft &d) { d.program(d.Dynamic).p_type = PT_NULL; }, noObject},
      {[](Draft &d) { d.program(d.Dynamic).p_vaddr = 0x18000; }, noObject},
      {[](Draft &d) { d.program(d.Dynamic).p_memsz = ~uint64_t(0); }, noObject},
      {[](Draft &d) { d.program(d.Extra).p_type = PT_TLS; }, "has variables of threads"},
      {[](Draft &d) { d.program(d.Extra) = {PT_GNU_RELRO, 0, 0, 0x90000, 0, 0, 8, 1}; }, overlap},
  };
  for (const Row &row : rows) {
    INFO("row " << &row - rows);
    Draft draft;
    row.edit(draft);
    CHECK(problemOf(draft) == row.problem);
  }
  // Images of before are for pages of 4 KiB.
  Draft small;
  for (unsigned number : {Draft::Read, Draft::Run, Draft::Write})
    small.program(number).p_align = page;
  small.program(Draft::Run).p_vaddr = 0x1700;
  small.program(Draft::Write).p_vaddr = small.program(Draft::Dynamic).p_vaddr = 0x2800;
  CHECK(problemOf(small).empty());
  CHECK(problemOf(small, 16384) ==
        "was linked for smaller pages than this system has; compile it again");
  // Every shorter file is refused, and nothing past its end is read.
  const std::vector<std::byte> whole = Draft().done();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> part(whole.begin(), whole.begin() + std::ptrdiff_t(size));
    ElfLayout layout;
    CHECK(readLayout(part, page, layout) != nullptr);
  }
}

TEST_CASE("relocations have the values of the psABI") {
  Draft draft;
  draft.relocate(0, relative, 0, 0x10704); // B + A
  draft.relocate(1, absolute, 1, 5);       // S + A, in another library
  draft.relocate(2, absolute, 4, -4);      // S + A, in the image
  draft.relocate(3, data, 4, 0);           // S
  draft.relocate(4, function, 1, 0);       // S
  draft.relocate(5, function, 2, 0);       // weak, and nowhere
  draft.relocate(6, absolute, 3, 1);       // a value that is not an address
  Copied copied(draft);
  copied.relocate();
  REQUIRE(copied.status == SXT_OK);
  const uint64_t base = copied.address();
  CHECK(copied.slot(0) == base + 0x10704);
  CHECK(copied.slot(1) == 0x12345678e);
  CHECK(copied.slot(2) == base + 0x106fc);
  CHECK(copied.slot(3) == base + 0x10700);
  CHECK(copied.slot(4) == 0x123456789);
  CHECK(copied.slot(5) == 0);
  CHECK(copied.slot(6) == 0x5556);
  CHECK(copied.slot(7) == 0);
}

TEST_CASE("calls have a table of relocations of their own") {
  Draft draft;
  draft.at<Elf64_Rela>(Draft::calls) = {Draft::slotsAddress, ELF64_R_INFO(uint64_t(1), function),
                                        0};
  draft.dynamics.push_back({DT_JMPREL, {Draft::calls}});
  draft.dynamics.push_back({DT_PLTRELSZ, {sizeof(Elf64_Rela)}});
  Copied copied(draft);
  copied.relocate();
  REQUIRE(copied.status == SXT_OK);
  CHECK(copied.slot(0) == 0x123456789);
}

TEST_CASE("relocations that images do not have are refused") {
  const std::string damaged = "the CPU image has a damaged dynamic section";
  Draft kind;
  kind.relocate(0, indirect, 0, 0);
  CHECK(refusalOf(kind) ==
        "the CPU image has a relocation of the unknown type " + std::to_string(indirect));
  Draft function;
  function.symbol(1) = function.symbol(2);
  function.symbol(1).st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  function.relocate(0, absolute, 1, 0);
  CHECK(refusalOf(function) ==
        "the CPU image calls 'perhaps', which this system lacks: compile it again");
  for (unsigned type : {STT_TLS, STT_GNU_IFUNC}) {
    Draft thread;
    thread.symbol(1).st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, type));
    thread.relocate(0, absolute, 1, 0);
    CHECK(refusalOf(thread) ==
          "the CPU image has a symbol 'elsewhere' of the unknown type " + std::to_string(type));
  }
  // Where they may not write: in code, past the end, across it.
  for (uint64_t place : {Draft::codeAddress, uint64_t(0x21800), uint64_t(0x217fc), ~uint64_t(0)}) {
    Draft outside;
    outside.relocate(0, relative, 0, 0);
    outside.at<Elf64_Rela>(Draft::relocations).r_offset = place;
    CHECK(refusalOf(outside) == "the CPU image has a relocation outside of its data");
  }
  Draft symbol;
  symbol.relocate(0, absolute, 0xffffffff, 0);
  CHECK(refusalOf(symbol) == damaged);
  Draft name;
  name.symbol(1).st_name = 0x1000;
  name.relocate(0, absolute, 1, 0);
  CHECK(refusalOf(name) == damaged);
  Draft endless; // a name that nothing ends
  endless.dynamics[2].d_un.d_val = 3;
  endless.symbol(1).st_name = 1;
  endless.relocate(0, absolute, 1, 0);
  CHECK(refusalOf(endless) == damaged);
  Draft table;
  table.relocate(0, relative, 0, 0);
  table.dynamics.push_back({DT_JMPREL, {~uint64_t(0)}});
  table.dynamics.push_back({DT_PLTRELSZ, {24}});
  CHECK(refusalOf(table) == damaged);
}

TEST_CASE("what would run or be relocated another way is refused") {
  for (int64_t tag : {DT_INIT, DT_FINI, DT_INIT_ARRAY, DT_FINI_ARRAY, DT_PREINIT_ARRAY}) {
    Draft draft;
    draft.dynamics.push_back({tag, {Draft::codeAddress}});
    CHECK(refusalOf(draft) == "the CPU image has code that runs when it is loaded");
  }
  for (int64_t tag : {int64_t(DT_REL), int64_t(36) /*DT_RELR*/}) {
    Draft draft;
    draft.dynamics.push_back({tag, {Draft::relocations}});
    CHECK(refusalOf(draft) == "the CPU image has relocations without addends");
  }
}

TEST_CASE("functions are found by either hash table") {
  for (bool isGnu : {true, false}) {
    Draft draft;
    if (!isGnu)
      draft.dynamics[3] = {DT_HASH, {Draft::sysvHash}};
    Copied copied(draft);
    REQUIRE(copied.status == SXT_OK);
    CHECK(copied.dynamic.find("task") == copied.memory.data() + 0x10700);
    for (const char *name : {"", "tas", "tasks", "elsewhere", "perhaps", "constant"})
      CHECK(copied.dynamic.find(name) == nullptr);
  }
}

TEST_CASE("damaged tables hold no function") {
  auto finds = [](auto edit) {
    Draft draft;
    edit(draft);
    Copied copied(draft);
    return copied.status == SXT_OK && copied.dynamic.find("task") != nullptr;
  };
  CHECK_FALSE(finds([](Draft &d) { d.dynamics[3].d_un.d_val = 0x6fc; }));
  CHECK_FALSE(finds([](Draft &d) { d.at<uint32_t>(d.gnuHash) = 0xffffffff; }));
  CHECK_FALSE(finds([](Draft &d) { d.at<uint32_t>(d.gnuHash + 8) = 0xffffffff; }));
  CHECK_FALSE(finds([](Draft &d) { d.at<uint32_t>(d.gnuHash + 24) = 0xfffffff0; }));
  CHECK_FALSE(finds([](Draft &d) { d.dynamics[0].d_un.d_val = ~uint64_t(0) - 40; }));
  CHECK_FALSE(finds([](Draft &d) { d.dynamics[1].d_un.d_val = ~uint64_t(0) - 4; }));
  CHECK_FALSE(finds([](Draft &d) { d.dynamics.resize(3); }));
  CHECK_FALSE(finds([](Draft &d) { d.symbol(4).st_value = 0x100; })); // no code
  CHECK_FALSE(finds([](Draft &d) { d.symbol(4).st_value = ~uint64_t(0); }));
}
