// Linux, with glibc or musl, beside what Posix.cpp has.
#include "loader/system/File.h"
#include "loader/system/Fork.h"
#include "loader/system/Library.h"
#include "loader/system/Memory.h"
#include "loader/system/Thread.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sextant::system {

std::string perfMap() { return "/tmp/perf-" + std::to_string(getpid()) + ".map"; }

//===--- Libraries ---------------------------------------------------------===//

static constexpr const char *cuda[] = {"libcuda.so.1"};
static constexpr const char *hip[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                      "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"};
static constexpr const char *vulkan[] = {"libvulkan.so.1"};
static constexpr const char *sodium[] = {"libsodium.so.26", "libsodium.so.23"};
static constexpr const char *nvtx[] = {"libnvToolsExt.so.1"};
static constexpr const char *roctx[] = {"librocprofiler-sdk-roctx.so.1",
                                        "librocprofiler-sdk-roctx.so.0", "libroctx64.so.4",
                                        "libroctx64.so"};
// libmvec needs libm, so what is found in the first library are functions of both.
static constexpr const char *math[] = {"libmvec.so.1", "libm.so.6"};
constinit const LibraryNames libraryNames{cuda, hip, vulkan, sodium, nvtx, roctx, math};

//===--- Memory ------------------------------------------------------------===//

bool Pages::reserve(uint64_t bytes, uint64_t alignment) {
  // The system aligns to pages. What lies around an aligned range costs no memory.
  const uint64_t size = alignment > pageBytes() ? bytes + alignment : bytes;
  void *memory = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  keep(memory, size, alignment);
  return true;
}

Pages::~Pages() {
  if (mapping)
    munmap(mapping, mapped);
}

bool Pages::commit(uint64_t offset, uint64_t bytes, Access) {
  const PageRange range(first, offset, bytes);
  return mprotect(range.begin, range.size, PROT_READ | PROT_WRITE) == 0;
}

/// Makes a file without a name, and marks it as executable on systems that require that. C
/// libraries before 2018 have no function for it.
static int anonymousFile() {
  constexpr unsigned closeOnExec = 1, executable = 0x10; // MFD_EXEC, since Linux 6.3
  auto make = [](unsigned flags) {
    return static_cast<int>(syscall(SYS_memfd_create, "sextant-image", flags));
  };
  const int file = make(closeOnExec | executable);
  return file < 0 && errno == EINVAL ? make(closeOnExec) : file;
}

/// Maps a file with the same contents over the pages. Where memory that was written must not become
/// executable, code in a file may still be mapped.
static bool runFromFile(const PageRange &range) {
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

std::string Pages::protect(uint64_t offset, uint64_t bytes, Access access) {
  const PageRange range(first, offset, bytes);
  const int bits = access == Access::ReadExecute ? PROT_READ | PROT_EXEC
                   : access == Access::ReadWrite ? PROT_READ | PROT_WRITE
                                                 : PROT_READ;
  if (mprotect(range.begin, range.size, bits) != 0) {
    const int why = errno;
    if (access != Access::ReadExecute || !runFromFile(range))
      return std::string(std::strerror(why)) +
             "; allow that, as by SELinux's execmem or without systemd's MemoryDenyWriteExecute";
  }
  if (access == Access::ReadExecute) {
    auto *begin = reinterpret_cast<char *>(range.begin);
    __builtin___clear_cache(begin, begin + range.size);
  }
  return "";
}

void preferHugePages(void *block, uint64_t bytes) { (void)madvise(block, bytes, MADV_HUGEPAGE); }

//===--- Threads -----------------------------------------------------------===//

unsigned processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const long count =
      sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  return static_cast<unsigned>(std::max(count, 1L));
}

void nameThread(const char *name) { pthread_setname_np(pthread_self(), name); }

bool hasStack(size_t bytes) {
  struct Bounds {
    uintptr_t begin = 0, end = 0;
    Bounds() {
      pthread_attr_t attributes;
      if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
      void *lowest = nullptr;
      size_t size = 0;
      if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
        begin = reinterpret_cast<uintptr_t>(lowest);
        end = begin + size;
        // musl only knows how far the first thread's stack has grown to. Linux keeps 128 MiB
        // below it free of mappings. The first thread of a fork's child may have been another.
        // It grows when it is touched, which ends the process where memory is limited and used up.
        rlimit limit, memory;
        constexpr rlim_t free = rlim_t(128) << 20;
        if (forks() == 0 && syscall(SYS_gettid) == getpid() &&
            getrlimit(RLIMIT_STACK, &limit) == 0 && getrlimit(RLIMIT_AS, &memory) == 0)
          begin = memory.rlim_cur != RLIM_INFINITY
                      ? end
                      : std::min<uintptr_t>(begin, end - std::min(limit.rlim_cur, free));
      }
      pthread_attr_destroy(&attributes);
    }
  };
  static thread_local const Bounds bounds;
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here < bounds.end && here > bounds.begin && here - bounds.begin >= bytes;
}

} // namespace sextant::system
