// Streams and events of a driver::Api. This file is built for speed.
#include "loader/devices/common/DriverDevice.h"
#include "loader/devices/common/Patience.h"
#include "loader/system/Environment.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace sextant::loader::driver {
namespace {

class DriverEvent : public DeviceEvent {
public:
  DriverEvent(const DeviceContext &context, Event event)
      : context(context), api(context.api), event(event) {}
  ~DriverEvent() override {
    Current current(context);
    if (context.isGone())
      return;
    api.eventDestroy.function(event);
  }
  sxt_status query() override {
    Current current(context);
    SXT_TRY(current.status());
    Result result = api.eventQuery.function(event);
    return result == errorNotReady ? SXT_ERROR_NOT_READY : api.check(result, api.eventQuery.name);
  }
  sxt_status synchronize() override {
    Current current(context);
    SXT_TRY(current.status());
    return context.await(event);
  }
  bool isRecorded() override { return wasRecorded; }
  sxt_status elapsedSince(DeviceEvent &begin, double &milliseconds) override {
    Current current(context);
    SXT_TRY(current.status());
    float elapsed = 0;
    SXT_TRY(api.check(
        api.eventElapsedTime.function(&elapsed, static_cast<DriverEvent &>(begin).event, event),
        api.eventElapsedTime.name));
    milliseconds = static_cast<double>(elapsed);
    return SXT_OK;
  }

  const DeviceContext &context;
  const Api &api;
  Event event;
  std::atomic<bool> wasRecorded = false;
};

class DriverStream : public DeviceStream {
public:
  DriverStream(const DeviceContext &context, Stream stream, bool owned)
      : context(context), api(context.api), stream(stream), owned(owned) {}
  ~DriverStream() override {
    Current current(context);
    if (!context.isGone())
      (void)guarded([&] { return context.await(stream); });
    if (owned && !context.isGone())
      api.streamDestroy.function(stream);
  }

  sxt_status launch(const LoadedTask &task, uint32_t grid, const void *block,
                    size_t blockBytes) override {
    Current current(context);
    SXT_TRY(current.status());
    LaunchExtra extra(api, block, blockBytes);
    return api(api.launchKernel, static_cast<Function>(task.function), grid, 1u, 1u, task.blockDim,
               1u, 1u, task.sharedBytes, stream, nullptr, extra.get());
  }
  sxt_status write(uint64_t destination, const void *source, size_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    SXT_TRY(context.settle(stream)); // for memory that the driver does not know
    return api(api.memcpyHtoD, destination, source, bytes, stream);
  }
  sxt_status read(void *destination, uint64_t source, size_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    SXT_TRY(context.settle(stream));
    return api(api.memcpyDtoH, destination, source, bytes, stream);
  }
  sxt_status copy(uint64_t destination, uint64_t source, uint64_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.memcpyDtoD, destination, source, bytes, stream);
  }
  sxt_status fill(uint64_t destination, uint32_t pattern, unsigned patternBytes,
                  uint64_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    switch (patternBytes) {
    case 1:
      return api(api.memsetD8, destination, static_cast<unsigned char>(pattern), bytes, stream);
    case 2:
      return api(api.memsetD16, destination, static_cast<unsigned short>(pattern), bytes / 2,
                 stream);
    default:
      return api(api.memsetD32, destination, pattern, bytes / 4, stream);
    }
  }
  sxt_status record(DeviceEvent &event) override {
    Current current(context);
    SXT_TRY(current.status());
    auto &target = static_cast<DriverEvent &>(event);
    SXT_TRY(api(api.eventRecord, target.event, stream));
    target.wasRecorded.store(true, std::memory_order_relaxed);
    return SXT_OK;
  }
  sxt_status wait(DeviceEvent &event) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.streamWaitEvent, stream, static_cast<DriverEvent &>(event).event, 0u);
  }
  sxt_status synchronize() override {
    Current current(context);
    SXT_TRY(current.status());
    return context.await(stream);
  }
  void *native() override { return stream; }

private:
  const DeviceContext &context;
  const Api &api;
  Stream stream;
  bool owned;
};

} // namespace

sxt_status DeviceContext::await(Event event) const {
  if (!Patience::isLimited())
    return api(api.eventSynchronize, event);
  using std::chrono::microseconds;
  Patience patience;
  for (auto pause = microseconds(10);; pause = std::min(2 * pause, microseconds(1000))) {
    const Result result = api.eventQuery.function(event);
    if (result != errorNotReady)
      return api.check(result, api.eventQuery.name);
    if (patience.isOver()) {
      presence.lose();
      return fail(SXT_ERROR_DEVICE,
                  "the device did not finish within SEXTANT_WAIT_LIMIT=%s seconds: it counts as "
                  "lost",
                  system::environment("SEXTANT_WAIT_LIMIT"));
    }
    std::this_thread::sleep_for(pause);
  }
}

sxt_status DeviceContext::await(Stream stream) const {
  if (!Patience::isLimited())
    return api(api.streamSynchronize, stream);
  Event end = nullptr;
  SXT_TRY(api(api.eventCreate, &end, 0u));
  sxt_status status = api(api.eventRecord, end, stream);
  if (status == SXT_OK)
    status = await(end);
  if (!isGone())
    (void)api.eventDestroy.function(end);
  return status;
}

sxt_status DeviceContext::settle(Stream stream) const {
  return Patience::isLimited() ? await(stream) : SXT_OK;
}

std::unique_ptr<DeviceStream> wrapStream(const DeviceContext &context, Stream stream, bool owned) {
  std::unique_ptr<DeviceStream> made(new (std::nothrow) DriverStream(context, stream, owned));
  if (!made && owned)
    context.api.streamDestroy.function(stream);
  return made ? std::move(made) : throw std::bad_alloc();
}
std::unique_ptr<DeviceEvent> wrapEvent(const DeviceContext &context, Event event) {
  std::unique_ptr<DeviceEvent> made(new (std::nothrow) DriverEvent(context, event));
  if (!made)
    context.api.eventDestroy.function(event);
  return made ? std::move(made) : throw std::bad_alloc();
}

} // namespace sextant::loader::driver
