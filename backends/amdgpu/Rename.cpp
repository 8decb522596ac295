// The processor stands in two places (LLVM's AMDGPU usage page): in the flags of the ELF header,
// and in the note NT_AMDGPU_METADATA, a MessagePack document, as "amdhsa.target".
#include "backends/amdgpu/Rename.h"
#include "backends/Errors.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace sextant;

namespace {

struct Note {
  StringRef section;
  StringRef metadata;
};

} // namespace

static Expected<Note> findNote(const object::ELF64LEFile &file) {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Error error = Error::success();
    StringRef found;
    for (auto note : file.notes(section, error))
      if (note.getName() == "AMDGPU" && note.getType() == ELF::NT_AMDGPU_METADATA)
        found = toStringRef(note.getDesc(/*Align=*/4));
    if (error)
      return std::move(error);
    if (found.empty())
      continue;
    Expected<StringRef> name = file.getSectionName(section);
    if (!name)
      return name.takeError();
    return Note{*name, found};
  }
  return fail("the object has no metadata");
}

/// The section of a note whose metadata names `arch`.
static Expected<std::string> renamedNote(StringRef metadata, const AmdArch &arch) {
  msgpack::Document document;
  if (!document.readFromBlob(metadata, /*Multi=*/false) || !document.getRoot().isMap())
    return fail("the object's metadata is damaged");
  msgpack::DocNode &target = document.getRoot().getMap()["amdhsa.target"];
  // As in "amdgcn-amd-amdhsa--gfx942:xnack-".
  auto [before, after] = target.isString() ? target.getString().split(arch.llvmName)
                                           : std::pair<StringRef, StringRef>();
  if (!before.ends_with("--"))
    return fail(Twine("the object's metadata does not name ") + arch.llvmName);
  target = document.getNode((before + arch.arch.name + after).str(), /*Copy=*/true);
  std::string renamed;
  document.writeToBlob(renamed);

  const StringRef owner("AMDGPU\0\0", 8); // the name and its padding
  std::string note(sizeof(ELF::Elf64_Nhdr), 0);
  const ELF::Elf64_Nhdr header{uint32_t(owner.size() - 1), uint32_t(renamed.size()),
                               ELF::NT_AMDGPU_METADATA};
  std::memcpy(note.data(), &header, sizeof header);
  note += owner;
  note += renamed;
  note.resize(alignTo(note.size(), 4));
  return note;
}

Expected<SmallVector<char, 0>> sextant::renameProcessor(ArrayRef<char> object,
                                                        const AmdArch &arch) {
  const MemoryBufferRef bytes(
      toStringRef(ArrayRef(reinterpret_cast<const uint8_t *>(object.data()), object.size())),
      arch.arch.name);
  auto file = object::ELFObjectFile<object::ELF64LE>::create(bytes);
  if (!file)
    return file.takeError();
  Expected<Note> note = findNote(file->getELFFile());
  if (!note)
    return note.takeError();
  Expected<std::string> renamed = renamedNote(note->metadata, arch);
  if (!renamed)
    return renamed.takeError();

  objcopy::ConfigManager config;
  config.Common.UpdateSection.emplace_back(note->section, MemoryBuffer::getMemBufferCopy(*renamed));
  SmallVector<char, 0> result;
  raw_svector_ostream out(result);
  if (Error error = objcopy::executeObjcopyOnBinary(config, *file, out))
    return std::move(error);

  ELF::Elf64_Ehdr header;
  std::memcpy(&header, result.data(), sizeof header);
  header.e_flags = (header.e_flags & ~ELF::EF_AMDGPU_MACH) | arch.machine;
  if (arch.isGeneric) // the first version of the generic processor
    header.e_flags |= 1u << ELF::EF_AMDGPU_GENERIC_VERSION_OFFSET;
  std::memcpy(result.data(), &header, sizeof header);
  return result;
}
