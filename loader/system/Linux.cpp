// The operating system is Linux.
#include "loader/system/System.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sextant::loader::system {
namespace {

/// A range of whole pages.
struct PageRange {
  PageRange(std::byte *first, uint64_t offset, uint64_t bytes) {
    const uint64_t page = pageBytes(), before = offset & (page - 1);
    begin = first + (offset - before);
    size = (before + bytes + page - 1) & ~(page - 1);
  }
  std::byte *begin;
  uint64_t size;
};

/// Makes a file without a name, and marks it as executable on systems that require that.
int anonymousFile() {
  constexpr unsigned executable = 0x10; // MFD_EXEC, since Linux 6.3
  const int file = memfd_create("sextant-image", MFD_CLOEXEC | executable);
  return file < 0 && errno == EINVAL ? memfd_create("sextant-image", MFD_CLOEXEC) : file;
}

/// Maps a file with the same contents over the pages. Where memory that was written must not become
/// executable, code in a file may still be mapped.
bool runFromFile(const PageRange &range) {
  const int file = anonymousFile();
  if (file < 0)
    return false;
  // Writes to such a file are whole.
  const bool isMapped = write(file, range.begin, range.size) == static_cast<ssize_t>(range.size) &&
                        mmap(range.begin, range.size, PROT_READ | PROT_EXEC,
                             MAP_PRIVATE | MAP_FIXED, file, 0) == range.begin;
  close(file);
  return isMapped;
}

} // namespace

uint64_t pageBytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

Pages::~Pages() {
  if (mapping)
    munmap(mapping, mapped);
}

sxt_status Pages::reserve(uint64_t bytes, uint64_t alignment) {
  // The system aligns to pages. What lies around an aligned range costs no memory.
  const uint64_t size = alignment > pageBytes() ? bytes + alignment : bytes;
  void *memory = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return fail(SXT_ERROR_OUT_OF_MEMORY, "no memory for a CPU image of %llu bytes",
                static_cast<unsigned long long>(bytes));
  mapping = memory;
  mapped = size;
  first = static_cast<std::byte *>(memory);
  first += -reinterpret_cast<uintptr_t>(memory) & (alignment - 1);
  return SXT_OK;
}

sxt_status Pages::commit(uint64_t offset, uint64_t bytes) {
  const PageRange range(first, offset, bytes);
  if (mprotect(range.begin, range.size, PROT_READ | PROT_WRITE) != 0)
    return fail(SXT_ERROR_OUT_OF_MEMORY, "no memory for a CPU image of %llu bytes",
                static_cast<unsigned long long>(bytes));
  return SXT_OK;
}

sxt_status Pages::protect(uint64_t offset, uint64_t bytes, Access access) {
  const PageRange range(first, offset, bytes);
  const int bits = access == Access::ReadExecute ? PROT_READ | PROT_EXEC
                   : access == Access::ReadWrite ? PROT_READ | PROT_WRITE
                                                 : PROT_READ;
  if (mprotect(range.begin, range.size, bits) != 0) {
    const int why = errno;
    if (access != Access::ReadExecute || !runFromFile(range))
      return fail(SXT_ERROR_DEVICE,
                  "the system does not let this process run code from memory (%s): allow that, "
                  "as by SELinux's execmem or without systemd's MemoryDenyWriteExecute",
                  std::strerror(why));
  }
  if (access == Access::ReadExecute) {
    auto *begin = reinterpret_cast<char *>(range.begin);
    __builtin___clear_cache(begin, begin + range.size);
  }
  return SXT_OK;
}

void *openLibrary(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void *findSymbol(void *library, const char *name) { return dlsym(library, name); }

} // namespace sextant::loader::system
