// Counts and refuses allocations. glibc's own functions do the work.
#include "FaultyAllocator.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEXTANT_SANITIZER_OWNS_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SEXTANT_SANITIZER_OWNS_MALLOC 1
#endif
#endif

namespace {

constexpr long never = -1;
struct Faults {
  int depth = 0; ///< number of FailingScopes; negative inside a driver
  long failAt = never, counted = 0;
  bool all = false, failed = false;
};
thread_local constinit Faults
    faults; // a variable of the program itself: reaching it allocates nothing
std::atomic<long> alive{0};

bool refuses() {
  if (faults.depth <= 0)
    return false;
  const long number = faults.counted++;
  const bool hit =
      faults.failAt != never && (number == faults.failAt || (faults.all && number > faults.failAt));
  faults.failed |= hit;
  return hit;
}

void *counted(void *pointer) {
  if (pointer)
    alive.fetch_add(1, std::memory_order_relaxed);
  return pointer;
}
void uncount(void *pointer) {
  if (pointer)
    alive.fetch_sub(1, std::memory_order_relaxed);
}

} // namespace

#ifdef SEXTANT_SANITIZER_OWNS_MALLOC

static void *taken(size_t bytes) {
  return counted(refuses() ? nullptr : std::malloc(bytes ? bytes : 1));
}
static void *taken(size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<size_t>(alignment);
  return counted(refuses() ? nullptr : std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit));
}
static void *orThrow(void *pointer) {
  if (!pointer)
    throw std::bad_alloc();
  return pointer;
}

// The sanitizer has an operator of its own for each of these that is missing here, and refuses
// what one made and another frees.
using Alignment = std::align_val_t;
using Quiet = const std::nothrow_t &;
void *operator new(size_t bytes) { return orThrow(taken(bytes)); }
void *operator new[](size_t bytes) { return orThrow(taken(bytes)); }
void *operator new(size_t bytes, Quiet) noexcept { return taken(bytes); }
void *operator new[](size_t bytes, Quiet) noexcept { return taken(bytes); }
void *operator new(size_t bytes, Alignment to) { return orThrow(taken(bytes, to)); }
void *operator new[](size_t bytes, Alignment to) { return orThrow(taken(bytes, to)); }
void *operator new(size_t bytes, Alignment to, Quiet) noexcept { return taken(bytes, to); }
void *operator new[](size_t bytes, Alignment to, Quiet) noexcept { return taken(bytes, to); }
void operator delete(void *pointer) noexcept {
  uncount(pointer);
  std::free(pointer);
}
void operator delete[](void *pointer) noexcept { operator delete(pointer); }
void operator delete(void *pointer, Quiet) noexcept { operator delete(pointer); }
void operator delete[](void *pointer, Quiet) noexcept { operator delete(pointer); }
void operator delete(void *pointer, size_t) noexcept { operator delete(pointer); }
void operator delete[](void *pointer, size_t) noexcept { operator delete(pointer); }
void operator delete(void *pointer, Alignment) noexcept { operator delete(pointer); }
void operator delete[](void *pointer, Alignment) noexcept { operator delete(pointer); }
void operator delete(void *pointer, Alignment, Quiet) noexcept { operator delete(pointer); }
void operator delete[](void *pointer, Alignment, Quiet) noexcept { operator delete(pointer); }
void operator delete(void *pointer, size_t, Alignment) noexcept { operator delete(pointer); }
void operator delete[](void *pointer, size_t, Alignment) noexcept { operator delete(pointer); }

#else

// libstdc++'s operator new calls malloc, so this is all of them.
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *pointer, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *pointer);

static void *refused() {
  errno = ENOMEM;
  return nullptr;
}
void *malloc(size_t bytes) { return refuses() ? refused() : counted(__libc_malloc(bytes)); }
void *calloc(size_t count, size_t bytes) {
  return refuses() ? refused() : counted(__libc_calloc(count, bytes));
}
void *realloc(void *pointer, size_t bytes) {
  if (refuses())
    return refused();
  void *moved = __libc_realloc(pointer, bytes);
  return pointer ? moved : counted(moved);
}
void *memalign(size_t alignment, size_t bytes) {
  return refuses() ? refused() : counted(__libc_memalign(alignment, bytes));
}
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **pointer, size_t alignment, size_t bytes) {
  void *made = memalign(alignment, bytes);
  if (!made)
    return ENOMEM;
  *pointer = made;
  return 0;
}
void free(void *pointer) {
  uncount(pointer);
  __libc_free(pointer);
}
}

#endif

namespace sextant::test {

void failAllocation(long nth, bool allThatFollow) {
  faults.failAt = nth;
  faults.all = allThatFollow;
  faults.counted = 0;
  faults.failed = false;
}
void failNoAllocation() { failAllocation(never, false); }
long allocationsCounted() { return faults.counted; }
bool allocationFailed() { return faults.failed; }
long allocationsAlive() { return alive.load(); }

FailingScope::FailingScope() { ++faults.depth; }
FailingScope::~FailingScope() { --faults.depth; }

} // namespace sextant::test

void sextantTestEnterDriver(void) { faults.depth -= 1000; }
void sextantTestLeaveDriver(void) { faults.depth += 1000; }
