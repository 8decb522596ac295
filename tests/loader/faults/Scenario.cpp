// One call after another; each is a step that may fail.
#include "Scenario.h"
#include "FaultyAllocator.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace sextant::test {
namespace {

/// Every handle that the run makes. Released in the end, as code under test.
struct Handles {
  sxt_module *module = nullptr;
  sxt_device *device = nullptr;
  sxt_program *program = nullptr;
  sxt_kernel *saxpy = nullptr, *total = nullptr, *many = nullptr;
  sxt_buffer *x = nullptr, *y = nullptr, *large = nullptr, *wrapped = nullptr;
  sxt_stream *stream = nullptr, *second = nullptr;
  sxt_event *begin = nullptr, *end = nullptr;
  sxt_launch *launch = nullptr;
  sxt_graph *graph = nullptr;

  ~Handles() {
    FailingScope scope;
    sxt_launch_release(launch);
    sxt_graph_release(graph);
    sxt_event_release(begin);
    sxt_event_release(end);
    sxt_buffer_release(wrapped);
    sxt_buffer_release(x);
    sxt_buffer_release(y);
    sxt_program_release(program);
    sxt_stream_release(stream);
    sxt_buffer_release(large);
    sxt_module_release(module);
    sxt_device_release(device);
    sxt_stream_release(second);
  }
};

class Run {
public:
  Run(const char *device, const std::vector<std::byte> &bytes) : device(device), bytes(bytes) {}
  Outcome all() {
    // Each part needs what those before it made.
    (void)(open() && copies() && launches() && order() && queries());
    return outcome;
  }

private:
  /// One call. Whether it went well.
  template <class Call> bool step(const char *name, Call call) {
    sxt_status status = SXT_OK;
    {
      FailingScope scope;
      status = call();
    }
    if (status == SXT_OK)
      return true;
    outcome.status = status;
    outcome.step = name;
    std::snprintf(outcome.message, sizeof outcome.message, "%s", sxt_last_error_message());
    if (!outcome.message[0])
      outcome.wrong = "it failed without a message";
    return false;
  }
  /// A call that makes something: it only comes with success.
  template <class Handle, class Call> bool makes(const char *name, Handle *&handle, Call call) {
    const bool made = step(name, [&] { return call(&handle); });
    if (made != (handle != nullptr))
      outcome.wrong = "it failed and touched its result, or neither";
    return made;
  }
  bool right(bool it, const char *what) {
    if (!it)
      outcome.wrong = what;
    return it;
  }

  bool open() {
    return makes("open module", h.module,
                 [&](sxt_module **to) {
                   return sxt_module_open_memory(bytes.data(), bytes.size(), to);
                 }) &&
           makes("open device", h.device,
                 [&](sxt_device **to) { return sxt_device_open(device, to); }) &&
           makes("create program", h.program,
                 [&](sxt_program **to) {
                   return sxt_program_create(h.module, h.device, nullptr, to);
                 }) &&
           makes("stream", h.stream,
                 [&](sxt_stream **to) { return sxt_stream_create(h.device, to); }) &&
           makes("second stream", h.second,
                 [&](sxt_stream **to) { return sxt_stream_create(h.device, to); }) &&
           makes("event", h.begin,
                 [&](sxt_event **to) { return sxt_event_create(h.device, to); }) &&
           makes("second event", h.end,
                 [&](sxt_event **to) { return sxt_event_create(h.device, to); }) &&
           makes("buffer", h.x,
                 [&](sxt_buffer **to) { return sxt_buffer_create(h.device, count * 4, to); }) &&
           makes("second buffer", h.y,
                 [&](sxt_buffer **to) { return sxt_buffer_create(h.device, count * 4, to); }) &&
           makes("large buffer", h.large,
                 [&](sxt_buffer **to) { return sxt_buffer_create(h.device, 100000, to); });
  }

  bool copies() {
    std::vector<float> ones(count, 1), back(count);
    const uint32_t zero = 0;
    void *mapped = nullptr;
    uint64_t address = 0;
    bool good =
        step("write", [&] { return sxt_buffer_write(h.x, 0, ones.data(), count * 4, nullptr); }) &&
        step("fill", [&] { return sxt_buffer_fill(h.y, 0, count * 4, &zero, 4, h.stream); }) &&
        step("copy", [&] { return sxt_buffer_copy(h.large, 0, h.x, 0, count * 4, h.second); }) &&
        step("read",
             [&] { return sxt_buffer_read(h.large, 0, back.data(), count * 4, h.second); }) &&
        right(back == ones, "a copy did not arrive") &&
        step("write async",
             [&] { return sxt_buffer_write_async(h.y, 0, ones.data(), count * 4, h.stream); }) &&
        step("read async",
             [&] { return sxt_buffer_read_async(h.y, 0, arriving.data(), count * 4, h.stream); });
    // Whatever failed, the memory of the copies must not be needed from here on.
    const bool waited =
        !h.stream || step("synchronize", [&] { return sxt_stream_synchronize(h.stream); });
    if (!good || !waited)
      return false;
    return right(arriving == ones, "an asynchronous read did not arrive") &&
           step("map", [&] { return sxt_buffer_map(h.y, &mapped); }) &&
           right(static_cast<float *>(mapped)[1] == 1, "a mapping shows something else") &&
           step("unmap", [&] { return sxt_buffer_unmap(h.y); }) &&
           step("address", [&] { return sxt_buffer_address(h.x, &address); }) &&
           makes("wrap", h.wrapped, [&](sxt_buffer **to) {
             return sxt_buffer_wrap(h.device, address, count * 4, to);
           });
  }

  bool launches() {
    auto kernel = [&](const char *name, sxt_kernel *&to) {
      return makes(name, to,
                   [&](sxt_kernel **k) { return sxt_program_kernel(h.program, name, k); });
    };
    if (!kernel("saxpy", h.saxpy) || !kernel("many", h.many) || (sums && !kernel("total", h.total)))
      return false;
    const sxt_argument saxpy[] = {sxt_make_f32(3), sxt_make_array1(h.x, SXT_DTYPE_F32, count),
                                  sxt_make_array1(h.y, SXT_DTYPE_F32, count)};
    const sxt_argument sumOf = sxt_make_array1(h.large, SXT_DTYPE_I32, 64);
    sxt_argument many[101];
    for (int i = 0; i < 100; ++i)
      many[i] = sxt_make_i64(i);
    many[100] = sxt_make_array1(h.large, SXT_DTYPE_I64, 1);
    int64_t sum = -1;
    float pair[2] = {-1, -1};
    const sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                                  {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
    const uint32_t one = 1;
    std::vector<float> y(count);
    if (!step("launch", [&] { return sxt_kernel_launch(h.saxpy, h.stream, saxpy, 3); }) ||
        !step("launch again", [&] { return sxt_kernel_launch(h.saxpy, h.stream, saxpy, 3); }) ||
        !step("fill", [&] { return sxt_buffer_fill(h.large, 0, 256, &one, 4, h.second); }) ||
        (sums &&
         !step("call",
               [&] { return sxt_kernel_call(h.total, h.second, &sumOf, 1, results, 2); })) ||
        !step("launch with many arguments",
              [&] { return sxt_kernel_launch(h.many, h.second, many, 101); }) ||
        !step("read", [&] { return sxt_buffer_read(h.y, 0, y.data(), count * 4, h.stream); }))
      return false;
    if (!faultDriver().computes)
      return prepared(saxpy);
    return right(sum == 64, "a call returned something else") &&
           right(y == std::vector<float>(count, 7), "a launch computed something else") &&
           prepared(saxpy);
  }

  bool prepared(const sxt_argument *saxpy) {
    const sxt_argument six = sxt_make_f32(6);
    const float zero = 0;
    size_t number = 0;
    std::vector<float> y(count);
    return makes("prepare", h.launch,
                 [&](sxt_launch **to) { return sxt_launch_create(h.saxpy, saxpy, 3, to); }) &&
           step("enqueue", [&] { return sxt_launch_enqueue(h.launch, h.stream); }) &&
           step("set an argument", [&] { return sxt_launch_set_argument(h.launch, 0, &six); }) &&
           step("enqueue again", [&] { return sxt_launch_enqueue(h.launch, h.stream); }) &&
           makes("graph", h.graph,
                 [&](sxt_graph **to) { return sxt_graph_create(h.device, to); }) &&
           step("add a copy",
                [&] { return sxt_graph_add_copy(h.graph, h.large, 4096, h.y, 0, count * 4); }) &&
           step("add a fill",
                [&] { return sxt_graph_add_fill(h.graph, h.y, 0, count * 4, &zero, 4); }) &&
           step("add a launch",
                [&] { return sxt_graph_add_launch(h.graph, h.saxpy, saxpy, 3, &number); }) &&
           step("enqueue a graph", [&] { return sxt_graph_enqueue(h.graph, h.stream); }) &&
           step("set an argument of a graph",
                [&] { return sxt_graph_set_argument(h.graph, number, 0, &six); }) &&
           step("enqueue the graph again", [&] { return sxt_graph_enqueue(h.graph, h.stream); }) &&
           step("read", [&] { return sxt_buffer_read(h.y, 0, y.data(), count * 4, h.stream); }) &&
           right(!faultDriver().computes || y == std::vector<float>(count, 6),
                 "a graph computed something else") &&
           step("read",
                [&] { return sxt_buffer_read(h.large, 4096, y.data(), count * 4, h.stream); }) &&
           right(!faultDriver().computes || y == std::vector<float>(count, 3),
                 "a graph copied something else");
  }

  bool order() {
    double milliseconds = -1;
    return step("record", [&] { return sxt_event_record(h.begin, h.stream); }) &&
           step("wait for an event", [&] { return sxt_stream_wait_event(h.second, h.begin); }) &&
           step("record", [&] { return sxt_event_record(h.end, h.second); }) &&
           step("synchronize an event", [&] { return sxt_event_synchronize(h.end); }) &&
           step("synchronize the first event", [&] { return sxt_event_synchronize(h.begin); }) &&
           step("query", [&] { return sxt_event_query(h.begin); }) &&
           step("elapsed", [&] { return sxt_event_elapsed(h.begin, h.end, &milliseconds); }) &&
           step("synchronize the device", [&] { return sxt_device_synchronize(h.device); });
  }

  bool queries() {
    int32_t calls = -1;
    const char *text = nullptr;
    sxt_verdict verdict{};
    verdict.struct_size = sizeof verdict;
    sxt_kernel_info info{};
    info.struct_size = sizeof info;
    size_t index = 0;
    const sxt_argument saxpy[] = {sxt_make_f32(3), sxt_make_array1(h.x, SXT_DTYPE_F32, count),
                                  sxt_make_array1(h.y, SXT_DTYPE_F32, count)};
    sxt_measure_options options{sizeof options, 1};
    // One launch a sample, whatever the time it takes: runs are compared by their calls.
    options.prepare = [](void *, sxt_stream *) { return SXT_OK; };
    return step("global",
                [&] {
                  return sxt_program_global_read(h.program, "calls", 0, &calls, 4, nullptr);
                }) &&
           right(!faultDriver().computes || calls == 1, "a global holds something else") &&
           step("explain", [&] { return sxt_program_explain(h.program, "saxpy", &text); }) &&
           step("verdict",
                [&] { return sxt_program_verdict(h.program, "twin_i32", 0, &verdict); }) &&
           step("find", [&] { return sxt_module_find_kernel(h.module, "only", &index); }) &&
           step("describe", [&] { return sxt_module_kernel(h.module, index, &info); }) &&
           step("measure", [&] {
             return sxt_program_measure(h.program, "saxpy", h.stream, saxpy, 3, &options, nullptr);
           });
  }

  static constexpr size_t count = 1000;
  const char *device;
  const std::vector<std::byte> &bytes;
  const bool sums = faultDriver().few != device; ///< the device takes the kernel `total`
  /// Where an asynchronous read goes: it has to stay until the stream is released, if waiting
  /// fails.
  std::vector<float> arriving = std::vector<float>(count);
  Handles h; ///< gone before what lies above
  Outcome outcome;
};

char watched[200];
void bark(int) {
  (void)!write(2, watched, std::strlen(watched));
  _exit(99);
}

} // namespace

Outcome runScenario(const char *device, const std::vector<std::byte> &bytes) {
  Outcome outcome;
  {
    Run run(device, bytes);
    outcome = run.all();
  }
  return outcome;
}

void watch(const char *what, long number, unsigned seconds) {
  alarm(0);
  std::snprintf(watched, sizeof watched, "\nit hangs: %s, %ld\n", what, number);
  std::signal(SIGALRM, bark);
  alarm(seconds);
}

} // namespace sextant::test
