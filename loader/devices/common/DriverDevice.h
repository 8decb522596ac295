// A device that a driver::Api drives: the devices of CUDA and HIP, once their backends have found
// them. A call that needs a context makes its device's context current and restores the thread's
// afterwards. If it is current already, that costs one cheap query.
#pragma once

#include "loader/devices/Device.h"
#include "loader/devices/common/DriverApi.h"
#include "loader/devices/common/Presence.h"

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

  bool isGone() const { return presence.isGone(); }
  /// Waits until the stream has done its work. With SEXTANT_WAIT_LIMIT the wait has an end, and the
  /// device then counts as lost. The context is current.
  sxt_status await(Stream stream) const;
  /// The same for a recorded event.
  sxt_status await(Event event) const;
  /// Called before a driver call that waits for the stream's work. If waits have a limit, waits for
  /// that work here instead. The null stream waits for the work of all other streams.
  sxt_status settle(Stream stream) const;

  mutable Presence presence;
};

/// Makes a context current for a scope.
class Current {
public:
  explicit Current(const DeviceContext &wanted)
      : api(wanted.api), presence(wanted.presence), gone(presence.isGone()) {
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
      return presence.check("the device");
    return outcome == success ? SXT_OK : api.failed(outcome, "making the device current");
  }

private:
  const Api &api;
  const Presence &presence;
  Context before = nullptr;
  Result outcome = success;
  bool gone = false, pushed = false;
};

/// The facts that a backend knows of an open device.
struct OpenedDevice {
  DeviceDescription description;
  uint32_t threadsPerMultiprocessor = 1024;
  bool adopted = false;
  Stream stream = nullptr; ///< the default stream of an adopted device
};

/// The `extra` list of a launch. It must live as long as the launch's call.
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

/// \param owned true if the destructor destroys it
std::unique_ptr<DeviceStream> wrapStream(const DeviceContext &context, Stream stream, bool owned);
std::unique_ptr<DeviceEvent> wrapEvent(const DeviceContext &context, Event event);

/// Records a graph of what `steps` queue in `recorder`, a stream of its own. Leaves `graph` null if
/// the driver makes no graph of them.
sxt_status makeGraph(const DeviceContext &context, DeviceStream &recorder,
                     std::span<const GraphStep> steps, std::unique_ptr<DeviceGraph> &graph);

/// The same of a kernel's tasks; see Device::makeSchedule.
sxt_status makeSchedule(const DeviceContext &context, std::span<const GraphStep> tasks,
                        std::span<const abi::Span> spans, std::vector<uint64_t> &handles,
                        std::unique_ptr<DeviceGraph> &graph);

std::unique_ptr<Device> makeDevice(std::unique_ptr<DeviceContext> context, OpenedDevice opened);

} // namespace sextant::loader::driver
