// The state that streams, events and images of one Metal device share: the driver, the device and
// its memory. An address is the host's, since host and device share Metal's shared buffers. The
// loader finds a place in a buffer by looking for the buffer that holds the address.
#pragma once

#include "loader/Error.h"
#include "loader/devices/common/Presence.h"
#include "loader/devices/metal/Driver.h"

#include <map>
#include <shared_mutex>
#include <utility>

namespace sextant::loader::metal {

/// Owns one retained object. In the child of a fork it stays: a queue that goes may wait for
/// threads that only the parent has.
template <class T> class Ref {
public:
  Ref() = default;
  Ref(const Functions &api, T object) : api(&api), object(object) {}
  Ref(Ref &&other) noexcept
      : api(other.api), object(std::exchange(other.object, static_cast<T>(nullptr))),
        birth(other.birth) {}
  Ref &operator=(Ref &&other) noexcept {
    std::swap(api, other.api);
    std::swap(object, other.object);
    std::swap(birth, other.birth);
    return *this;
  }
  ~Ref() {
    if (object && !birth.isOfParent())
      api->release(object);
  }
  T get() const { return object; }
  explicit operator bool() const { return object != nullptr; }

private:
  const Functions *api = nullptr;
  T object = nullptr;
  Birth birth;
};

/// Shares an object that another owner holds too.
template <class T> Ref<T> share(const Functions &api, T object) {
  api.retain(object);
  return {api, object};
}

struct Core {
  const Functions &api;
  Ref<DeviceRef> device;
  std::string name; ///< "metal:0"
  /// A buffer to bind for an empty array without memory, and for events to write to.
  Ref<BufferRef> spare;
  Presence presence;

  explicit Core(const Functions &api) : api(api) {}

  /// Returns SXT_OK, or fails with the driver's text.
  sxt_status check(Result result, const char *what) const;
  sxt_status newBuffer(uint64_t bytes, Ref<BufferRef> &buffer, void *&contents) const;

  //===--- Memory by address -------------------------------------------------===//

  sxt_status allocate(uint64_t bytes, uint64_t &address);
  void release(uint64_t address);
  /// Returns the buffer that holds `bytes` bytes from `address`, or null. The caller holds
  /// `memoryMutex`; the result is valid as long as it does.
  Binding find(uint64_t address, uint64_t bytes) const;
  /// The same, but a missing buffer is an error.
  sxt_status locate(uint64_t address, uint64_t bytes, Binding &binding) const;
  mutable std::shared_mutex memoryMutex;

private:
  struct Range {
    uint64_t bytes = 0;
    Ref<BufferRef> buffer;
  };
  std::map<uint64_t, Range> memory; ///< sorted by first address
};

} // namespace sextant::loader::metal
