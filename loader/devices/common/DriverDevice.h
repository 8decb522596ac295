// A device behind a driver::Api: CUDA's and HIP's devices once their backends have
// found them. Every call that needs a context makes its device's the current one and
// puts the thread's back, unless it is the current one already: then it costs one
// cheap query.
#pragma once

#include "loader/devices/Device.h"
#include "loader/devices/common/DriverApi.h"

#include <atomic>

namespace sextant::loader::driver {

/// A device's context, owned or adopted.
struct DeviceContext {
  const Api &api;
  Context context = nullptr;
  int device = 0;
  void (*release)(int device) = nullptr; ///< null: not ours to release

  explicit DeviceContext(const Api &api) : api(api) {}
  DeviceContext(const DeviceContext &) = delete;
  DeviceContext &operator=(const DeviceContext &) = delete;
  ~DeviceContext() {
    if (release && !isGone())
      release(device);
  }

  /// Whether the device counts as lost. The driver is not called for it any more: what was made
  /// of it stays with the process, as the driver may not return from giving it back.
  bool isGone() const { return gone.load(std::memory_order_relaxed); }
  /// Waits until the stream has done what it was given. Where SEXTANT_WAIT_LIMIT is set no longer
  /// than that, and then the device is gone. The context is current.
  sxt_status await(Stream stream) const;
  /// The same for an event that was recorded.
  sxt_status await(Event event) const;
  /// Before a call that waits within the driver for what the stream has to do: waits for that
  /// here, if waits have a limit. All other streams' work comes before the null stream's.
  sxt_status settle(Stream stream) const;

private:
  mutable std::atomic<bool> gone{false};
};

/// Makes a context current for a scope.
class Current {
public:
  explicit Current(const DeviceContext &wanted) : api(wanted.api), gone(wanted.isGone()) {
    if (gone)
      return;
    if (api.getCurrent(&before) == success && before == wanted.context)
      return;
    outcome = api.pushCurrent(wanted.context);
    pushed = outcome == success;
  }
  ~Current() {
    if (pushed)
      api.popCurrent(&before);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;
  sxt_status status() const {
    if (gone) [[unlikely]]
      return fail(SXT_ERROR_DEVICE, "the device is lost: an earlier wait for it said so");
    return outcome == success ? SXT_OK : api.failed(outcome, "making the device current");
  }

private:
  const Api &api;
  Context before = nullptr;
  Result outcome = success;
  bool gone = false, pushed = false;
};

/// What a backend knows of a device when it is open.
struct OpenedDevice {
  DeviceDescription description;
  uint32_t threadsPerMultiprocessor = 1024;
  bool adopted = false;
  Stream stream = nullptr; ///< of an adopted device: its default one
};

/// The `extra` list of a launch, as long as it lives.
struct LaunchExtra {
  size_t bytes;
  void *list[5];
  LaunchExtra(const Api &api, const void *block, size_t blockBytes)
      : bytes(blockBytes), list{launchParamBufferPointer, const_cast<void *>(block),
                                launchParamBufferSize, &bytes, api.launchParamEnd} {}
  LaunchExtra(const LaunchExtra &) = delete;
  LaunchExtra &operator=(const LaunchExtra &) = delete;
  void **get() { return bytes ? list : nullptr; }
};

/// \param owned whether it is destroyed in the end
std::unique_ptr<DeviceStream> wrapStream(const DeviceContext &context, Stream stream, bool owned);
std::unique_ptr<DeviceEvent> wrapEvent(const DeviceContext &context, Event event);

/// Records a graph of what `steps` queue in `recorder`, a stream of its own. Leaves `graph`
/// null where the driver does not make one of them.
sxt_status makeGraph(const DeviceContext &context, DeviceStream &recorder,
                     std::span<const GraphStep> steps, std::unique_ptr<DeviceGraph> &graph);

std::unique_ptr<Device> makeDevice(std::unique_ptr<DeviceContext> context, OpenedDevice opened);

} // namespace sextant::loader::driver
