// The CUDA device over a stand-in for NVIDIA's driver: what is called, with which
// context, and what becomes of every error. Linked before libcuda.so.1 is looked
// for, the stand-in is what the loader finds.
#include "packager/Sign.h"
#include "tests/loader/SilentDevice.h"
#include "tests/loader/TestModule.h"
#include "tests/loader/fakedriver/FakeDriver.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

using namespace sextant;
using namespace sextant::test;

namespace {

ModuleOptions cudaOptions(const char *image = "cubin of kernels", const char *arch = "sm_90") {
  ModuleOptions options;
  options.targets = {{"cuda", arch, {}, 32}};
  options.gpuImage = image;
  return options;
}

/// Runs with a clean record, and checks in the end that nothing is left.
struct Checked {
  Checked() {
    fakeReset();
    alive = fakeAlive();
  }
  ~Checked() {
    CHECK(fakeAlive() == alive);
    CHECK(fakeMisuses() == 0);
  }
  int alive;
};

} // namespace

TEST_CASE("GPUs come first and tell their facts") {
  size_t count = 0;
  need(sxt_device_count(&count));
  REQUIRE(count >= 3); // software ones come last
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_get_info(0, &info));
  CHECK(std::string(info.name) == "cuda:0");
  CHECK(std::string(info.description) == "Fake Hopper");
  CHECK(std::string(info.arch) == "sm_90");
  CHECK(info.multiprocessors == 132);
  CHECK(info.wave_size_count == 1);
  CHECK(info.wave_sizes[0] == 32);
  CHECK(info.shared_memory_bytes == 49152);
  need(sxt_device_get_info(1, &info));
  CHECK(std::string(info.arch) == "sm_75");
  sxt_device *device = nullptr;
  CHECK(sxt_device_open("cuda:2", &device) == SXT_ERROR_NOT_FOUND);
  CHECK(contains(message(), "it has cuda:0, cuda:1, cpu"));
}

TEST_CASE("a launch passes block, grid and stream as they are") {
  Checked checked;
  Loaded on("cuda", cudaOptions());
  sxt_buffer *x = on.buffer(400), *y = on.buffer(400);
  uint64_t xs = 0, ys = 0;
  need(sxt_buffer_address(x, &xs));
  need(sxt_buffer_address(y, &ys));
  sxt_argument arguments[] = {sxt_make_f32(2.5f), sxt_make_array1(x, SXT_DTYPE_F32, 99),
                              sxt_make_array1(y, SXT_DTYPE_F32, 100)};
  sxt_stream *stream = nullptr;
  need(sxt_stream_create(on.device, &stream));
  need(sxt_kernel_launch(on.kernel("saxpy"), stream, arguments, 3));
  const FakeLaunch &last = *fakeLastLaunch();
  CHECK(std::string(last.name) == "saxpy_t0");
  CHECK(last.grid == 2);
  CHECK(last.block == 64);
  CHECK(last.sharedBytes == 0);
  void *native = nullptr;
  need(sxt_stream_native(stream, &native));
  CHECK(last.stream == native);
  // f32 at 0; pointer at 8, i32 at 16; pointer at 24, i32 at 32: 36 bytes as the kernel declares.
  CHECK(last.argumentBytes == 36);
  unsigned char expected[36] = {};
  float a = 2.5f;
  int32_t n = 99, m = 100;
  std::memcpy(expected, &a, 4);
  std::memcpy(expected + 8, &xs, 8);
  std::memcpy(expected + 16, &n, 4);
  std::memcpy(expected + 24, &ys, 8);
  std::memcpy(expected + 32, &m, 4);
  for (size_t at : {0, 8, 16, 24, 32})
    CHECK(std::memcmp(last.arguments + at, expected + at, at == 8 || at == 24 ? 8 : 4) == 0);
  CHECK(fakeCalls("cuModuleLoadDataEx") == 1);
  CHECK(std::string(fakeLastImage()) == "cubin of kernels");
  // A bound that only the device knows: 132 multiprocessors of 2048 threads in blocks of 64.
  sxt_argument out = sxt_make_array1(x, SXT_DTYPE_I32, 1);
  need(sxt_kernel_launch(on.kernel("grid"), nullptr, &out, 1));
  CHECK(fakeLastLaunch()->grid == 132 * 32);
  CHECK(fakeCalls("cuModuleLoadDataEx") == 1); // the kernels share one image
  need(sxt_kernel_launch(on.kernel("empty"), nullptr, nullptr, 0));
  CHECK(fakeLastLaunch()->argumentBytes == 0);
  sxt_stream_release(stream);
}

TEST_CASE("a stream of the application's takes launches and stays the application's") {
  Checked checked;
  Loaded on("cuda", cudaOptions());
  void *context = nullptr, *native = nullptr, *told = nullptr;
  REQUIRE(cuDevicePrimaryCtxRetain(&context, 0) == 0);
  REQUIRE(cuCtxPushCurrent_v2(context) == 0);
  REQUIRE(cuStreamCreate(&native, 1) == 0);
  sxt_stream *stream = nullptr;
  need(sxt_stream_wrap(on.device, native, &stream));
  need(sxt_stream_native(stream, &told));
  CHECK(told == native);
  need(sxt_kernel_launch(on.kernel("empty"), stream, nullptr, 0));
  CHECK(fakeLastLaunch()->stream == native);
  sxt_event *event = nullptr;
  need(sxt_event_create(on.device, &event));
  need(sxt_event_record(event, stream));
  need(sxt_stream_wait_event(stream, event));
  sxt_event_release(event);
  sxt_stream_release(stream);
  CHECK(fakeCalls("cuStreamDestroy_v2") == 0);
  CHECK(cuStreamDestroy_v2(native) == 0);

  need(sxt_stream_wrap(on.device, nullptr, &stream)); // the driver's own default stream
  need(sxt_kernel_launch(on.kernel("empty"), stream, nullptr, 0));
  CHECK(fakeLastLaunch()->stream == nullptr);
  sxt_stream_release(stream);
  CHECK(sxt_stream_wrap(nullptr, nullptr, &stream) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_stream_wrap(on.device, nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  REQUIRE(cuCtxPopCurrent_v2(&context) == 0);
  REQUIRE(cuDevicePrimaryCtxRelease_v2(0) == 0);
}

TEST_CASE("results and fields live in device memory") {
  Checked checked;
  Loaded on("cuda:0", cudaOptions());
  sxt_buffer *src = on.bufferOf(std::vector<int32_t>(64, 1));
  sxt_argument argument = sxt_make_array1(src, SXT_DTYPE_I32, 64);
  int64_t sum = 0;
  float pair[2];
  sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                          {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
  sxt_kernel *total = on.kernel("total");
  need(sxt_kernel_call(total, nullptr, &argument, 1, results, 2));
  CHECK(fakeCalls("cuLaunchKernel") == 3);
  int allocations = fakeCalls("cuMemAlloc_v2");
  for (int i = 0; i < 10; ++i)
    need(sxt_kernel_call(total, nullptr, &argument, 1, results, 2));
  CHECK(fakeCalls("cuMemAlloc_v2") == allocations); // the launch path allocates nothing
  int32_t calls = -1;
  need(sxt_program_global_read(on.program, "calls", 0, &calls, 4, nullptr));
  CHECK(calls == 0); // zero at first, and nothing runs here
}

TEST_CASE("contexts: pushed where they are not current, never left behind") {
  Checked checked;
  void *none = nullptr;
  CHECK(cuCtxGetCurrent(&none) == 0);
  Loaded on("cuda:0", cudaOptions());
  sxt_kernel *kernel = on.kernel("empty");
  fakeReset();
  need(sxt_kernel_launch(kernel, nullptr, nullptr, 0));
  CHECK(fakeCalls("cuCtxPushCurrent_v2") == 1);
  CHECK(fakeCalls("cuCtxPopCurrent_v2") == 1);
  void *primary = nullptr;
  REQUIRE(cuDevicePrimaryCtxRetain(&primary, 0) == 0);
  REQUIRE(cuCtxPushCurrent_v2(primary) == 0);
  fakeReset();
  need(sxt_kernel_launch(kernel, nullptr, nullptr, 0));
  CHECK(fakeCalls("cuCtxPushCurrent_v2") == 0);
  // Another device's context is current: ours is pushed and its own comes back.
  void *other = nullptr, *popped = nullptr;
  REQUIRE(cuDevicePrimaryCtxRetain(&other, 1) == 0);
  REQUIRE(cuCtxPushCurrent_v2(other) == 0);
  need(sxt_kernel_launch(kernel, nullptr, nullptr, 0));
  CHECK(cuCtxGetCurrent(&popped) == 0);
  CHECK(popped == other);
  CHECK(cuCtxPopCurrent_v2(&popped) == 0);
  CHECK(cuCtxPopCurrent_v2(&popped) == 0);
  CHECK(cuDevicePrimaryCtxRelease_v2(0) == 0);
  CHECK(cuDevicePrimaryCtxRelease_v2(1) == 0);
}

TEST_CASE("adopting a context and a stream") {
  Checked checked;
  void *context = nullptr, *stream = nullptr, *popped = nullptr;
  sxt_device *device = nullptr;
  sxt_adopt_info adopt{sizeof adopt, "cuda", nullptr, nullptr};
  CHECK(sxt_device_adopt(&adopt, &device) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "none is current"));
  REQUIRE(cuDevicePrimaryCtxRetain(&context, 1) == 0);
  REQUIRE(cuCtxPushCurrent_v2(context) == 0);
  REQUIRE(cuStreamCreate(&stream, 0) == 0);
  adopt.stream = stream;
  need(sxt_device_adopt(&adopt, &device)); // the current one
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(device, &info));
  CHECK(std::string(info.name) == "cuda:1");
  sxt_stream *used = nullptr;
  void *native = nullptr;
  need(sxt_device_default_stream(device, &used));
  need(sxt_stream_native(used, &native));
  CHECK(native == stream);
  sxt_device_release(device);
  CHECK(cuCtxPopCurrent_v2(&popped) == 0);

  adopt.context = context;
  fakeReset();
  need(sxt_device_adopt(&adopt, &device)); // given
  uint64_t address = 0;
  sxt_buffer *buffer = nullptr;
  need(sxt_buffer_create(device, 16, &buffer));
  need(sxt_buffer_address(buffer, &address));
  sxt_buffer_release(buffer);
  sxt_device_release(device);
  CHECK(fakeCalls("cuStreamDestroy_v2") == 0); // not ours
  CHECK(fakeCalls("cuDevicePrimaryCtxRelease_v2") == 0);
  REQUIRE(cuCtxPushCurrent_v2(context) == 0);
  CHECK(cuStreamDestroy_v2(stream) == 0);
  CHECK(cuCtxPopCurrent_v2(&popped) == 0);
  CHECK(cuDevicePrimaryCtxRelease_v2(1) == 0);
}

TEST_CASE("selection among GPUs, and giving way to the CPU") {
  Checked checked;
  std::vector<std::byte> bytes = makeModule(cudaOptions("ptx", "compute_75"));
  sxt_module *module = nullptr;
  sxt_device *device = nullptr;
  need(sxt_module_open_memory(bytes.data(), bytes.size(), &module));
  need(sxt_device_open_for(module, &device));
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(device, &info));
  CHECK(std::string(info.name) == "cuda:0");
  sxt_device_release(device);
  sxt_module_release(module);

  bytes = makeModule(cudaOptions("cubin", "sm_75"));
  need(sxt_module_open_memory(bytes.data(), bytes.size(), &module));
  need(sxt_device_open_for(module, &device)); // the second GPU
  need(sxt_device_describe(device, &info));
  CHECK(std::string(info.name) == "cuda:1");
  sxt_device_release(device);
  sxt_module_release(module);

  bytes = makeModule();
  need(sxt_module_open_memory(bytes.data(), bytes.size(), &module));
  need(sxt_device_open_for(module, &device));
  need(sxt_device_describe(device, &info));
  CHECK(std::string(info.name) == "cpu");
  sxt_device_release(device);
  sxt_module_release(module);
}

TEST_CASE("an image of a signed module that was altered reaches no driver") {
  Checked checked;
  const auto secret = packager::parseSecretKey(std::string(64, '7'));
  const module::PublicKey key = packager::publicKeyOf(*secret);
  std::vector<std::byte> bytes = *packager::sign(makeModule(cudaOptions()), *secret);
  sxt_public_key keys[1];
  std::copy(key.begin(), key.end(), keys[0].bytes);
  const sxt_module_options options{sizeof(sxt_module_options), keys, 1};
  sxt_device *device = nullptr;
  need(sxt_device_open("cuda:0", &device));
  auto launch = [&] {
    sxt_module *module = nullptr;
    sxt_status status = sxt_module_open_memory_with(bytes.data(), bytes.size(), &options, &module);
    if (status != SXT_OK)
      return status;
    sxt_program *program = nullptr;
    sxt_kernel *kernel = nullptr;
    need(sxt_program_create(module, device, nullptr, &program));
    status = sxt_program_kernel(program, "empty", &kernel);
    sxt_program_release(program);
    sxt_module_release(module);
    return status;
  };
  fakeReset();
  CHECK(launch() == SXT_OK);
  CHECK(fakeCalls("cuModuleLoadDataEx") == 1);
  fakeReset();
  // The image that is launched: the tables are as signed. (The last frame is the CPU's.)
  const std::string_view image = "cubin of kernels";
  const auto at = std::search(bytes.begin(), bytes.end(), image.begin(), image.end(),
                              [](std::byte a, char b) { return a == std::byte(b); });
  REQUIRE(at != bytes.end());
  *at ^= std::byte{1};
  CHECK(launch() == SXT_ERROR_UNTRUSTED);
  CHECK(contains(message(), " was altered after the module was signed"));
  *at ^= std::byte{1};
  bytes[300] ^= std::byte{1}; // a kernel's entry
  CHECK(launch() == SXT_ERROR_UNTRUSTED);
  CHECK(message().starts_with("untrusted module: its table of contents was altered"));
  bytes[300] ^= std::byte{1};
  CHECK(fakeCalls("cuModuleLoadDataEx") == 0);
  const std::vector<std::byte> whole = bytes;
  bytes = makeModule(cudaOptions());
  CHECK(launch() == SXT_ERROR_UNTRUSTED);
  bytes = whole;
  bytes.resize(bytes.size() - 1);
  CHECK(launch() == SXT_ERROR_BAD_MODULE);
  CHECK(fakeCalls("cuModuleLoadDataEx") == 0);
  bytes = whole;
  CHECK(launch() == SXT_OK);
  CHECK(fakeCalls("cuModuleLoadDataEx") == 1);
  sxt_device_release(device);
}

TEST_CASE("buffers and handles of other devices") {
  Checked checked;
  Loaded on("cuda:0", cudaOptions()), other("cuda:1", cudaOptions());
  sxt_buffer *here = on.buffer(16), *there = other.buffer(16);
  sxt_argument arguments[] = {sxt_make_f32(1), sxt_make_array1(there, SXT_DTYPE_F32, 4),
                              sxt_make_array1(here, SXT_DTYPE_F32, 4)};
  CHECK(sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments, 3) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "argument 1 'x': its buffer belongs to device cuda:1"));
  CHECK(sxt_buffer_copy(here, 0, there, 0, 8, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_stream *stream = nullptr;
  need(sxt_device_default_stream(other.device, &stream));
  CHECK(sxt_kernel_launch(on.kernel("empty"), stream, nullptr, 0) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "the stream belongs to device cuda:1, not to cuda:0"));
  uint32_t byte = 0;
  CHECK(sxt_buffer_fill(here, 0, 16, &byte, 1, stream) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_event *event = nullptr;
  need(sxt_event_create(on.device, &event));
  CHECK(sxt_stream_wait_event(stream, event) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_event_record(event, stream) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_event_release(event);
}

TEST_CASE("mappings copy there and back") {
  Checked checked;
  Loaded on("cuda:0", cudaOptions());
  sxt_buffer *b = on.bufferOf(std::vector<int32_t>{1, 2, 3});
  void *mapped = nullptr;
  need(sxt_buffer_map(b, &mapped));
  CHECK(static_cast<int32_t *>(mapped)[2] == 3);
  static_cast<int32_t *>(mapped)[2] = 7;
  CHECK(on.read<int32_t>(b, 3) == std::vector<int32_t>{1, 2, 3});
  need(sxt_buffer_unmap(b));
  CHECK(on.read<int32_t>(b, 3) == std::vector<int32_t>{1, 2, 7});
  need(sxt_buffer_map(b, &mapped)); // released while mapped
}

TEST_CASE("images that the driver refuses") {
  Checked checked;
  sxt_kernel *kernel = nullptr;
  Loaded broken("cuda:0", cudaOptions("broken ptx", "compute_75"));
  CHECK(sxt_program_kernel(broken.program, "saxpy", &kernel) == SXT_ERROR_DEVICE);
  CHECK(message() == "cuda:0 does not load the ptx image: CUDA_ERROR_INVALID_PTX: ptxas "
                     "application ptx input, line 7; fatal");
  Loaded on("cuda:0", cudaOptions());
  CHECK(sxt_program_kernel(on.program, "absent", &kernel) == SXT_ERROR_BAD_MODULE);
  CHECK(contains(message(), "no kernel 'absent_t0': CUDA_ERROR_NOT_FOUND"));
  fakeFail("cuModuleLoadDataEx", 2, 0);
  Loaded full("cuda:0", cudaOptions());
  CHECK(sxt_program_kernel(full.program, "saxpy", &kernel) == SXT_ERROR_OUT_OF_MEMORY);
  need(sxt_program_kernel(full.program, "saxpy", &kernel)); // and works once there is memory
}

TEST_CASE("a driver's error reaches the caller with its name") {
  Checked checked;
  Loaded on("cuda:0", cudaOptions());
  fakeFail("cuLaunchKernel", 700, 0);
  CHECK(sxt_kernel_launch(on.kernel("empty"), nullptr, nullptr, 0) == SXT_ERROR_DEVICE);
  CHECK(message() == "cuLaunchKernel failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access "
                     "was encountered)");
  sxt_buffer *buffer = nullptr;
  fakeFail("cuMemAlloc_v2", 2, 0);
  CHECK(sxt_buffer_create(on.device, 10, &buffer) == SXT_ERROR_OUT_OF_MEMORY);
  CHECK(message() == "cuda:0 has no memory for a buffer of 10 bytes");
  fakeFail("cuStreamSynchronize", 12345, 0);
  CHECK(sxt_device_default_stream(on.device, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_stream *stream = nullptr;
  need(sxt_device_default_stream(on.device, &stream));
  CHECK(sxt_stream_synchronize(stream) == SXT_ERROR_DEVICE);
  CHECK(message() == "cuStreamSynchronize failed: CUDA error 12345");
  sxt_event *event = nullptr;
  need(sxt_event_create(on.device, &event));
  fakeFail("cuEventQuery", 600, 0);
  CHECK(sxt_event_query(event) == SXT_ERROR_NOT_READY);
  double ms = 0;
  CHECK(sxt_event_elapsed(event, event, &ms) == SXT_ERROR_INVALID_ARGUMENT);
  need(sxt_event_record(event, nullptr));
  fakeFail("cuEventElapsedTime", 600, 0);
  CHECK(sxt_event_elapsed(event, event, &ms) == SXT_ERROR_NOT_READY);
  need(sxt_event_elapsed(event, event, &ms));
  CHECK(ms == 1.5);
  sxt_event_release(event);
}

TEST_CASE("whichever call fails, nothing leaks and the next try works") {
  // Each driver function in turn fails at its first, second, … call.
  auto run = [] { return smallRun("cuda:0", cudaOptions()); };
  need(run());
  for (const char *function : {"cuDeviceGet",
                               "cuDeviceGetName",
                               "cuDeviceGetAttribute",
                               "cuDeviceTotalMem_v2",
                               "cuDevicePrimaryCtxRetain",
                               "cuCtxPushCurrent_v2",
                               "cuCtxSynchronize",
                               "cuModuleLoadDataEx",
                               "cuModuleGetFunction",
                               "cuLaunchKernel",
                               "cuMemAlloc_v2",
                               "cuMemHostAlloc",
                               "cuMemcpyHtoDAsync_v2",
                               "cuMemcpyDtoHAsync_v2",
                               "cuMemcpyDtoDAsync_v2",
                               "cuMemsetD8Async",
                               "cuMemsetD32Async",
                               "cuStreamCreate",
                               "cuStreamSynchronize",
                               "cuStreamWaitEvent",
                               "cuEventCreate",
                               "cuEventRecord",
                               "cuEventSynchronize",
                               "cuEventElapsedTime"}) {
    int failed = 0;
    for (int after = 0; after < 30; ++after) {
      fakeReset();
      int alive = fakeAlive();
      fakeFail(function, 700, after);
      sxt_status status = run();
      bool reached = fakeCalls(function) > after;
      INFO(function << " fails at call " << after << ": " << message());
      // A context that cannot be made current on the way out may leave memory behind.
      if (std::strcmp(function, "cuCtxPushCurrent_v2") != 0)
        CHECK(fakeAlive() == alive);
      failed += status != SXT_OK;
      if (!reached)
        break;
    }
    INFO(function);
    CHECK(failed > 0);
  }
  fakeReset();
  need(run());
}

TEST_CASE("a kernel without tasks needs no code") {
  fakeReset();
  runIdle("cuda:0", cudaOptions());
  CHECK(fakeCalls("cuModuleLoadData") + fakeCalls("cuModuleLoadDataEx") == 0);
}

TEST_CASE("a device that falls silent is given up when the user says so") {
  fallSilent("cuda:0", cudaOptions(), limitWaits,
             "the device did not finish within SEXTANT_WAIT_LIMIT=0.3 seconds");
  need(smallRun("cuda:0", cudaOptions()));
}

TEST_CASE("with a limit for waits all is as without") {
  setenv("SEXTANT_WAIT_LIMIT", "60", 1);
  fakeReset();
  const int alive = fakeAlive(), misuses = fakeMisuses();
  need(smallRun("cuda:0", cudaOptions()));
  CHECK(fakeAlive() == alive);
  CHECK(fakeMisuses() == misuses);
  const int ofElapsedTimes = 2; // asked once for each event
  CHECK(fakeCalls("cuEventQuery") > ofElapsedTimes);
  // Texts that are not a number of seconds are not a limit.
  for (const char *text : {"0", "-1", "1s", "nan"}) {
    setenv("SEXTANT_WAIT_LIMIT", text, 1);
    fakeReset();
    need(smallRun("cuda:0", cudaOptions()));
    CHECK(fakeCalls("cuEventQuery") == ofElapsedTimes);
  }
  unsetenv("SEXTANT_WAIT_LIMIT");
}
