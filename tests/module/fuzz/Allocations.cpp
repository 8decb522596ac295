#include "tests/module/fuzz/Allocations.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

std::atomic<size_t> live{0}, peak{0}, largest{0};

void raise(std::atomic<size_t> &most, size_t value) {
  size_t old = most.load(std::memory_order_relaxed);
  while (old < value && !most.compare_exchange_weak(old, value, std::memory_order_relaxed))
    ;
}

void *tryTake(size_t size) noexcept {
  void *memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr)
    return nullptr;
  raise(largest, size);
  const size_t bytes = malloc_usable_size(memory);
  raise(peak, live.fetch_add(bytes, std::memory_order_relaxed) + bytes);
  return memory;
}

void *take(size_t size) {
  void *memory = tryTake(size);
  if (memory == nullptr)
    throw std::bad_alloc();
  return memory;
}

void give(void *memory) noexcept {
  if (memory != nullptr)
    live.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

} // namespace

namespace sextant::test {

Allocations allocations() { return {live, peak, largest}; }
void resetAllocations() {
  peak = live.load();
  largest = 0;
}

} // namespace sextant::test

void *operator new(size_t size) { return take(size); }
void *operator new[](size_t size) { return take(size); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return tryTake(size); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return tryTake(size); }
void operator delete(void *memory) noexcept { give(memory); }
void operator delete[](void *memory) noexcept { give(memory); }
void operator delete(void *memory, size_t) noexcept { give(memory); }
void operator delete[](void *memory, size_t) noexcept { give(memory); }
