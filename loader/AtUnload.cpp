// The functions that run when the loader is unloaded.
#include "loader/AtUnload.h"

#include <cstddef>
#include <mutex>

namespace sextant::loader {
namespace {

/// One for each object that is kept. A list of its own would be one more object.
constexpr size_t mostCleaners = 16;
void (*cleaners[mostCleaners])() = {};
size_t cleanerCount = 0;
/// True once the process ends: drivers may then be destroyed already.
bool ending = false;

struct AtEnd {
  ~AtEnd() { ending = true; }
};

/// It also runs at the end of the process. There it runs after the functions that were registered
/// for the end, so `ending` is set; at an unloading these come later.
[[gnu::destructor]] void unload() {
  while (!ending && cleanerCount > 0)
    cleaners[--cleanerCount]();
}

} // namespace

void atUnload(void (*clean)()) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  static AtEnd atEnd;
  if (cleanerCount < mostCleaners)
    cleaners[cleanerCount++] = clean;
}

} // namespace sextant::loader
