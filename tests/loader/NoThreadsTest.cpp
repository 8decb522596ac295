// A system that has no more threads to give: the CPU device runs on fewer, or on the thread
// that calls. This program's pthread_create stands before the system's.
#include "TestModule.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <thread>

using namespace sextant::test;

static int threadsLeft = -1; // -1: no limit

extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                              void *(*body)(void *), void *argument) {
  using Create = int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static auto real = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threadsLeft == 0)
    return EAGAIN;
  if (threadsLeft > 0)
    --threadsLeft;
  return real(thread, attributes, body, argument);
}

namespace {

unsigned workers(sxt_device *device) {
  sxt_device_info info{};
  info.struct_size = sizeof info;
  need(sxt_device_describe(device, &info));
  return info.multiprocessors;
}

/// Streams in each other's order, a call with results, shared arrays, more commands than a
/// queue holds.
void useAll(Loaded &on) {
  sxt_stream *a = nullptr, *b = nullptr;
  sxt_event *event = nullptr;
  need(sxt_stream_create(on.device, &a));
  need(sxt_stream_create(on.device, &b));
  need(sxt_event_create(on.device, &event));
  sxt_buffer *out = on.bufferOf(std::vector<int32_t>{0}),
             *copy = on.bufferOf(std::vector<int32_t>{0});
  const sxt_argument slow[] = {sxt_make_i32(0), sxt_make_array1(out, SXT_DTYPE_I32, 1)};
  for (int i = 0; i < 600; ++i)
    need(sxt_kernel_launch(on.kernel("slow"), a, slow, 2));
  need(sxt_event_record(event, a));
  need(sxt_stream_wait_event(b, event));
  need(sxt_buffer_copy(copy, 0, out, 0, 4, b));
  need(sxt_stream_synchronize(b));
  CHECK(on.read<int32_t>(copy, 1)[0] == 600);
  sxt_buffer *ones = on.bufferOf(std::vector<int32_t>(64, 1));
  int64_t sum = 0;
  float pair[2];
  const sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                                {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
  const sxt_argument argument = sxt_make_array1(ones, SXT_DTYPE_I32, 64);
  need(sxt_kernel_call(on.kernel("total"), b, &argument, 1, results, 2));
  CHECK(sum == 64);
  sxt_event_release(event);
  sxt_stream_release(a);
  sxt_stream_release(b);
}

} // namespace

TEST_CASE("no thread at all: whoever calls runs the work") {
  const std::string arch = hostArch(); // as long as there are threads
  ModuleOptions options;
  options.targets = {{"cpu", arch, {}, 32}};
  threadsLeft = 0;
  {
    Loaded on("cpu", options);
    CHECK(workers(on.device) == 1);
    useAll(on);
    threadsLeft = -1;
    // Two threads take each other's work along.
    int wrong[2] = {};
    std::thread threads[2];
    for (int t = 0; t < 2; ++t)
      threads[t] = std::thread([&, t] {
        sxt_stream *stream = nullptr;
        wrong[t] += sxt_stream_create(on.device, &stream) != SXT_OK;
        for (int i = 0; i < 500; ++i) {
          sxt_kernel *empty = nullptr;
          wrong[t] += sxt_program_kernel(on.program, "empty", &empty) != SXT_OK ||
                      sxt_kernel_launch(empty, stream, nullptr, 0) != SXT_OK;
          if (i % 50 == 0)
            wrong[t] += sxt_stream_synchronize(stream) != SXT_OK;
        }
        sxt_stream_release(stream);
      });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(wrong[0] + wrong[1] == 0);
  }
  Loaded again("cpu", options); // a new device has threads again
  useAll(again);
}

TEST_CASE("fewer threads than asked for") {
  setenv("SEXTANT_CPU_THREADS", "5", 1);
  ModuleOptions options;
  options.targets = {{"cpu", hostArch(), {}, 32}};
  threadsLeft = 2;
  Loaded on("cpu", options);
  threadsLeft = -1;
  CHECK(workers(on.device) == 2);
  useAll(on);
}
