// Ranges for profilers around launches and loads: NVTX for NVIDIA's tools, rocTX for AMD's. Without
// a profiler they cost one load and one branch.
#pragma once

#include <atomic>

namespace sextant::loader {

struct Markers {
  int (*push)(const char *name) = nullptr;
  int (*pop)() = nullptr;
};

/// Null if no profiler takes ranges, or if the loader has not looked for one yet.
extern std::atomic<const Markers *> markers;

/// Looks for a profiler at the first call. Called when a device or a module is opened.
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
