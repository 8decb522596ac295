// Reads build ids from the dynamic loader's list of loaded objects, and hashes files by their
// bytes.
#include "driver/cache/CompilerIdentity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <link.h>
#include <map>
#include <mutex>

using namespace llvm;

namespace sextant {
namespace {

std::string hashFile(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return "none";
  return toHex(BLAKE3::hash<32>(arrayRefFromStringRef((*file)->getBuffer())));
}

/// Returns the build id among the notes of a loaded object, or "".
std::string buildId(const dl_phdr_info &object) {
  constexpr uint32_t gnuBuildId = 3; // NT_GNU_BUILD_ID
  for (size_t index = 0; index < object.dlpi_phnum; ++index) {
    const ElfW(Phdr) &header = object.dlpi_phdr[index];
    if (header.p_type != PT_NOTE)
      continue;
    const auto *at = reinterpret_cast<const char *>(object.dlpi_addr + header.p_vaddr);
    const auto align = [&](uint64_t bytes) {
      uint64_t unit = header.p_align == 8 ? 8 : 4;
      return (bytes + unit - 1) / unit * unit;
    };
    for (const char *end = at + header.p_memsz; at + sizeof(ElfW(Nhdr)) <= end;) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char *name = at + sizeof note, *bytes = name + align(note.n_namesz);
      if (note.n_type == gnuBuildId && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
        return toHex(StringRef(bytes, note.n_descsz));
      at = bytes + align(note.n_descsz);
    }
  }
  return {};
}

int addObject(dl_phdr_info *object, size_t, void *to) {
  // The kernel's own part of every process (the vDSO) is not a file, and makes no code.
  StringRef name = object->dlpi_name;
  if (name.contains("linux-vdso") || name.contains("linux-gate"))
    return 0;
  std::string identity = buildId(*object);
  if (identity.empty())
    identity = hashFile(name.empty() ? "/proc/self/exe" : name);
  static_cast<BLAKE3 *>(to)->update(identity + "\n");
  return 0;
}

} // namespace

const std::string &compilerIdentity() {
  static const std::string identity = [] {
    BLAKE3 hash;
    dl_iterate_phdr(addObject, &hash);
    return toHex(hash.final<32>());
  }();
  return identity;
}

std::string toolIdentity(const Target &target) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known; // a path's digest
  std::string text;
  for (const std::string &path : findBackend(target.backend)->toolFiles(target)) {
    std::lock_guard guard(mutex);
    auto [entry, isNew] = known.try_emplace(path);
    if (isNew)
      entry->second = path.empty() ? "none" : hashFile(path);
    text += entry->second + "\n";
  }
  return text;
}

} // namespace sextant
