// Ranges for profilers around launches and loads: NVTX for NVIDIA's tools, rocTX for
// AMD's. Off, at the cost of one load and branch, unless a profiler is there.
#pragma once

#include <atomic>

namespace sextant::loader {

struct Markers {
  int (*push)(const char *name) = nullptr;
  int (*pop)() = nullptr;
};

/// Null: off, or not looked for yet.
extern std::atomic<const Markers *> markers;

/// Looks for a profiler at the first call; when a device or a module is opened.
void findMarkers();

/// A range of the calling thread that ends with the scope. The name is read at once.
class MarkedRange {
public:
  explicit MarkedRange(const char *name) : on(markers.load(std::memory_order_acquire)) {
    if (on) [[unlikely]]
      on->push(name);
  }
  ~MarkedRange() {
    if (on) [[unlikely]]
      on->pop();
  }
  MarkedRange(const MarkedRange &) = delete;
  MarkedRange &operator=(const MarkedRange &) = delete;

private:
  const Markers *on;
};

} // namespace sextant::loader
