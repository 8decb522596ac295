// The header's promises about threads: any call, from any thread, on the same handle. Each case
// checks results; the build with ThreadSanitizer looks for races besides.
#include "Threads.h"

#include <cstring>

using namespace sextant::test;

namespace {

constexpr int64_t n = 2000;

/// saxpy(a, x, y) into y; so many times.
void saxpy(Wrong &need, sxt_kernel *kernel, sxt_stream *stream, float a, sxt_buffer *x,
           sxt_buffer *y, int times) {
  const sxt_argument arguments[] = {sxt_make_f32(a), sxt_make_array1(x, SXT_DTYPE_F32, n),
                                    sxt_make_array1(y, SXT_DTYPE_F32, n)};
  for (int i = 0; i < times; ++i)
    need(sxt_kernel_launch(kernel, stream, arguments, 3));
}

} // namespace

TEST_CASE("threads launch from one module on many streams and two handles of a device") {
  Loaded on;
  sxt_device *again = nullptr;
  need(sxt_device_open("cpu", &again));
  CHECK(onThreads(8, [&](int t) {
          Wrong need;
          sxt_kernel *kernel = nullptr;
          sxt_buffer *x = nullptr, *y = nullptr;
          sxt_stream *streams[4] = {};
          sxt_event *event = nullptr;
          sxt_device *device = t % 2 ? again : on.device;
          need(sxt_program_kernel(on.program, "saxpy", &kernel));
          need(sxt_buffer_create(device, n * 4, &x));
          need(sxt_buffer_create(device, n * 4, &y));
          need(sxt_event_create(device, &event));
          for (sxt_stream *&stream : streams)
            need(sxt_stream_create(device, &stream));
          std::vector<float> ones(n, 1), result(n);
          const uint32_t zero = 0;
          need(sxt_buffer_write(x, 0, ones.data(), n * 4, streams[0]));
          need(sxt_buffer_fill(y, 0, n * 4, &zero, 4, streams[0]));
          // From stream to stream, in the order of events.
          for (int round = 0; round < 12; ++round) {
            saxpy(need, kernel, streams[round % 4], float(t + 1), x, y, 3);
            need(sxt_event_record(event, streams[round % 4]));
            need(sxt_stream_wait_event(streams[(round + 1) % 4], event));
          }
          need(sxt_buffer_read(y, 0, result.data(), n * 4, streams[0]));
          need(result == std::vector<float>(n, float(36 * (t + 1))));
          for (sxt_stream *stream : streams)
            sxt_stream_release(stream);
          sxt_event_release(event);
          sxt_buffer_release(x);
          sxt_buffer_release(y);
          return need.count;
        }) == 0);
  sxt_device_release(again);
}

TEST_CASE("threads share one stream, one prepared launch's kernel, one field") {
  Loaded on;
  sxt_kernel *total = on.kernel("total");
  sxt_stream *stream = nullptr;
  need(sxt_stream_create(on.device, &stream));
  CHECK(onThreads(8, [&](int t) {
          Wrong need;
          sxt_buffer *values = nullptr;
          need(sxt_buffer_create(on.device, 256, &values));
          const int32_t value = t + 1;
          need(sxt_buffer_fill(values, 0, 256, &value, 4, stream));
          for (int i = 0; i < 20; ++i) {
            int64_t sum = 0;
            float pair[2];
            const sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                                          {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
            const sxt_argument argument = sxt_make_array1(values, SXT_DTYPE_I32, 64);
            need(sxt_kernel_call(total, stream, &argument, 1, results, 2));
            need(sum == 64 * (t + 1)); // its own, though all use the stream's memory
          }
          sxt_buffer_release(values);
          return need.count;
        }) == 0);
  int32_t calls = 0;
  need(sxt_program_global_read(on.program, "calls", 0, &calls, 4, stream));
  CHECK(calls == 160);
  sxt_stream_release(stream);
}

TEST_CASE("on one stream, launches with and without memory of the stream, and what ran last") {
  Loaded on;
  sxt_stream *stream = nullptr;
  need(sxt_stream_create(on.device, &stream));
  std::atomic<int> launching{4};
  CHECK(onThreads(6, [&](int t) {
          Wrong need;
          if (t >= 4) { // no other way leads from those who load and launch to this thread
            do {
              sxt_launch_info last;
              last.struct_size = sizeof last;
              const sxt_status status = sxt_stream_last_launch(stream, &last);
              need(status == SXT_OK || status == SXT_ERROR_NOT_FOUND);
              if (status == SXT_OK)
                need(std::string(last.kernel) == "total" || std::string(last.kernel) == "empty");
            } while (launching.load(std::memory_order_relaxed) > 0);
            return need.count;
          }
          sxt_kernel *kernel = nullptr;
          sxt_program *own = nullptr;
          need(sxt_program_create(on.module, on.device, nullptr, &own));
          need(sxt_program_kernel(own, t % 2 ? "total" : "empty", &kernel));
          const int32_t value = t + 1;
          sxt_buffer *values = nullptr;
          need(sxt_buffer_create(on.device, 256, &values));
          need(sxt_buffer_fill(values, 0, 256, &value, 4, stream));
          for (int i = 0; i < 50; ++i) {
            const sxt_argument argument = sxt_make_array1(values, SXT_DTYPE_I32, 64);
            int64_t sum = 0;
            float pair[2];
            const sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                                          {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
            if (t % 2 == 0) {
              need(sxt_kernel_launch(kernel, stream, nullptr, 0));
              continue;
            }
            need(sxt_kernel_call(kernel, stream, &argument, 1, results, 2));
            need(sum == 64 * (t + 1));
          }
          sxt_buffer_release(values);
          sxt_program_release(own);
          launching.fetch_sub(1, std::memory_order_relaxed);
          return need.count;
        }) == 0);
  sxt_stream_release(stream);
}

TEST_CASE("16 threads ask for a kernel first") {
  for (int round = 0; round < 10; ++round) {
    Loaded on;
    std::atomic<sxt_kernel *> first{nullptr};
    CHECK(onThreads(16, [&](int t) {
            Wrong need;
            sxt_kernel *kernel = nullptr;
            const char *text = nullptr;
            if (t % 4 == 0)
              need(sxt_program_explain(on.program, "saxpy", &text));
            need(sxt_program_kernel(on.program, "saxpy", &kernel));
            sxt_kernel *none = nullptr;
            need(first.compare_exchange_strong(none, kernel) || none == kernel); // loaded once
            return need.count;
          }) == 0);
  }
}

TEST_CASE("modules, devices and programs come and go while others launch") {
  Loaded on;
  sxt_kernel *kernel = on.kernel("saxpy");
  sxt_buffer *x = on.bufferOf(std::vector<float>(n, 1));
  CHECK(onThreads(8, [&](int t) {
          Wrong need;
          if (t % 2) { // those who launch
            sxt_stream *stream = nullptr;
            sxt_buffer *y = nullptr;
            std::vector<float> result(n, 0);
            need(sxt_stream_create(on.device, &stream));
            need(sxt_buffer_create(on.device, n * 4, &y));
            need(sxt_buffer_write(y, 0, result.data(), n * 4, stream));
            saxpy(need, kernel, stream, 1, x, y, 200);
            need(sxt_buffer_read(y, 0, result.data(), n * 4, stream));
            need(result == std::vector<float>(n, 200));
            sxt_buffer_release(y);
            sxt_stream_release(stream);
            return need.count;
          }
          for (int i = 0; i < 15; ++i) {
            sxt_module *module = nullptr;
            sxt_device *device = nullptr;
            sxt_program *program = nullptr;
            sxt_kernel *own = nullptr;
            need(sxt_module_open_memory(on.bytes.data(), on.bytes.size(), &module));
            need(sxt_device_open("cpu", &device));
            need(sxt_program_create(module, device, nullptr, &program));
            need(sxt_program_kernel(program, "empty",
                                    &own)); // a kernel of the same name, of another module
            need(sxt_kernel_launch(own, nullptr, nullptr, 0));
            need(sxt_device_synchronize(device));
            sxt_device_release(device);
            sxt_module_release(module);
            sxt_program_release(program);
          }
          return need.count;
        }) == 0);
}

TEST_CASE("every thread has its own last error, and the log is replaced meanwhile") {
  struct Log {
    std::atomic<int> lines{0}, inside{0}, together{0};
  } logs[2];
  auto take = [](sxt_log_level, const char *, void *user) {
    auto *log = static_cast<Log *>(user);
    log->together += log->inside.fetch_add(1) != 0; // one at a time
    ++log->lines;
    --log->inside;
  };
  CHECK(onThreads(9, [&](int t) {
          Wrong need;
          if (t == 8) {
            for (int i = 0; i < 200; ++i) {
              sxt_log_set_callback(take, &logs[i % 2], SXT_LOG_ERROR);
              std::this_thread::yield();
            }
            sxt_log_set_callback(nullptr, nullptr, SXT_LOG_OFF);
            return 0;
          }
          const std::string name = "device of thread " + std::to_string(t) + std::string(400, '!');
          for (int i = 0; i < 50; ++i) {
            sxt_device *device = nullptr;
            need(sxt_device_open(name.c_str(), &device) == SXT_ERROR_NOT_FOUND);
            need(contains(sxt_last_error_message(), "'" + name + "'"));
            need(sxt_device_count(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
            need(contains(sxt_last_error_message(), "sxt_device_count"));
          }
          return need.count;
        }) == 0);
  CHECK(logs[0].together + logs[1].together == 0);
  sxt_log_set_callback(nullptr, nullptr, SXT_LOG_OFF);
}

TEST_CASE("measuring beside launches, explanations and verdicts") {
  ModuleOptions options;
  options.targets = {{"cpu", hostArch(), {}, 32}, {"cpu", hostArch(), {}, 16}};
  Loaded on("cpu", options);
  CHECK(onThreads(6, [&](int t) {
          Wrong need;
          for (int i = 0; i < 5; ++i) {
            sxt_kernel *kernel = nullptr;
            const char *text = nullptr;
            sxt_verdict verdict{};
            verdict.struct_size = sizeof verdict;
            sxt_measure_options few{sizeof few, 2};
            if (t == 0)
              need(sxt_program_measure(on.program, "empty", nullptr, nullptr, 0, &few, nullptr));
            need(sxt_program_kernel(on.program, "empty", &kernel));
            need(sxt_kernel_launch(kernel, nullptr, nullptr, 0)); // also one that is no longer it
            need(sxt_program_explain(on.program, "empty", &text));
            need(text && *text);
            need(sxt_program_verdict(on.program, "empty", size_t(t % 2), &verdict));
          }
          return need.count;
        }) == 0);
}

TEST_CASE("launches that take longer or shorter than those before") {
  Loaded on;
  constexpr int64_t blocks = 3000;
  sxt_kernel *kernel = nullptr;
  sxt_buffer *out = nullptr;
  sxt_stream *stream = nullptr;
  Wrong need;
  need(sxt_program_kernel(on.program, "work", &kernel));
  need(sxt_buffer_create(on.device, blocks * 4, &out));
  need(sxt_stream_create(on.device, &stream));
  const uint32_t zero = 0;
  need(sxt_buffer_fill(out, 0, blocks * 4, &zero, 4, stream));
  // One thread does the short ones; others join it, or come first, for the long ones.
  int launches = 0;
  for (int32_t rounds : {0, 0, 1, 0, 4000, 0, 0, 0, 400, 40, 4000, 0}) {
    for (int64_t some : {blocks, int64_t(1), int64_t(17)}) {
      const sxt_argument arguments[] = {sxt_make_i32(rounds),
                                        sxt_make_array1(out, SXT_DTYPE_I32, some)};
      need(sxt_kernel_launch(kernel, stream, arguments, 2));
      if (rounds % 400 == 0)
        need(sxt_stream_synchronize(stream));
    }
    ++launches;
  }
  std::vector<int32_t> counts(blocks), expected(blocks, launches);
  need(sxt_buffer_read(out, 0, counts.data(), blocks * 4, stream));
  for (int64_t b = 0; b < 17; ++b)
    expected[size_t(b)] = b ? 2 * launches : 3 * launches;
  CHECK(counts == expected);
  CHECK(need.count == 0);
  sxt_stream_release(stream);
  sxt_buffer_release(out);
}
