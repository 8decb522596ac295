// The HIP device over a stand-in for AMD's runtime, built in both layouts of the
// device properties: what is called, for which device, and what becomes of errors.
#include "tests/loader/SilentDevice.h"
#include "tests/loader/TestModule.h"
#include "tests/loader/fakedriver/FakeDriver.h"

#include <cstdlib>
#include <cstring>

using namespace sextant;
using namespace sextant::test;

namespace {

/// As much of a code object as the loader looks at, then `text`.
std::string codeObject(const std::string &text = "code of kernels") {
  std::string image = "\177ELF";
  image.resize(64, '.');
  return image + text;
}

ModuleOptions hipOptions(const std::string &image = codeObject(), const char *arch = "gfx1100",
                         unsigned wave = 32) {
  ModuleOptions options;
  options.targets = {{"amdgpu", arch, {}, wave}};
  options.gpuImage = image;
  return options;
}

/// Runs with a clean record, and checks in the end that nothing is left and that the
/// thread's device is what it was.
struct Checked {
  Checked() {
    fakeReset();
    alive = fakeAlive();
    CHECK(hipGetDevice(&device) == 0);
  }
  ~Checked() {
    int now = -1;
    CHECK(hipGetDevice(&now) == 0);
    CHECK(now == device);
    CHECK(fakeAlive() == alive);
    CHECK(fakeMisuses() == 0);
  }
  int alive, device = -1;
};

std::string nameOf(sxt_device *device) {
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(device, &info));
  return info.name;
}

/// The device that sxt_device_open_for takes for such a module.
std::string chosenFor(const ModuleOptions &options) {
  std::vector<std::byte> bytes = makeModule(options);
  sxt_module *module = nullptr;
  sxt_device *device = nullptr;
  need(sxt_module_open_memory(bytes.data(), bytes.size(), &module));
  need(sxt_device_open_for(module, &device));
  std::string name = nameOf(device);
  sxt_device_release(device);
  sxt_module_release(module);
  return name;
}

} // namespace

TEST_CASE("facts come from the properties, whichever their layout") {
  size_t count = 0;
  need(sxt_device_count(&count));
  REQUIRE(count >= 3); // software ones come last
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_get_info(0, &info));
  CHECK(std::string(info.name) == "hip:0");
  CHECK(std::string(info.backend) == "amdgpu");
  CHECK(std::string(info.description) == "Fake Navi");
  CHECK(std::string(info.arch) == "gfx1100");
  REQUIRE(info.wave_size_count == 2); // RDNA runs both, wave32 first
  CHECK(info.wave_sizes[0] == 32);
  CHECK(info.wave_sizes[1] == 64);
  CHECK(info.memory_bytes == uint64_t(16) << 30);
  CHECK(info.shared_memory_bytes == 65536);
  CHECK(info.multiprocessors == 48);
  CHECK(info.max_threads_per_block == 1024);
  need(sxt_device_get_info(1, &info));
  CHECK(std::string(info.description) == "Fake Aldebaran");
  CHECK(std::string(info.arch) == "gfx90a:sramecc+:xnack-"); // modifiers are for selection
  REQUIRE(info.wave_size_count == 1);
  CHECK(info.wave_sizes[0] == 64);
  CHECK(info.memory_bytes == uint64_t(64) << 30);
  CHECK(info.multiprocessors == 104);
}

TEST_CASE("a launch passes block, grid and stream as they are") {
  Checked checked;
  Loaded on("hip", hipOptions());
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
  void *native = nullptr;
  need(sxt_stream_native(stream, &native));
  CHECK(last.stream == native);
  // f32 at 0; pointer at 8, i32 at 16; pointer at 24, i32 at 32.
  CHECK(last.argumentBytes == 36);
  float a = 2.5f;
  int32_t n = 99, m = 100;
  CHECK(std::memcmp(last.arguments, &a, 4) == 0);
  CHECK(std::memcmp(last.arguments + 8, &xs, 8) == 0);
  CHECK(std::memcmp(last.arguments + 16, &n, 4) == 0);
  CHECK(std::memcmp(last.arguments + 24, &ys, 8) == 0);
  CHECK(std::memcmp(last.arguments + 32, &m, 4) == 0);
  CHECK(std::string(fakeLastImage()) == "code of kernels");
  // A bound that only the device knows: 48 multiprocessors of 2048 threads in blocks of 64.
  sxt_argument out = sxt_make_array1(x, SXT_DTYPE_I32, 1);
  need(sxt_kernel_launch(on.kernel("grid"), nullptr, &out, 1));
  CHECK(fakeLastLaunch()->grid == 48 * 32);
  CHECK(fakeCalls("hipModuleLoadData") == 1); // the kernels share one image
  sxt_stream_release(stream);
}

TEST_CASE("the thread's device is set where it is another, and put back") {
  Checked checked;
  Loaded on("hip:1", hipOptions(codeObject(), "gfx90a", 64));
  sxt_kernel *kernel = on.kernel("empty");
  fakeReset();
  need(sxt_kernel_launch(kernel, nullptr, nullptr, 0)); // device 0 is the thread's
  CHECK(fakeCalls("hipSetDevice") == 2);
  int device = -1;
  CHECK(hipGetDevice(&device) == 0);
  CHECK(device == 0);
  CHECK(hipSetDevice(1) == 0);
  fakeReset();
  need(sxt_kernel_launch(kernel, nullptr, nullptr, 0));
  CHECK(fakeCalls("hipSetDevice") == 0);
  CHECK(hipSetDevice(0) == 0);
}

TEST_CASE("adopting the current device, a context, and a stream") {
  Checked checked;
  void *stream = nullptr, *context = nullptr;
  CHECK(hipSetDevice(1) == 0);
  CHECK(hipStreamCreateWithFlags(&stream, 0) == 0);
  CHECK(hipCtxGetCurrent(&context) == 0);
  sxt_device *device = nullptr;
  sxt_adopt_info adopt{sizeof adopt, "hip", nullptr, stream};
  need(sxt_device_adopt(&adopt, &device));
  CHECK(nameOf(device) == "hip:1");
  sxt_stream *used = nullptr;
  void *native = nullptr;
  need(sxt_device_default_stream(device, &used));
  need(sxt_stream_native(used, &native));
  CHECK(native == stream);
  sxt_device_release(device);
  CHECK(hipSetDevice(0) == 0);

  adopt.context = context; // a context of device 1, while 0 is current
  need(sxt_device_adopt(&adopt, &device));
  CHECK(nameOf(device) == "hip:1");
  int current = -1;
  CHECK(hipGetDevice(&current) == 0);
  CHECK(current == 0);
  fakeReset();
  sxt_device_release(device);
  CHECK(fakeCalls("hipStreamDestroy") == 0); // the application's
  int nothing = 0;
  adopt.context = &nothing;
  CHECK(sxt_device_adopt(&adopt, &device) == SXT_ERROR_DEVICE);
  CHECK(contains(message(), "hipCtxPushCurrent failed"));
  CHECK(hipSetDevice(1) == 0);
  CHECK(hipStreamDestroy(stream) == 0);
  CHECK(hipSetDevice(0) == 0);
}

TEST_CASE("selection among AMD GPUs, target IDs, and giving way to the CPU") {
  Checked checked;
  CHECK(chosenFor(hipOptions()) == "hip:0");
  CHECK(chosenFor(hipOptions(codeObject(), "gfx1100", 64)) == "hip:0");
  CHECK(chosenFor(hipOptions(codeObject(), "gfx90a", 64)) == "hip:1");
  CHECK(chosenFor(hipOptions(codeObject(), "gfx90a:xnack-", 64)) == "hip:1");
  ModuleOptions other = hipOptions(codeObject(), "gfx90a:xnack+", 64);
  other.targets.push_back({"cpu", hostArch(), {}, 32});
  CHECK(chosenFor(other) == "cpu");
}

TEST_CASE("a device whose variants the environment blocks or does not pin is passed over") {
  Checked checked;
  ModuleOptions options = hipOptions();
  options.targets.push_back({"cpu", hostArch(), {}, 32});
  CHECK(chosenFor(options) == "hip:0");
  setenv("SEXTANT_BLOCK", "metal,amdgpu:gfx1100", 1);
  CHECK(chosenFor(options) == "cpu");
  unsetenv("SEXTANT_BLOCK");
  setenv("SEXTANT_VARIANT", "cpu", 1);
  CHECK(chosenFor(options) == "cpu");
  unsetenv("SEXTANT_VARIANT");
}

TEST_CASE("the wave size on RDNA: 32 first, and what the application asks for") {
  Checked checked;
  ModuleOptions options = hipOptions();
  options.targets = {{"amdgpu", "gfx1100", {}, 64}, {"amdgpu", "gfx1100", {}, 32}};
  Loaded on("hip:0", options);
  auto waveOf = [&](uint32_t asked) {
    sxt_program_options wanted{sizeof wanted, nullptr, nullptr, asked, nullptr};
    sxt_program *program = nullptr;
    sxt_kernel *kernel = nullptr;
    need(sxt_program_create(on.module, on.device, &wanted, &program));
    need(sxt_program_kernel(program, "empty", &kernel));
    sxt_variant_info info;
    info.struct_size = sizeof info;
    need(sxt_kernel_variant(kernel, &info));
    uint32_t wave = info.wave;
    sxt_program_release(program);
    return wave;
  };
  CHECK(waveOf(0) == 32);
  CHECK(waveOf(32) == 32);
  CHECK(waveOf(64) == 64);
}

TEST_CASE("images that the runtime refuses, and bytes that are not images") {
  Checked checked;
  sxt_kernel *kernel = nullptr;
  Loaded broken("hip:0", hipOptions(codeObject("broken")));
  CHECK(sxt_program_kernel(broken.program, "saxpy", &kernel) == SXT_ERROR_DEVICE);
  CHECK(message() == "hip:0 does not load the hsaco image: hipErrorNoBinaryForGpu 209");
  for (const std::string &image : {codeObject().substr(0, 40), std::string(100, 'x')}) {
    Loaded none("hip:0", hipOptions(image));
    CHECK(sxt_program_kernel(none.program, "saxpy", &kernel) == SXT_ERROR_BAD_MODULE);
    CHECK(contains(message(), "not an ELF file, or cut short"));
  }
  Loaded on("hip:0", hipOptions());
  CHECK(sxt_program_kernel(on.program, "absent", &kernel) == SXT_ERROR_BAD_MODULE);
  CHECK(contains(message(), "no kernel 'absent_t0': hipErrorNotFound 500"));
  fakeFail("hipModuleLoadData", 2, 0);
  Loaded full("hip:0", hipOptions());
  CHECK(sxt_program_kernel(full.program, "saxpy", &kernel) == SXT_ERROR_OUT_OF_MEMORY);
  need(sxt_program_kernel(full.program, "saxpy", &kernel)); // and works once there is memory
}

TEST_CASE("memory that runs out, and launches that fail") {
  Checked checked;
  Loaded on("hip:0", hipOptions());
  sxt_buffer *buffer = nullptr;
  CHECK(sxt_buffer_create(on.device, uint64_t(32) << 30, &buffer) == SXT_ERROR_OUT_OF_MEMORY);
  CHECK(message() == "hip:0 has no memory for a buffer of 34359738368 bytes");
  fakeFail("hipModuleLaunchKernel", 719, 0);
  CHECK(sxt_kernel_launch(on.kernel("empty"), nullptr, nullptr, 0) == SXT_ERROR_DEVICE);
  CHECK(message() ==
        "hipModuleLaunchKernel failed: hipErrorLaunchFailure 719 (unspecified launch failure)");
  sxt_stream *stream = nullptr;
  need(sxt_device_default_stream(on.device, &stream));
  fakeFail("hipStreamSynchronize", 719, 0); // as a fault in a kernel shows
  CHECK(sxt_stream_synchronize(stream) == SXT_ERROR_DEVICE);
  CHECK(contains(message(), "hipStreamSynchronize failed: hipErrorLaunchFailure"));
}

TEST_CASE("a device that vanishes") {
  Checked checked;
  ModuleOptions options = hipOptions();
  options.targets.push_back({"amdgpu", "gfx90a", {}, 64});
  options.targets.push_back({"cpu", hostArch(), {}, 32});
  {
    Loaded on("hip:0", options);
    sxt_kernel *kernel = on.kernel("empty");
    fakeFail("hipModuleLaunchKernel", 100, 0);
    CHECK(sxt_kernel_launch(kernel, nullptr, nullptr, 0) == SXT_ERROR_NO_DEVICE);
    CHECK(message() == "hipModuleLaunchKernel failed: hipErrorNoDevice 100");
  }
  // Gone when it is to be opened: the next one is taken, and then the CPU.
  const char *properties = fakeCalls("hipGetDevicePropertiesR0600") ? "hipGetDevicePropertiesR0600"
                                                                    : "hipGetDeviceProperties";
  fakeFail(properties, 100, 0);
  CHECK(chosenFor(options) == "hip:1");
  fakeFail("hipStreamCreateWithFlags", 719, 0);
  CHECK(chosenFor(options) == "hip:1");
  options.targets.erase(options.targets.begin() + 1);
  fakeFail(properties, 100, 0);
  CHECK(chosenFor(options) == "cpu");
  sxt_device *device = nullptr;
  fakeFail(properties, 101, 0);
  CHECK(sxt_device_open("hip:0", &device) == SXT_ERROR_NO_DEVICE);
  CHECK(contains(message(), "failed: hipErrorUnknown 101"));
}

TEST_CASE("whichever call fails, nothing leaks and the next try works") {
  auto run = [] { return smallRun("hip:0", hipOptions()); };
  need(run());
  for (const char *function :
       {"hipModuleLoadData", "hipModuleGetFunction", "hipModuleLaunchKernel",
        "hipDeviceSynchronize", "hipMalloc", "hipHostMalloc", "hipMemcpyHtoDAsync",
        "hipMemcpyDtoHAsync", "hipMemcpyDtoDAsync", "hipMemsetD8Async", "hipMemsetD32Async",
        "hipStreamCreateWithFlags", "hipStreamSynchronize", "hipStreamWaitEvent",
        "hipEventCreateWithFlags", "hipEventRecord", "hipEventSynchronize",
        "hipEventElapsedTime"}) {
    int failed = 0;
    for (int after = 0; after < 30; ++after) {
      fakeReset();
      int alive = fakeAlive();
      fakeFail(function, 719, after);
      sxt_status status = run();
      bool reached = fakeCalls(function) > after;
      INFO(function << " fails at call " << after << ": " << message());
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

TEST_CASE("opening a device that is there reports no error") {
  Checked checked;
  int errors = 0;
  sxt_log_set_callback(
      [](sxt_log_level, const char *, void *count) { ++*static_cast<int *>(count); }, &errors,
      SXT_LOG_WARNING);
  sxt_device *device = nullptr;
  need(sxt_device_open(nullptr, &device));
  CHECK(nameOf(device) == "hip:0");
  sxt_device_release(device);
  sxt_log_set_callback(nullptr, nullptr, SXT_LOG_OFF);
  CHECK(errors == 0);
}

// A failure when the runtime is first looked at needs a process of its own.
TEST_CASE("a runtime that is present but does not start", "[.start]") {
  fakeFail("hipInit", 100, 0);
  sxt_device *device = nullptr;
  CHECK(sxt_device_open("hip:0", &device) == SXT_ERROR_NO_DEVICE);
  CHECK(message() == "device 'hip:0' cannot be opened: the HIP runtime does not start: "
                     "hipErrorNoDevice 100");
  ModuleOptions options = hipOptions();
  std::vector<std::byte> bytes = makeModule(options);
  sxt_module *module = nullptr;
  need(sxt_module_open_memory(bytes.data(), bytes.size(), &module));
  CHECK(sxt_device_open_for(module, &device) == SXT_ERROR_NO_VARIANT);
  INFO(message());
  CHECK(message().starts_with("this machine has no device that will do: hip: the HIP runtime does "
                              "not start: hipErrorNoDevice 100; cpu: kernel '"));
  CHECK(contains(message(), "the module holds no cpu code"));
  sxt_module_release(module);
  options.targets.push_back({"cpu", hostArch(), {}, 32});
  CHECK(chosenFor(options) == "cpu");
}

#if SEXTANT_TEST_HIP == 5
TEST_CASE("with a runtime that has no graphs, they run step by step") {
  Checked checked;
  Loaded on("hip", hipOptions());
  sxt_buffer *x = on.buffer(400);
  const sxt_argument arguments[] = {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, 100),
                                    sxt_make_array1(x, SXT_DTYPE_F32, 100)};
  sxt_graph *graph = nullptr;
  need(sxt_graph_create(on.device, &graph));
  for (int i = 0; i < 3; ++i)
    need(sxt_graph_add_launch(graph, on.kernel("saxpy"), arguments, 3, nullptr));
  need(sxt_graph_enqueue(graph, nullptr));
  CHECK(fakeLaunchesRun() == 3);
  sxt_graph_info info;
  info.struct_size = sizeof info;
  need(sxt_graph_describe(graph, &info));
  CHECK(info.native == 0);
  sxt_graph_release(graph);
}
#endif

TEST_CASE("a kernel without tasks needs no code") {
  fakeReset();
  runIdle("hip:0", hipOptions());
  CHECK(fakeCalls("hipModuleLoadData") + fakeCalls("hipModuleLoadDataEx") == 0);
}

TEST_CASE("a device that falls silent is given up when the user says so") {
  fallSilent("hip:0", hipOptions(), limitWaits,
             "the device did not finish within SEXTANT_WAIT_LIMIT=0.3 seconds");
  need(smallRun("hip:0", hipOptions()));
}
