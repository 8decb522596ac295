// Prepared launches, and the query of what ran.
#include "TestModule.h"

#include <cstring>

using namespace sextant;
using namespace sextant::test;

namespace {

/// A prepared launch, released at the end.
struct Prepared {
  Prepared(sxt_kernel *kernel, const std::vector<sxt_argument> &arguments) {
    need(sxt_launch_create(kernel, arguments.data(), arguments.size(), &launch));
  }
  ~Prepared() { sxt_launch_release(launch); }
  sxt_launch *launch = nullptr;
};

sxt_launch_info lastLaunch(sxt_stream *stream) {
  sxt_launch_info info;
  info.struct_size = sizeof info;
  need(sxt_stream_last_launch(stream, &info));
  return info;
}

} // namespace

TEST_CASE("a prepared launch runs as often as it is enqueued") {
  Loaded on;
  sxt_buffer *x = on.bufferOf<float>({1, 2, 3}), *y = on.bufferOf<float>({10, 20, 30});
  Prepared saxpy(on.kernel("saxpy"), {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, 3),
                                      sxt_make_array1(y, SXT_DTYPE_F32, 3)});
  CHECK(on.read<float>(y, 3) == std::vector<float>{10, 20, 30}); // nothing ran yet
  need(sxt_launch_enqueue(saxpy.launch, nullptr));
  need(sxt_launch_enqueue(saxpy.launch, nullptr));
  CHECK(on.read<float>(y, 3) == std::vector<float>{14, 28, 42});
}

TEST_CASE("arguments of a prepared launch change, and the grid with them") {
  Loaded on;
  constexpr int64_t n = 1000;
  sxt_buffer *x = on.bufferOf(std::vector<float>(n, 1)), *y = on.bufferOf(std::vector<float>(n, 0));
  Prepared saxpy(on.kernel("saxpy"), {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, 10),
                                      sxt_make_array1(y, SXT_DTYPE_F32, 10)});
  const sxt_argument a = sxt_make_f32(5), whole = sxt_make_array1(x, SXT_DTYPE_F32, n),
                     none = sxt_make_array1(x, SXT_DTYPE_F32, 0);
  // A launch that is queued keeps what it had.
  need(sxt_launch_enqueue(saxpy.launch, nullptr));
  need(sxt_launch_set_argument(saxpy.launch, 0, &a));
  need(sxt_launch_set_argument(saxpy.launch, 1, &whole));
  need(sxt_launch_enqueue(saxpy.launch, nullptr));
  need(sxt_launch_set_argument(saxpy.launch, 1, &none));
  need(sxt_launch_enqueue(saxpy.launch, nullptr)); // no iterations
  std::vector<float> expected(n, 5);
  std::fill_n(expected.begin(), 10, 7.f);
  CHECK(on.read<float>(y, n) == expected);
}

TEST_CASE("an argument that does not fit changes nothing") {
  Loaded on;
  sxt_buffer *x = on.bufferOf<float>({1, 2, 3}), *y = on.bufferOf<float>({10, 20, 30});
  Prepared saxpy(on.kernel("saxpy"), {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, 3),
                                      sxt_make_array1(y, SXT_DTYPE_F32, 3)});
  sxt_argument wrong = sxt_make_i32(2);
  CHECK(sxt_launch_set_argument(saxpy.launch, 0, &wrong) == SXT_ERROR_SIGNATURE);
  CHECK(contains(message(), "argument 0 'a': expected a scalar f32, given a scalar i32"));
  wrong = sxt_make_array1(x, SXT_DTYPE_F32, 4);
  CHECK(sxt_launch_set_argument(saxpy.launch, 1, &wrong) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(contains(message(), "the shape needs 16 bytes from offset 0, the buffer has 12"));
  wrong = sxt_make_f32(3);
  CHECK(sxt_launch_set_argument(saxpy.launch, 3, &wrong) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(contains(message(), "argument 3 of kernel 'saxpy', which takes 3"));
  wrong.struct_size = 3;
  CHECK(sxt_launch_set_argument(saxpy.launch, 0, &wrong) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "sxt_argument.struct_size is 3"));
  need(sxt_launch_enqueue(saxpy.launch, nullptr));
  CHECK(on.read<float>(y, 3) == std::vector<float>{12, 24, 36});

  // Grids are part of what is refused.
  Prepared divided(on.kernel("divided"), {sxt_make_i32(2)});
  const sxt_argument zero = sxt_make_i32(0);
  CHECK(sxt_launch_set_argument(divided.launch, 0, &zero) == SXT_ERROR_LAUNCH_REFUSED);
  need(sxt_launch_enqueue(divided.launch, nullptr));
  CHECK(lastLaunch([&] {
          sxt_stream *stream = nullptr;
          need(sxt_device_default_stream(on.device, &stream));
          return stream;
        }())
            .grid_dim == 3); // 7 // 2
}

TEST_CASE("prepared launches that cannot be made") {
  Loaded on;
  sxt_launch *launch = nullptr;
  const sxt_argument one = sxt_make_i32(1);
  CHECK(sxt_launch_create(on.kernel("saxpy"), &one, 1, &launch) == SXT_ERROR_SIGNATURE);
  CHECK(sxt_launch_create(nullptr, &one, 1, &launch) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_launch_create(on.kernel("saxpy"), nullptr, 3, &launch) == SXT_ERROR_INVALID_ARGUMENT);
  const sxt_argument zero = sxt_make_i32(0);
  CHECK(sxt_launch_create(on.kernel("divided"), &zero, 1, &launch) == SXT_ERROR_LAUNCH_REFUSED);
  CHECK(launch == nullptr);
  CHECK(sxt_launch_enqueue(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_launch_set_argument(nullptr, 0, &one) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_launch_release(nullptr);
}

TEST_CASE("a prepared launch of several tasks, in several streams") {
  Loaded on;
  sxt_buffer *src = on.bufferOf(std::vector<int32_t>(500, 3));
  Prepared total(on.kernel("total"), {sxt_make_array1(src, SXT_DTYPE_I32, 500)});
  sxt_stream *streams[2];
  for (sxt_stream *&stream : streams)
    need(sxt_stream_create(on.device, &stream));
  for (int i = 0; i < 10; ++i) {
    need(sxt_launch_enqueue(total.launch, streams[i % 2]));
    need(sxt_stream_synchronize(streams[i % 2]));
  }
  int32_t calls = 0;
  need(sxt_program_global_read(on.program, "calls", 0, &calls, sizeof calls, nullptr));
  CHECK(calls == 10);
  for (sxt_stream *stream : streams)
    sxt_stream_release(stream);
}

TEST_CASE("a prepared launch may outlive its program, unused") {
  sxt_launch *launch = nullptr;
  {
    Loaded on;
    need(sxt_launch_create(on.kernel("empty"), nullptr, 0, &launch));
    need(sxt_launch_enqueue(launch, nullptr));
  }
  sxt_launch_release(launch);
}

TEST_CASE("a stream tells what it launched last") {
  Loaded on;
  sxt_stream *stream = nullptr;
  need(sxt_stream_create(on.device, &stream));
  sxt_launch_info info;
  info.struct_size = sizeof info;
  CHECK(sxt_stream_last_launch(stream, &info) == SXT_ERROR_NOT_FOUND);
  CHECK(sxt_stream_last_launch(nullptr, &info) == SXT_ERROR_INVALID_ARGUMENT);

  sxt_buffer *x = on.buffer(4000);
  const sxt_argument saxpy[] = {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, 1000),
                                sxt_make_array1(x, SXT_DTYPE_F32, 1000)};
  need(sxt_kernel_launch(on.kernel("saxpy"), stream, saxpy, 3));
  info = lastLaunch(stream);
  CHECK(std::string(info.kernel) == "saxpy");
  CHECK(std::string(info.target) == "cpu:" + hostArch() + "/wave32");
  CHECK(std::string(info.format) == "elf");
  CHECK(info.wave == 32);
  CHECK(info.grid_dim == 16); // 1000 threads in blocks of 64
  CHECK(info.block_dim == 64);
  CHECK(info.task_count == 1);

  const sxt_argument total = sxt_make_array1(x, SXT_DTYPE_I32, 100);
  need(sxt_kernel_launch(on.kernel("total"), stream, &total, 1));
  info = lastLaunch(stream);
  CHECK(std::string(info.kernel) == "total");
  CHECK(info.grid_dim == 4); // its second task's, in blocks of 32; the others have one
  CHECK(info.block_dim == 32);
  CHECK(info.task_count == 3);

  // The answer stays when the program goes.
  sxt_program *other = nullptr;
  sxt_kernel *empty = nullptr;
  need(sxt_program_create(on.module, on.device, nullptr, &other));
  need(sxt_program_kernel(other, "empty", &empty));
  need(sxt_kernel_launch(empty, stream, nullptr, 0));
  sxt_program_release(other);
  CHECK(std::string(lastLaunch(stream).kernel) == "empty");
  CHECK(lastLaunch(stream).grid_dim == 1);

  const sxt_argument none[] = {saxpy[0], sxt_make_array1(x, SXT_DTYPE_F32, 0), saxpy[2]};
  need(sxt_kernel_launch(on.kernel("saxpy"), stream, none, 3));
  CHECK(std::string(lastLaunch(stream).kernel) == "saxpy");
  CHECK(lastLaunch(stream).grid_dim == 0);
  sxt_stream_release(stream);
}
