// A device that finishes nothing any more and does not say so, over a stand-in for its driver.
#pragma once

#include "TestModule.h"
#include "fakedriver/FakeDriver.h"

#include <cstdlib>

namespace sextant::test {

/// The device falls silent. `prepare` has a wait for it end, whose error says `why`. From then on
/// every call fails, releasing works, the driver is not called for that device, so that nothing
/// waits for it, and a new one works.
template <class Prepare>
void fallSilent(const char *device, const ModuleOptions &options, Prepare prepare,
                const std::string &why) {
  INFO(device);
  fakeReset();
  const int misuses = fakeMisuses();
  {
    Loaded on(device, options);
    sxt_kernel *kernel = on.kernel("empty");
    sxt_buffer *buffer = on.buffer(64), *more = nullptr;
    sxt_stream *stream = nullptr, *another = nullptr;
    sxt_event *event = nullptr;
    sxt_launch *launch = nullptr;
    sxt_graph *graph = nullptr;
    need(sxt_stream_create(on.device, &stream));
    need(sxt_event_create(on.device, &event));
    need(sxt_launch_create(kernel, nullptr, 0, &launch));
    need(sxt_graph_create(on.device, &graph));
    need(sxt_graph_add_launch(graph, kernel, nullptr, 0, nullptr));
    need(sxt_graph_enqueue(graph, stream));
    need(sxt_kernel_launch(kernel, stream, nullptr, 0));
    fakeSilence(1);
    need(sxt_kernel_launch(kernel, stream, nullptr, 0));
    need(sxt_event_record(event, stream));
    prepare();
    CHECK(sxt_stream_synchronize(stream) == SXT_ERROR_DEVICE);
    CHECK(contains(message(), why));

    fakeReset(); // forgets the record of calls
    int32_t value = 0;
    CHECK(sxt_kernel_launch(kernel, stream, nullptr, 0) == SXT_ERROR_DEVICE);
    CHECK(contains(message(), "is lost"));
    CHECK(sxt_kernel_launch(kernel, nullptr, nullptr, 0) == SXT_ERROR_DEVICE);
    CHECK(sxt_launch_enqueue(launch, stream) == SXT_ERROR_DEVICE);
    CHECK(sxt_graph_enqueue(graph, stream) == SXT_ERROR_DEVICE);
    CHECK(sxt_buffer_write(buffer, 0, &value, 4, nullptr) == SXT_ERROR_DEVICE);
    CHECK(sxt_buffer_read(buffer, 0, &value, 4, stream) == SXT_ERROR_DEVICE);
    CHECK(sxt_buffer_create(on.device, 1 << 20, &more) == SXT_ERROR_DEVICE);
    CHECK(sxt_stream_create(on.device, &another) == SXT_ERROR_DEVICE);
    CHECK(sxt_event_record(event, stream) == SXT_ERROR_DEVICE);
    CHECK(sxt_event_query(event) == SXT_ERROR_DEVICE);
    CHECK(sxt_event_synchronize(event) == SXT_ERROR_DEVICE);
    CHECK(sxt_stream_synchronize(stream) == SXT_ERROR_DEVICE);
    CHECK(sxt_device_synchronize(on.device) == SXT_ERROR_DEVICE);
    sxt_kernel *late = nullptr;
    CHECK(sxt_program_kernel(on.program, "saxpy", &late) == SXT_ERROR_DEVICE);
    sxt_graph_release(graph);
    sxt_launch_release(launch);
    sxt_event_release(event);
    sxt_stream_release(stream);
  }
  const char *called = fakeCalled(0);
  CHECK(std::string(called ? called : "") == "");
  CHECK(fakeMisuses() == misuses);
  fakeSilence(0);
  unsetenv("SEXTANT_WAIT_LIMIT");
  fakeReset();
}

inline void limitWaits() { setenv("SEXTANT_WAIT_LIMIT", "0.3", 1); }

} // namespace sextant::test
