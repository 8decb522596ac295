// Devices, streams, events, buffers on the CPU.
#include "TestModule.h"

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace sextant::test;

namespace {

void slow(Loaded &on, sxt_stream *stream, sxt_buffer *out, int milliseconds = 20) {
  sxt_argument arguments[] = {sxt_make_i32(milliseconds), sxt_make_array1(out, SXT_DTYPE_I32, 1)};
  need(sxt_kernel_launch(on.kernel("slow"), stream, arguments, 2));
}

} // namespace

TEST_CASE("devices: the CPU is there, others say what is wrong") {
  size_t count = 0;
  need(sxt_device_count(&count));
  REQUIRE(count >= 1);
  sxt_device_info info;
  info.struct_size = sizeof info;
  for (size_t i = count; i-- > 0;) { // last but for GPUs made of software
    need(sxt_device_get_info(i, &info));
    if (std::string(info.name) == "cpu")
      break;
  }
  CHECK(std::string(info.name) == "cpu");
  CHECK(std::string(info.backend) == "cpu");
  REQUIRE(info.wave_size_count == 6);
  CHECK(info.wave_sizes[0] == 32);
  CHECK(info.wave_sizes[5] == 1); // for debuggers: never before another
  CHECK(info.multiprocessors >= 1);
  CHECK(info.memory_bytes > 0);
  CHECK(sxt_device_get_info(count, &info) == SXT_ERROR_OUT_OF_RANGE);

  sxt_device *device = nullptr;
  CHECK(sxt_device_open("opencl:0", &device) == SXT_ERROR_NOT_FOUND);
  CHECK(contains(message(), "no device 'opencl:0'"));
  CHECK(sxt_device_open_index(count, &device) == SXT_ERROR_OUT_OF_RANGE);
  sxt_adopt_info adopt{sizeof adopt, "cpu", nullptr, nullptr};
  CHECK(sxt_device_adopt(&adopt, &device) == SXT_ERROR_UNSUPPORTED);
  adopt.backend = "opencl";
  CHECK(sxt_device_adopt(&adopt, &device) == SXT_ERROR_NOT_FOUND);
  adopt.backend = nullptr;
  CHECK(sxt_device_adopt(&adopt, &device) == SXT_ERROR_INVALID_ARGUMENT);

  setenv("SEXTANT_DEVICE", "cpu", 1);
  need(sxt_device_open(nullptr, &device));
  need(sxt_device_describe(device, &info));
  CHECK(std::string(info.name) == "cpu");
  sxt_stream *wrapped = nullptr;
  CHECK(sxt_stream_wrap(device, nullptr, &wrapped) == SXT_ERROR_UNSUPPORTED);
  CHECK(contains(message(), "streams of cpu cannot be wrapped"));
  sxt_device_release(device);
  setenv("SEXTANT_DEVICE", "abacus", 1);
  CHECK(sxt_device_open("", &device) == SXT_ERROR_NOT_FOUND);
  unsetenv("SEXTANT_DEVICE");
}

TEST_CASE("opening twice gives one device, and memory may cross the handles") {
  Loaded on;
  sxt_device *again = nullptr;
  need(sxt_device_open("cpu", &again));
  sxt_stream *first = nullptr, *second = nullptr;
  need(sxt_device_default_stream(on.device, &first));
  need(sxt_device_default_stream(again, &second));
  CHECK(first == second);
  sxt_device_release(again);
}

TEST_CASE("launches are asynchronous and streams keep their order") {
  Loaded on;
  sxt_stream *stream = nullptr;
  need(sxt_stream_create(on.device, &stream));
  sxt_buffer *out = on.bufferOf(std::vector<int32_t>{0});
  sxt_event *done = nullptr;
  need(sxt_event_create(on.device, &done));
  CHECK(sxt_event_query(done) == SXT_OK); // nothing recorded
  need(sxt_event_synchronize(done));
  slow(on, stream, out, 50);
  need(sxt_event_record(done, stream));
  CHECK(sxt_event_query(done) == SXT_ERROR_NOT_READY);
  for (int i = 0; i < 600; ++i) // more than a queue holds
    slow(on, stream, out, 0);
  need(sxt_event_synchronize(done));
  CHECK(sxt_event_query(done) == SXT_OK);
  int32_t value = 0;
  need(sxt_buffer_read(out, 0, &value, 4, stream));
  CHECK(value == 601);
  void *native = &value;
  need(sxt_stream_native(stream, &native));
  CHECK(native == nullptr);
  sxt_event_release(done);
  sxt_stream_release(stream);
}

TEST_CASE("a stream waits for another's event") {
  Loaded on;
  sxt_stream *a = nullptr, *b = nullptr;
  sxt_event *event = nullptr;
  need(sxt_stream_create(on.device, &a));
  need(sxt_stream_create(on.device, &b));
  need(sxt_event_create(on.device, &event));
  sxt_buffer *out = on.bufferOf(std::vector<int32_t>{0}),
             *copy = on.bufferOf(std::vector<int32_t>{-1});
  need(sxt_stream_wait_event(b, event)); // nothing recorded: no wait
  for (int32_t round = 1; round <= 20; ++round) {
    slow(on, a, out, 1);
    need(sxt_event_record(event, a));
    need(sxt_stream_wait_event(b, event));
    need(sxt_buffer_copy(copy, 0, out, 0, 4, b));
    int32_t value = 0;
    need(sxt_buffer_read(copy, 0, &value, 4, b));
    CHECK(value == round);
  }
  sxt_event_release(event);
  sxt_stream_release(a);
  sxt_stream_release(b);
}

TEST_CASE("who waits for an event goes on waiting when another stream records it again") {
  Loaded on;
  sxt_stream *a = nullptr, *b = nullptr, *c = nullptr;
  sxt_event *event = nullptr;
  for (sxt_stream **stream : {&a, &b, &c})
    need(sxt_stream_create(on.device, stream));
  need(sxt_event_create(on.device, &event));
  sxt_buffer *out = on.bufferOf(std::vector<int32_t>{0}),
             *copy = on.bufferOf(std::vector<int32_t>{-1});
  for (int32_t round = 1; round <= 5; ++round) {
    slow(on, a, out, 20);
    need(sxt_event_record(event, a));
    need(sxt_stream_wait_event(b, event));
    need(sxt_event_record(event, c)); // there is nothing before it
    need(sxt_stream_synchronize(c));
    need(sxt_buffer_copy(copy, 0, out, 0, 4, b));
    int32_t value = 0;
    need(sxt_buffer_read(copy, 0, &value, 4, b));
    CHECK(value == round);
    need(sxt_event_synchronize(event));
    CHECK(sxt_event_query(event) == SXT_OK);
  }
  sxt_event_release(event);
  for (sxt_stream *stream : {a, b, c})
    sxt_stream_release(stream);
}

TEST_CASE("elapsed time") {
  Loaded on;
  sxt_event *begin = nullptr, *end = nullptr;
  need(sxt_event_create(on.device, &begin));
  need(sxt_event_create(on.device, &end));
  double ms = -1;
  CHECK(sxt_event_elapsed(begin, end, &ms) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "not recorded"));
  sxt_buffer *out = on.bufferOf(std::vector<int32_t>{0});
  need(sxt_event_record(begin, nullptr));
  slow(on, nullptr, out, 100);
  need(sxt_event_record(end, nullptr));
  CHECK(sxt_event_elapsed(begin, end, &ms) == SXT_ERROR_NOT_READY);
  need(sxt_event_synchronize(end));
  need(sxt_event_elapsed(begin, end, &ms));
  CHECK(ms > 0);
  CHECK(ms < 60000);
  sxt_event_release(begin);
  sxt_event_release(end);
}

TEST_CASE("everything may be released while work is queued, in any order") {
  for (int order = 0; order < 4; ++order) {
    auto *on = new Loaded;
    sxt_stream *stream = nullptr;
    sxt_event *event = nullptr;
    need(sxt_stream_create(on->device, &stream));
    need(sxt_event_create(on->device, &event));
    sxt_buffer *out = on->bufferOf(std::vector<int32_t>{0});
    slow(*on, stream, out, 5);
    need(sxt_event_record(event, stream));
    slow(*on, nullptr, out, 5);
    if (order & 1) {
      delete on; // device, module, program and buffers first
      sxt_event_release(event);
      sxt_stream_release(stream);
    } else {
      sxt_stream_release(stream);
      sxt_event_release(event);
      delete on;
    }
  }
}

TEST_CASE("buffers: ranges, fills, copies, mappings") {
  Loaded on;
  sxt_buffer *b = on.buffer(64), *c = on.buffer(64);
  uint8_t bytes[64] = {};
  CHECK(sxt_buffer_write(b, 60, bytes, 5, nullptr) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(contains(message(), "bytes 60 to 65 of a buffer of 64 bytes"));
  CHECK(sxt_buffer_write(b, UINT64_MAX, bytes, 2, nullptr) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_buffer_read(b, 0, bytes, 65, nullptr) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_buffer_read(b, 0, nullptr, 4, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  need(sxt_buffer_read(b, 64, nullptr, 0, nullptr));
  uint32_t pattern = 0x04030201;
  need(sxt_buffer_fill(b, 0, 64, &pattern, 1, nullptr));
  need(sxt_buffer_fill(b, 2, 4, &pattern, 2, nullptr));
  need(sxt_buffer_fill(b, 8, 8, &pattern, 4, nullptr));
  need(sxt_buffer_copy(c, 1, b, 0, 16, nullptr));
  need(sxt_buffer_read(c, 1, bytes, 16, nullptr));
  const uint8_t expected[16] = {1, 1, 1, 2, 1, 2, 1, 1, 1, 2, 3, 4, 1, 2, 3, 4};
  CHECK(std::memcmp(bytes, expected, 16) == 0);
  CHECK(sxt_buffer_fill(b, 0, 64, &pattern, 3, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_fill(b, 2, 4, &pattern, 4, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_fill(b, 0, 6, &pattern, 4, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_fill(b, 0, 68, &pattern, 4, nullptr) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_buffer_copy(b, 4, b, 0, 8, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "overlap"));
  need(sxt_buffer_copy(b, 32, b, 0, 32, nullptr));

  void *mapped = nullptr, *second = nullptr;
  need(sxt_buffer_map(b, &mapped));
  CHECK(sxt_buffer_map(b, &second) == SXT_ERROR_INVALID_ARGUMENT);
  static_cast<uint8_t *>(mapped)[5] = 99;
  need(sxt_buffer_unmap(b));
  CHECK(sxt_buffer_unmap(b) == SXT_ERROR_INVALID_ARGUMENT);
  need(sxt_buffer_read(b, 5, bytes, 1, nullptr));
  CHECK(bytes[0] == 99);
  need(sxt_buffer_map(c, &mapped)); // released while mapped

  sxt_buffer *huge = nullptr;
  CHECK(sxt_buffer_create(on.device, UINT64_MAX, &huge) == SXT_ERROR_OUT_OF_MEMORY);
  CHECK(sxt_buffer_create(on.device, uint64_t(1) << 60, &huge) == SXT_ERROR_OUT_OF_MEMORY);
  CHECK(contains(message(), "no memory for a buffer of 1152921504606846976 bytes"));
  CHECK(sxt_buffer_wrap(on.device, 0, 4, &huge) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_wrap(on.device, UINT64_MAX - 1, 4, &huge) == SXT_ERROR_INVALID_ARGUMENT);
  uint64_t size = 0, address = 0;
  need(sxt_buffer_size(b, &size));
  need(sxt_buffer_address(b, &address));
  CHECK(size == 64);
  CHECK(address % 64 == 0);
}

TEST_CASE("what belongs to others is not released") {
  Loaded on;
  sxt_buffer *global = nullptr;
  need(sxt_program_global_buffer(on.program, "calls", &global));
  sxt_buffer_release(global);
  sxt_stream *stream = nullptr;
  need(sxt_device_default_stream(on.device, &stream));
  sxt_stream_release(stream);
  int32_t calls = -1;
  need(sxt_program_global_read(on.program, "calls", 0, &calls, 4, stream)); // both still there
  CHECK(calls == 0);
}

TEST_CASE("many threads, many streams, one device") {
  Loaded on;
  sxt_kernel *saxpy = on.kernel("saxpy");
  constexpr size_t n = 3000;
  std::vector<int> wrong(6, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      auto ok = [&](sxt_status status) { wrong[t] += status != SXT_OK; };
      for (int round = 0; round < 10; ++round) {
        sxt_stream *stream = nullptr;
        sxt_buffer *x = nullptr, *y = nullptr;
        ok(sxt_stream_create(on.device, &stream));
        ok(sxt_buffer_create(on.device, n * 4, &x));
        ok(sxt_buffer_create(on.device, n * 4, &y));
        std::vector<float> ones(n, 1), result(n);
        ok(sxt_buffer_write_async(x, 0, ones.data(), n * 4, stream));
        uint32_t zero = 0;
        ok(sxt_buffer_fill(y, 0, n * 4, &zero, 4, stream));
        sxt_argument arguments[] = {sxt_make_f32(static_cast<float>(t + 1)),
                                    sxt_make_array1(x, SXT_DTYPE_F32, n),
                                    sxt_make_array1(y, SXT_DTYPE_F32, n)};
        for (int i = 0; i < 20; ++i)
          ok(sxt_kernel_launch(saxpy, stream, arguments, 3));
        ok(sxt_buffer_read_async(y, 0, result.data(), n * 4, stream));
        ok(sxt_stream_synchronize(stream));
        wrong[t] += result != std::vector<float>(n, 20.f * static_cast<float>(t + 1));
        sxt_buffer_release(x);
        sxt_stream_release(stream);
        sxt_buffer_release(y);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(wrong.size(), 0));
}

TEST_CASE("a thread that waits does small work itself, under the default rounding") {
  Loaded on;
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(on.device, &info));
  // Every worker is busy for half a second.
  std::vector<sxt_stream *> busy(info.multiprocessors);
  std::vector<sxt_event *> ends(busy.size());
  sxt_buffer *counts = on.bufferOf(std::vector<int32_t>(busy.size(), 0));
  for (size_t i = 0; i < busy.size(); ++i) {
    need(sxt_stream_create(on.device, &busy[i]));
    need(sxt_event_create(on.device, &ends[i]));
    sxt_argument slow[] = {sxt_make_i32(500), sxt_make_array1(counts, SXT_DTYPE_I32, 1)};
    slow[1].offset_bytes = i * 4;
    need(sxt_kernel_launch(on.kernel("slow"), busy[i], slow, 2));
    need(sxt_event_record(ends[i], busy[i]));
  }
  sxt_stream *stream = nullptr;
  need(sxt_stream_create(on.device, &stream));
  sxt_buffer *x = on.buffer(4), *y = on.buffer(4);
  const float seventh = 1.f / 7, zero = 0;
  const sxt_argument saxpy[] = {sxt_make_f32(seventh), sxt_make_array1(x, SXT_DTYPE_F32, 1),
                                sxt_make_array1(y, SXT_DTYPE_F32, 1)};
  need(sxt_buffer_fill(x, 0, 4, &seventh, 4, stream));
  need(sxt_buffer_fill(y, 0, 4, &zero, 4, stream));
  std::fesetround(FE_UPWARD);
  sxt_status status = sxt_kernel_launch(on.kernel("saxpy"), stream, saxpy, 3);
  if (status == SXT_OK)
    status = sxt_stream_synchronize(stream);
  const int rounding = std::fegetround();
  std::fesetround(FE_TONEAREST);
  need(status);
  CHECK(rounding == FE_UPWARD);
  bool allBusy = true;
  for (sxt_event *end : ends)
    allBusy &= sxt_event_query(end) == SXT_ERROR_NOT_READY;
  CHECK(allBusy);
  CHECK(on.read<float>(y, 1).front() == seventh * seventh); // upward, it is the next one
  for (size_t i = 0; i < busy.size(); ++i) {
    sxt_stream_release(busy[i]);
    sxt_event_release(ends[i]);
  }
  sxt_stream_release(stream);
}

TEST_CASE("what a waiting thread's work lets go on gets a worker at once") {
  Loaded on;
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(on.device, &info));
  if (info.multiprocessors < 2)
    return; // two kernels at a time take two workers
  sxt_stream *first = nullptr, *second = nullptr;
  sxt_event *event = nullptr;
  need(sxt_stream_create(on.device, &first));
  need(sxt_stream_create(on.device, &second));
  need(sxt_event_create(on.device, &event));
  sxt_kernel *slow = on.kernel("slow"), *await = on.kernel("await");
  sxt_buffer *count = on.buffer(4), *flag = on.buffer(4), *seen = on.buffer(4);
  const sxt_argument slowly[] = {sxt_make_i32(3), sxt_make_array1(count, SXT_DTYPE_I32, 1)};
  const sxt_argument awaits[] = {sxt_make_array1(flag, SXT_DTYPE_I32, 1),
                                 sxt_make_array1(seen, SXT_DTYPE_I32, 1)};
  const int32_t zero = 0, one = 1;
  for (int round = 0; round < 10; ++round) {
    need(sxt_buffer_write(flag, 0, &zero, 4, first));
    need(sxt_buffer_write(seen, 0, &zero, 4, first));
    // Workers are asleep again by the time of the event, after which the second stream sets what
    // the first one's last kernel waits for.
    need(sxt_kernel_launch(slow, first, slowly, 2));
    need(sxt_event_record(event, first));
    need(sxt_kernel_launch(await, first, awaits, 2));
    need(sxt_stream_wait_event(second, event));
    need(sxt_buffer_fill(flag, 0, 4, &one, 4, second));
    need(sxt_stream_synchronize(first));
    REQUIRE(on.read<int32_t>(seen, 1).front() == 1);
  }
  need(sxt_stream_synchronize(second));
  sxt_event_release(event);
  sxt_stream_release(first);
  sxt_stream_release(second);
}

TEST_CASE("messages belong to the thread, and the log gets them") {
  Loaded on;
  CHECK(sxt_device_count(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  std::string other = "unset";
  std::thread([&] { other = sxt_last_error_message(); }).join();
  CHECK(other.empty());
  CHECK(contains(message(), "sxt_device_count"));

  struct Log {
    std::vector<std::string> lines;
  } log;
  auto take = [](sxt_log_level level, const char *text, void *user) {
    static_cast<Log *>(user)->lines.push_back(std::to_string(level) + " " + text);
  };
  sxt_log_set_callback(take, &log, SXT_LOG_DEBUG);
  CHECK(sxt_device_count(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  need(sxt_kernel_launch(on.kernel("empty"), nullptr, nullptr, 0));
  sxt_log_set_callback(nullptr, nullptr, SXT_LOG_OFF);
  REQUIRE(log.lines.size() == 3);
  CHECK(log.lines[0] == "1 sxt_device_count: 'count' is null");
  CHECK(contains(log.lines[1], "3 kernel 'empty' on cpu: cpu:"));
  CHECK(contains(log.lines[2], "4 launch empty"));
}
