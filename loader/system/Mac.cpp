// macOS, beside what Posix.cpp has. Built by Zig without Apple's SDK. **Not run on Apple's machines
// so far.**
//
// Code that is made at run time lies in pages that are mapped with MAP_JIT. On Apple silicon, such
// pages are either written or run, by each thread for itself; elsewhere the protection of pages
// says so. MAP_JIT cannot be combined with MAP_FIXED. So a range is one such mapping, and ordinary
// pages replace what of it holds data. Each image has a mapping of its own: macOS allows any number
// of them, but for applications with the entitlement com.apple.security.cs.single-jit.
#include "loader/system/File.h"
#include "loader/system/Library.h"
#include "loader/system/Memory.h"
#include "loader/system/Thread.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <libkern/OSCacheControl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sextant::system {

std::string perfMap() { return ""; }

//===--- Libraries ---------------------------------------------------------===//

static constexpr const char *vulkan[] = {"libvulkan.1.dylib", "libMoltenVK.dylib",
                                         "/usr/local/lib/libvulkan.1.dylib",
                                         "/opt/homebrew/lib/libvulkan.1.dylib"};
static constexpr const char *sodium[] = {"libsodium.26.dylib", "libsodium.23.dylib",
                                         "/opt/homebrew/lib/libsodium.26.dylib",
                                         "/opt/homebrew/lib/libsodium.23.dylib"};
constinit const LibraryNames libraryNames{{}, {}, vulkan, sodium, {}, {}, {}};

//===--- Memory ------------------------------------------------------------===//

bool Pages::reserve(uint64_t bytes, uint64_t alignment) {
  const uint64_t size = alignment > pageBytes() ? bytes + alignment : bytes;
  // A hardened process gets pages for code only with the entitlement for them. Without it, pages
  // may be written and then run if the process is not hardened or has another entitlement, of which
  // protect() tells.
  constexpr int flags = MAP_PRIVATE | MAP_ANON;
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE | PROT_EXEC, flags | MAP_JIT, -1, 0);
  isForCode = memory != MAP_FAILED;
  if (!isForCode)
    memory = mmap(nullptr, size, PROT_NONE, flags | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  keep(memory, size, alignment);
  return true;
}

/// Says for the calling thread whether it writes pages for code, or runs them: those of all ranges,
/// and of the application too.
static void writeCode(bool writes) {
  if (pthread_jit_write_protect_supported_np())
    pthread_jit_write_protect_np(writes ? 0 : 1);
}

bool Pages::commit(uint64_t offset, uint64_t bytes, Access later) {
  const PageRange range(first, offset, bytes);
  if (!isForCode)
    return mprotect(range.begin, range.size, PROT_READ | PROT_WRITE) == 0;
  if (later == Access::ReadExecute) {
    writeCode(true);
    isWriting = true;
    return true;
  }
  return mmap(range.begin, range.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_FIXED,
              -1, 0) == range.begin;
}

std::string Pages::protect(uint64_t offset, uint64_t bytes, Access access) {
  const PageRange range(first, offset, bytes);
  const bool runs = access == Access::ReadExecute;
  if (runs && isWriting) {
    writeCode(false);
    isWriting = false;
  }
  // Where threads say for themselves what they do, pages for code stay as they were mapped.
  const bool isDone = runs && isForCode && pthread_jit_write_protect_supported_np();
  const int bits = runs                          ? PROT_READ | PROT_EXEC
                   : access == Access::ReadWrite ? PROT_READ | PROT_WRITE
                                                 : PROT_READ;
  if (!isDone && mprotect(range.begin, range.size, bits) != 0)
    return std::string(std::strerror(errno)) +
           "; sign the application with the entitlement com.apple.security.cs.allow-jit, or with "
           "com.apple.security.cs.allow-unsigned-executable-memory";
  if (runs)
    sys_icache_invalidate(range.begin, range.size);
  return "";
}

Pages::~Pages() {
  if (!mapping)
    return;
  if (isWriting) // after an error, in the thread that had it
    writeCode(false);
  munmap(mapping, mapped);
}

void preferHugePages(void *, uint64_t) {}

//===--- Threads -----------------------------------------------------------===//

unsigned processors() { return static_cast<unsigned>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L)); }

void nameThread(const char *name) { pthread_setname_np(name); }

bool hasStack(size_t bytes) {
  const pthread_t self = pthread_self();
  const auto end = reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(self));
  const auto begin = end - pthread_get_stacksize_np(self);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here < end && here > begin && here - begin >= bytes;
}

} // namespace sextant::system
