// A block of pointers for each thread that needs one. It is freed when the thread ends.
#include "loader/ThreadMemory.h"
#include "loader/system/Thread.h"

#include <cstdlib>
#include <new>

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

} // namespace

std::byte *threadMemory(Keep what, size_t bytes) {
  static system::ThreadKey key(release);
  if (!kept) {
    void *made = std::calloc(1, sizeof(Kept));
    if (!made || !key.set(made)) {
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
