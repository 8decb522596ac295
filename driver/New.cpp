// The `new` of the command. Those of allocators throw or abort when memory runs out, also before
// main(). `delete` stays as it is: it frees what malloc returned.
#include "driver/End.h"

#include <algorithm>
#include <cstdlib>
#include <new>

void *operator new(size_t bytes) {
  void *memory = std::malloc(bytes ? bytes : 1);
  return memory ? memory : (sextant::endWithoutMemory(), nullptr);
}
void *operator new[](size_t bytes) { return operator new(bytes); }

void *operator new(size_t bytes, std::align_val_t alignment) {
  void *memory = nullptr;
  const size_t least = std::max(static_cast<size_t>(alignment), sizeof(void *));
  if (posix_memalign(&memory, least, bytes ? bytes : 1) != 0)
    sextant::endWithoutMemory();
  return memory;
}
void *operator new[](size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
