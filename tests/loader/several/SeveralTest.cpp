// A machine with two devices of one driver: which is the default, and that nothing of one is taken
// for the other's. SEXTANT_TEST_DEVICE names the driver.
#include "tests/loader/TestModule.h"

#include <cstdlib>

using namespace sextant::test;

namespace {

std::string driver() {
  const char *name = std::getenv("SEXTANT_TEST_DEVICE");
  REQUIRE(name);
  return name;
}

std::string opened(const char *name) {
  sxt_device *device = nullptr;
  need(sxt_device_open(name, &device));
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(device, &info));
  std::string text = info.name;
  sxt_device_release(device);
  return text;
}

/// A module with code for both devices.
ModuleOptions both() {
  ModuleOptions options;
  options.targets = {{"cpu", hostArch(), {}, 32}};
  return options;
}

void refused(sxt_status status, const std::string &why) {
  CHECK(status == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), why));
}

} // namespace

TEST_CASE("an integrated GPU is not the default where there is a discrete one", "[.integrated]") {
  const std::string second = driver() + ":1";
  CHECK(opened(nullptr) == second);
  CHECK(opened(driver().c_str()) == second);
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_get_info(0, &info));
  CHECK(std::string(info.name) == second);
  CHECK(opened((driver() + ":0").c_str()) == driver() + ":0"); // names stay the driver's
}

TEST_CASE("an address of another device is refused, the device's own and the host's are not") {
  Loaded first((driver() + ":0").c_str(), both()), second((driver() + ":1").c_str(), both());
  sxt_buffer *mine = first.buffer(4096), *theirs = second.buffer(4096), *part = nullptr;
  uint64_t address = 0, other = 0;
  need(sxt_buffer_address(mine, &address));
  need(sxt_buffer_address(theirs, &other));
  CHECK(address != other);
  for (uint64_t offset : {0, 256}) {
    need(sxt_buffer_wrap(first.device, address + offset, 64, &part));
    sxt_buffer_release(part);
    refused(sxt_buffer_wrap(second.device, address + offset, 64, &part), driver() + ":1");
    refused(sxt_buffer_wrap(first.device, other + offset, 64, &part), driver() + ":0");
  }
  need(sxt_buffer_wrap(second.device, other, 64, &part));
  const int32_t seven = 7;
  need(sxt_buffer_fill(part, 0, 64, &seven, 4, nullptr));
  sxt_buffer_release(part);
  CHECK(second.read<int32_t>(theirs, 16) == std::vector<int32_t>(16, 7));
  if (driver() != "vulkan") { // where addresses are the loader's own
    alignas(64) static int32_t host[16];
    need(sxt_buffer_wrap(second.device, reinterpret_cast<uint64_t>(host), 64, &part));
    sxt_buffer_release(part);
  }
}

TEST_CASE("streams, events and buffers of another device are refused at each call") {
  Loaded first((driver() + ":0").c_str(), both()), second((driver() + ":1").c_str(), both());
  sxt_buffer *mine = first.buffer(64), *theirs = second.buffer(64);
  sxt_stream *stream = nullptr, *here = nullptr;
  sxt_event *event = nullptr, *local = nullptr;
  sxt_graph *graph = nullptr;
  need(sxt_stream_create(second.device, &stream));
  need(sxt_stream_create(first.device, &here));
  need(sxt_event_create(second.device, &event));
  need(sxt_event_create(first.device, &local));
  need(sxt_graph_create(first.device, &graph));
  uint32_t words[16] = {};
  double milliseconds = 0;
  const std::string why = "belong";
  refused(sxt_buffer_write(mine, 0, words, 64, stream), why);
  refused(sxt_buffer_read(mine, 0, words, 64, stream), why);
  refused(sxt_buffer_write_async(mine, 0, words, 64, stream), why);
  refused(sxt_buffer_read_async(mine, 0, words, 64, stream), why);
  refused(sxt_buffer_fill(mine, 0, 64, words, 4, stream), why);
  refused(sxt_buffer_copy(mine, 0, mine, 32, 32, stream), why);
  refused(sxt_buffer_copy(mine, 0, theirs, 0, 64, here), why);
  refused(sxt_event_record(local, stream), why);
  refused(sxt_stream_wait_event(here, event), why);
  refused(sxt_event_elapsed(local, event, &milliseconds), why);
  refused(sxt_graph_add_copy(graph, mine, 0, theirs, 0, 64), why);
  refused(sxt_graph_add_fill(graph, theirs, 0, 64, words, 4), why);
  refused(sxt_graph_enqueue(graph, stream), why);
  refused(sxt_program_global_bind(first.program, "calls", theirs, 0), why);
  if (driver() != "vulkan") { // which wraps no streams
    void *native = nullptr;
    sxt_stream *wrapped = nullptr;
    need(sxt_stream_native(stream, &native));
    refused(sxt_stream_wrap(first.device, native, &wrapped), "belongs to another device");
    need(sxt_stream_wrap(second.device, native, &wrapped));
    sxt_stream_release(wrapped);
  }
  sxt_graph_release(graph);
  sxt_event_release(event);
  sxt_event_release(local);
  sxt_stream_release(stream);
  sxt_stream_release(here);
}
