// Copies of what memory held at some time, and sets of ranges.
#pragma once

#include "sextant/recording/kernel.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace sextant::recording {

/// Memory for copies, which is used again: drivers take long to allocate.
class Pool {
public:
  explicit Pool(sxt_device *of) : device(of) {}
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;
  ~Pool() { trim(); }
  sxt_status take(uint64_t bytes, sxt_buffer **buffer) {
    if (const auto found = unused.find(bytes); found != unused.end()) {
      *buffer = found->second;
      unused.erase(found);
    } else if (sxt_status status = sxt_buffer_create(device, bytes, buffer)) {
      return status;
    }
    live += bytes;
    peak = std::max(peak, live);
    return SXT_OK;
  }
  void give(uint64_t bytes, sxt_buffer *buffer) {
    live -= bytes;
    unused.emplace(bytes, buffer);
  }
  /// Frees what is not in use.
  void trim() {
    for (auto &[bytes, buffer] : unused)
      sxt_buffer_release(buffer);
    unused.clear();
  }

  sxt_device *device;
  uint64_t live = 0, peak = 0; ///< bytes of copies

private:
  std::multimap<uint64_t, sxt_buffer *> unused; ///< the key is the size
};

/// Keeps what memory held at some time.
class Copy {
public:
  Copy(const Range &of, std::shared_ptr<Pool> memory) : range(of), pool(std::move(memory)) {}
  Copy(const Copy &) = delete;
  Copy &operator=(const Copy &) = delete;
  ~Copy() {
    if (buffer)
      pool->give(range.size(), buffer);
  }
  sxt_status take(sxt_stream *stream) {
    if (sxt_status status = pool->take(range.size(), &buffer))
      return status;
    return copy(stream, false);
  }
  sxt_status putBack(sxt_stream *stream) const { return copy(stream, true); }
  uint64_t address() const {
    uint64_t address = 0;
    return sxt_buffer_address(buffer, &address) == SXT_OK ? address : 0;
  }

  const Range range;

private:
  sxt_status copy(sxt_stream *stream, bool isBack) const {
    sxt_buffer *memory = nullptr;
    if (sxt_status status = sxt_buffer_wrap(pool->device, range.begin, range.size(), &memory))
      return status;
    const sxt_status status = sxt_buffer_copy(isBack ? memory : buffer, 0, isBack ? buffer : memory,
                                              0, range.size(), stream);
    sxt_buffer_release(memory);
    return status;
  }
  std::shared_ptr<Pool> pool;
  sxt_buffer *buffer = nullptr;
};
using Copies = std::vector<std::shared_ptr<const Copy>>;

/// Puts copies back, the last one first: where two overlap, the earlier one tells what was there.
inline sxt_status putBack(const Copies &copies, sxt_stream *stream) {
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy)
    if (sxt_status status = (*copy)->putBack(stream))
      return status;
  return SXT_OK;
}

/// Ranges of memory, each once.
class Ranges {
public:
  void add(const Range &range) {
    if (!range.isEmpty())
      all.insert(range);
  }
  void removeInside(const Range &outer) {
    for (auto range = all.begin(); range != all.end();)
      range = outer.contains(*range) ? all.erase(range) : std::next(range);
  }
  bool cover(const Range &range) const {
    return std::any_of(all.begin(), all.end(),
                       [&](const Range &one) { return one.contains(range); });
  }
  std::set<Range> all;
};

} // namespace sextant::recording
