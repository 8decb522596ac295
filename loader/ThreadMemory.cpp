// A block of pointers for each thread that needs one. It is freed when the thread ends.
#include "loader/ThreadMemory.h"

#include <cstdlib>
#include <new>
#include <pthread.h>

namespace sextant::loader {
namespace {

struct Kept {
  void *memory[size_t(Keep::Count)];
  size_t bytes[size_t(Keep::Count)];
};
constinit thread_local Kept *kept = nullptr;

void release(void *gone) {
  for (void *memory : static_cast<Kept *>(gone)->memory)
    std::free(memory);
  std::free(gone);
  kept = nullptr;
}

/// Makes threads call `release` when they end, while this library is loaded.
struct Key {
  pthread_key_t key{};
  bool usable = pthread_key_create(&key, release) == 0;
  ~Key() {
    if (usable)
      pthread_key_delete(key);
    usable = false;
  }
};

} // namespace

std::byte *threadMemory(Keep what, size_t bytes) {
  static Key key;
  if (!kept) {
    void *made = std::calloc(1, sizeof(Kept));
    if (!made || !key.usable || pthread_setspecific(key.key, made) != 0) {
      std::free(made);
      throw std::bad_alloc();
    }
    kept = static_cast<Kept *>(made);
  }
  const auto index = static_cast<size_t>(what);
  void *&memory = kept->memory[index];
  if (kept->bytes[index] < bytes) {
    void *larger = std::malloc(bytes);
    if (!larger)
      throw std::bad_alloc();
    std::free(memory);
    memory = larger;
    kept->bytes[index] = bytes;
  }
  return static_cast<std::byte *>(memory);
}

} // namespace sextant::loader
