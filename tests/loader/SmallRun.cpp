// Runs that every device has to do: a bit of everything, for tests that let parts of it fail,
// and a kernel that does nothing.
#include "TestModule.h"

namespace sextant::test {

sxt_status smallRun(const char *name, const ModuleOptions &options) {
  std::vector<std::byte> bytes = makeModule(options);
  sxt_module *module = nullptr;
  sxt_device *device = nullptr;
  sxt_program *program = nullptr;
  sxt_kernel *kernel = nullptr;
  sxt_buffer *buffer = nullptr;
  sxt_stream *stream = nullptr;
  sxt_event *event = nullptr;
  int64_t sum = 0;
  float pair[2];
  sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                          {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
  std::vector<int32_t> values(64, 1);
  void *mapped = nullptr;
  uint32_t zero = 0;
  double ms = 0;
  auto steps = [&] {
    sxt_status s = sxt_module_open_memory(bytes.data(), bytes.size(), &module);
    if (s == SXT_OK)
      s = sxt_device_open(name, &device);
    if (s == SXT_OK)
      s = sxt_program_create(module, device, nullptr, &program);
    if (s == SXT_OK)
      s = sxt_program_kernel(program, "total", &kernel);
    if (s == SXT_OK)
      s = sxt_buffer_create(device, 256, &buffer);
    if (s == SXT_OK)
      s = sxt_buffer_fill(buffer, 0, 256, &zero, 4, nullptr);
    if (s == SXT_OK)
      s = sxt_buffer_write(buffer, 0, values.data(), 256, nullptr);
    if (s == SXT_OK)
      s = sxt_stream_create(device, &stream);
    if (s == SXT_OK)
      s = sxt_event_create(device, &event);
    if (s == SXT_OK) {
      sxt_argument argument = sxt_make_array1(buffer, SXT_DTYPE_I32, 64);
      s = sxt_kernel_call(kernel, stream, &argument, 1, results, 2);
    }
    if (s == SXT_OK)
      s = sxt_event_record(event, stream);
    if (s == SXT_OK)
      s = sxt_stream_wait_event(stream, event);
    if (s == SXT_OK)
      s = sxt_event_synchronize(event);
    if (s == SXT_OK)
      s = sxt_event_elapsed(event, event, &ms);
    if (s == SXT_OK)
      s = sxt_buffer_map(buffer, &mapped);
    if (s == SXT_OK)
      s = sxt_buffer_unmap(buffer);
    if (s == SXT_OK)
      s = sxt_buffer_copy(buffer, 0, buffer, 128, 64, stream);
    if (s == SXT_OK)
      s = sxt_device_synchronize(device);
    return s;
  };
  sxt_status status = steps();
  sxt_event_release(event);
  sxt_stream_release(stream);
  sxt_buffer_release(buffer);
  sxt_program_release(program);
  sxt_device_release(device);
  sxt_module_release(module);
  return status;
}

void runIdle(const char *device, const ModuleOptions &options) {
  INFO(device);
  Loaded on(device, options);
  sxt_kernel *idle = on.kernel("idle");
  const sxt_argument argument = sxt_make_i32(7);
  need(sxt_kernel_launch(idle, nullptr, &argument, 1));
  need(sxt_kernel_call(idle, nullptr, &argument, 1, nullptr, 0));
  sxt_launch *prepared = nullptr;
  need(sxt_launch_create(idle, &argument, 1, &prepared));
  need(sxt_launch_enqueue(prepared, nullptr));
  need(sxt_launch_set_argument(prepared, 0, &argument));
  need(sxt_launch_enqueue(prepared, nullptr));
  // The launch is the only one of a graph, and comes before a step that does something.
  sxt_buffer *buffer = on.bufferOf(std::vector<int32_t>(4, 1));
  const int32_t five = 5;
  for (bool alone : {true, false}) {
    sxt_graph *graph = nullptr;
    size_t step = 0;
    need(sxt_graph_create(on.device, &graph));
    need(sxt_graph_add_launch(graph, idle, &argument, 1, &step));
    if (!alone)
      need(sxt_graph_add_fill(graph, buffer, 0, 16, &five, 4));
    need(sxt_graph_enqueue(graph, nullptr));
    need(sxt_graph_set_argument(graph, step, 0, &argument));
    need(sxt_graph_enqueue(graph, nullptr));
    sxt_graph_release(graph);
    CHECK(on.read<int32_t>(buffer, 4) == std::vector<int32_t>(4, alone ? 1 : 5));
  }
  size_t measured = 0;
  need(sxt_program_measure(on.program, "idle", nullptr, &argument, 1, nullptr, &measured));
  CHECK(measured == 1);
  need(sxt_device_synchronize(on.device));
  sxt_launch_release(prepared);
}

} // namespace sextant::test
