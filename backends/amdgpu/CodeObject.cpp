// Reads the note NT_AMDGPU_METADATA, a MessagePack document (LLVM's AMDGPU usage page,
// "Code Object V5 Metadata").
#include "backends/amdgpu/CodeObject.h"
#include "backends/Errors.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace sextant;

/// The note's contents, within `image`.
static Expected<StringRef> findMetadata(ArrayRef<char> image) {
  auto file = object::ELF64LEFile::create(StringRef(image.data(), image.size()));
  if (!file)
    return file.takeError();
  auto headers = file->program_headers();
  if (!headers)
    return headers.takeError();
  for (const auto &header : *headers) {
    if (header.p_type != ELF::PT_NOTE)
      continue;
    Error error = Error::success();
    StringRef found;
    for (auto note : file->notes(header, error))
      if (note.getName() == "AMDGPU" && note.getType() == ELF::NT_AMDGPU_METADATA)
        found = toStringRef(note.getDesc(/*Align=*/4));
    if (error)
      return std::move(error);
    if (!found.empty())
      return found;
  }
  return fail("the code object has no metadata");
}

Error sextant::readResources(ArrayRef<char> image, MutableArrayRef<TaskResources> tasks) {
  Expected<StringRef> metadata = findMetadata(image);
  if (!metadata)
    return metadata.takeError();
  msgpack::Document document;
  if (!document.readFromBlob(*metadata, /*Multi=*/false) || !document.getRoot().isMap())
    return fail("the code object's metadata is damaged");
  msgpack::DocNode &kernels = document.getRoot().getMap()["amdhsa.kernels"];
  if (!kernels.isArray())
    return fail("the code object's metadata names no kernels");
  for (msgpack::DocNode &node : kernels.getArray()) {
    if (!node.isMap())
      return fail("the code object's metadata is damaged");
    msgpack::MapDocNode &kernel = node.getMap();
    auto number = [&](StringRef key) {
      auto found = kernel.find(key);
      return found == kernel.end() || found->second.getKind() != msgpack::Type::UInt
                 ? -1
                 : int(found->second.getUInt());
    };
    msgpack::DocNode &name = kernel[".name"];
    auto *task = llvm::find_if(tasks, [&](const TaskResources &t) {
      return name.isString() && t.task == name.getString();
    });
    if (task == tasks.end())
      continue;
    task->registers = number(".vgpr_count");
    task->scalarRegisters = number(".sgpr_count");
    task->spillBytes = 4 * (std::max(number(".vgpr_spill_count"), 0));
    task->stackBytes = number(".private_segment_fixed_size");
    task->sharedBytes = number(".group_segment_fixed_size");
  }
  return Error::success();
}
