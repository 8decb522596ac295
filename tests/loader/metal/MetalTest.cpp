// The Metal device over the stand-in for Metal: what is called and bound, what becomes of
// every error, and, in the cases with the tag [run], what kernels compute on mslsim. The same over
// the driver for Apple's frameworks, whose messages go to stand-ins.
#include "tests/loader/TestModule.h"
#include "tests/simulators/metal/FakeMetal.h"
#include "tests/simulators/metal/objc/FakeObjC.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

using namespace sextant;
using namespace sextant::test;

namespace {

std::string kernelText() {
  std::ifstream file(SEXTANT_TEST_METAL_KERNELS, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// True if this runs over the driver for Apple's frameworks.
bool overMessages() {
  const char *driver = std::getenv("SEXTANT_METAL_LIBRARY");
  return driver && contains(driver, "messages");
}
/// That driver does not know how many cores there are, and takes this number.
uint32_t cores() { return overMessages() ? 8 : 10; }

ModuleOptions metalOptions(std::string image = kernelText(), const char *version = "3.0") {
  ModuleOptions options;
  options.targets = {{"metal", version, {}, 32}};
  const auto *bytes = reinterpret_cast<const std::byte *>(image.data());
  options.images[module::str(options.targets[0])].assign(bytes, bytes + image.size());
  return options;
}

/// Runs with a clean record, and checks in the end that nothing is left.
struct Checked {
  Checked() {
    fakeMetalReset();
    misuses = fakeMetalMisuses();
  }
  ~Checked() {
    fakeMetalHold(0);
    fakeMetalPipelineLimits(0, 0);
    CHECK(settled());
    CHECK(fakeMetalMisuses() == misuses);
  }
  /// Command buffers let go of what they used on their queue's thread, soon after the end.
  bool settled() const {
    for (int wait = 0; wait < 2000 && fakeMetalAlive() != 0; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return fakeMetalAlive() == 0;
  }
  int misuses;
};

template <class T> sxt_argument scalar(sxt_dtype type, T value) {
  return sxt_make_scalar(type, &value, sizeof value);
}

uint64_t addressOf(sxt_buffer *buffer) {
  uint64_t address = 0;
  need(sxt_buffer_address(buffer, &address));
  return address;
}

} // namespace

//===--- Facts and bindings ------------------------------------------------===//

TEST_CASE("Metal devices tell their facts") {
  Checked checked;
  sxt_device *device = nullptr;
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_open("metal", &device));
  need(sxt_device_describe(device, &info));
  CHECK(std::string(info.name) == "metal:0");
  CHECK(std::string(info.backend) == "metal");
  CHECK(std::string(info.description) == "Fake M3");
  CHECK(std::string(info.arch) == "3.2");
  REQUIRE(info.feature_count == 3);
  CHECK(std::string(info.features[0]) == "buffer-addresses");
  CHECK(std::string(info.features[1]) == "int64-minmax-atomics");
  CHECK(std::string(info.features[2]) == "simdgroup-matrix");
  CHECK(info.wave_size_count == 1);
  CHECK(info.wave_sizes[0] == 32);
  CHECK(info.shared_memory_bytes == 32768);
  CHECK(info.max_threads_per_block == 1024);
  CHECK(info.multiprocessors == cores());
  sxt_device_release(device);
  need(sxt_device_open("metal:1", &device));
  need(sxt_device_describe(device, &info));
  // Apple's systems tell the language, and the stand-in's devices have one of their own.
  CHECK(std::string(info.arch) == (overMessages() ? "3.2" : "2.3"));
  REQUIRE(info.feature_count == 1);
  CHECK(std::string(info.features[0]) == "simdgroup-matrix");
  sxt_device_release(device);
  CHECK(sxt_device_open("metal:2", &device) == SXT_ERROR_NOT_FOUND);
}

TEST_CASE("a launch binds buffers in order and packs the values after them") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *x = on.buffer(4096), *y = on.buffer(400);
  sxt_argument arguments[] = {sxt_make_f32(2.5f), sxt_make_array1(x, SXT_DTYPE_F32, 99),
                              sxt_make_array1(y, SXT_DTYPE_F32, 100)};
  arguments[1].offset_bytes = 8;
  need(sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments, 3));
  FakeMetalDispatch last = *fakeMetalLastDispatch();
  CHECK(std::string(last.kernel) == "saxpy_t0");
  CHECK(last.grid == 2);
  CHECK(last.block == 64);
  REQUIRE(last.bufferCount == 2);
  CHECK(reinterpret_cast<uint64_t>(last.addresses[0]) == addressOf(x) + 8);
  CHECK(reinterpret_cast<uint64_t>(last.addresses[1]) == addressOf(y));
  REQUIRE(last.valueBytes == 16); // 12, padded
  float a = 2.5f;
  int32_t extents[] = {99, 100};
  CHECK(std::memcmp(last.values, &a, 4) == 0);
  CHECK(std::memcmp(last.values + 4, extents, 8) == 0);
  CHECK(fakeMetalLanguage() == 300);
  // Tasks are libraries of their own, each compiled once.
  CHECK(fakeMetalCalls("newLibrary") == 1);
  need(sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments, 3));
  need(sxt_kernel_launch(on.kernel("empty"), nullptr, nullptr, 0));
  CHECK(fakeMetalCalls("newLibrary") == 2);
  CHECK(fakeMetalLastDispatch()->bufferCount == 0);
  CHECK(fakeMetalLastDispatch()->valueBytes == 0);
  // A bound that only the device knows: cores of 2048 threads in blocks of 64.
  sxt_argument out = sxt_make_array1(x, SXT_DTYPE_I32, 1);
  need(sxt_kernel_launch(on.kernel("grid"), nullptr, &out, 1));
  CHECK(fakeMetalLastDispatch()->grid == cores() * 32);
}

/// 40 arrays of 10 elements, as parts of one buffer 44 bytes apart, but for the last, which has no
/// elements; and a step of 100.
static std::vector<sxt_argument> plenty(sxt_buffer *memory) {
  std::vector<sxt_argument> arguments;
  for (uint64_t k = 0; k < 40; ++k) {
    arguments.push_back(sxt_make_array1(memory, SXT_DTYPE_I32, k < 39 ? 10 : 0));
    arguments.back().offset_bytes = 44 * k;
  }
  arguments.push_back(sxt_make_i32(100));
  return arguments;
}

TEST_CASE("arrays that are too many to bind come in a table, the values after it") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *memory = on.buffer(44 * 39);
  std::vector<sxt_argument> arguments = plenty(memory);
  need(sxt_kernel_launch(on.kernel("plenty"), nullptr, arguments.data(), arguments.size()));
  FakeMetalDispatch last = *fakeMetalLastDispatch();
  CHECK(last.hasTable);
  REQUIRE(last.bufferCount == 40);
  for (uint64_t k = 0; k < 39; ++k)
    CHECK(reinterpret_cast<uint64_t>(last.addresses[k]) == addressOf(memory) + 44 * k);
  CHECK(last.addresses[39] != nullptr);
  REQUIRE(last.valueBytes == 176); // 164, padded
  int32_t expected[41];
  std::fill_n(expected, 39, 10);
  expected[39] = 0;
  expected[40] = 100;
  CHECK(std::memcmp(last.values, expected, sizeof expected) == 0);
  // Others are bound as ever.
  need(sxt_kernel_launch(on.kernel("empty"), nullptr, nullptr, 0));
  CHECK_FALSE(fakeMetalLastDispatch()->hasTable);
}

TEST_CASE("small values take four bytes, large ones are aligned") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *out = on.buffer(96);
  float m[] = {1, 2, 3, 4, 5, 6};
  sxt_argument arguments[] = {sxt_make_bool(1),
                              scalar(SXT_DTYPE_I8, int8_t(-2)),
                              scalar(SXT_DTYPE_I16, int16_t(-300)),
                              sxt_make_i64(-5000000000),
                              scalar(SXT_DTYPE_U16, uint16_t(65535)),
                              sxt_make_f64(0.5),
                              sxt_make_matrix(m, SXT_DTYPE_F32, 2, 3),
                              sxt_make_array1(out, SXT_DTYPE_F64, 12)};
  need(sxt_kernel_launch(on.kernel("everything"), nullptr, arguments, 8));
  FakeMetalDispatch last = *fakeMetalLastDispatch();
  REQUIRE(last.valueBytes == 80); // 68, padded
  unsigned char expected[80] = {};
  uint32_t small[] = {1, 0xfe, 0xfed4};
  int64_t l = -5000000000;
  uint32_t h = 65535, n = 12;
  double d = 0.5;
  std::memcpy(expected, small, 12);
  std::memcpy(expected + 16, &l, 8);
  std::memcpy(expected + 24, &h, 4);
  std::memcpy(expected + 32, &d, 8);
  std::memcpy(expected + 40, m, 24);
  std::memcpy(expected + 64, &n, 4);
  CHECK(std::memcmp(last.values, expected, 80) == 0);
}

TEST_CASE("arrays without elements need no memory, others need ours") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *x = on.buffer(400), *foreign = nullptr;
  int host[4] = {};
  need(sxt_buffer_wrap(on.device, reinterpret_cast<uint64_t>(host), sizeof host, &foreign));
  sxt_argument out = sxt_make_array1(x, SXT_DTYPE_I32, 0);
  out.offset_bytes = 400; // its end
  need(sxt_kernel_launch(on.kernel("grid"), nullptr, &out, 1));
  CHECK(fakeMetalLastDispatch()->addresses[0] != nullptr);
  out = sxt_make_array1(foreign, SXT_DTYPE_I32, 4);
  CHECK(sxt_kernel_launch(on.kernel("grid"), nullptr, &out, 1) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "no buffer of metal:0 holds the address 0x"));
  CHECK(sxt_buffer_read(foreign, 0, host, 4, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_write(foreign, 0, host, 4, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_buffer_release(foreign);
  // An address inside a buffer of ours is as good as the buffer.
  sxt_buffer *part = nullptr;
  need(sxt_buffer_wrap(on.device, addressOf(x) + 100, 16, &part));
  out = sxt_make_array1(part, SXT_DTYPE_I32, 4);
  need(sxt_kernel_launch(on.kernel("grid"), nullptr, &out, 1));
  CHECK(reinterpret_cast<uint64_t>(fakeMetalLastDispatch()->addresses[0]) == addressOf(x) + 100);
  sxt_buffer_release(part);
}

//===--- Memory and order --------------------------------------------------===//

TEST_CASE("fills of every pattern, size and place") {
  Checked checked;
  Loaded on("metal", metalOptions());
  constexpr size_t size = 300000;
  sxt_buffer *buffer = on.buffer(size);
  std::vector<unsigned char> expected(size, 0x11);
  uint32_t same = 0x11111111, two = 0xBEEF, four = 0x01020304;
  need(sxt_buffer_fill(buffer, 0, size, &same, 4, nullptr));
  auto fill = [&](size_t at, size_t bytes, uint32_t pattern, size_t patternBytes) {
    need(sxt_buffer_fill(buffer, at, bytes, &pattern, patternBytes, nullptr));
    for (size_t i = 0; i < bytes; ++i)
      expected[at + i] = static_cast<unsigned char>(pattern >> (8 * (i % patternBytes)));
  };
  fill(5, 7, 0xAB, 1);
  fill(22, 6, two, 2);
  fill(100, 200000, four, 4); // fills it in doubling steps, with a rest
  fill(250000, 65536 / 2, two, 2);
  CHECK(on.read<unsigned char>(buffer, size) == expected);
  // Copies of any size at any place.
  sxt_buffer *other = on.buffer(size);
  need(sxt_buffer_fill(other, 0, size, &same, 4, nullptr));
  need(sxt_buffer_copy(other, 3, buffer, 101, 1001, nullptr));
  need(sxt_buffer_copy(other, 4000, buffer, 100, 1000, nullptr));
  std::vector<unsigned char> copied(size, 0x11);
  std::memcpy(copied.data() + 3, expected.data() + 101, 1001);
  std::memcpy(copied.data() + 4000, expected.data() + 100, 1000);
  CHECK(on.read<unsigned char>(other, size) == copied);
}

TEST_CASE("writes take their turn in the stream") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *buffer = on.buffer(16), *copy = on.buffer(16);
  int32_t first[4] = {1, 2, 3, 4}, second[4] = {5, 6, 7, 8};
  need(sxt_buffer_write(buffer, 0, first, 16, nullptr));
  fakeMetalHold(1);
  need(sxt_buffer_copy(copy, 0, buffer, 0, 16, nullptr));
  need(sxt_buffer_write_async(buffer, 0, second, 16, nullptr)); // the copy has not run
  fakeMetalHold(0);
  CHECK(on.read<int32_t>(copy, 4) == std::vector<int32_t>{1, 2, 3, 4});
  CHECK(on.read<int32_t>(buffer, 4) == std::vector<int32_t>{5, 6, 7, 8});
}

TEST_CASE("mappings are the memory itself") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *buffer = on.bufferOf(std::vector<int32_t>{1, 2, 3});
  void *mapped = nullptr;
  need(sxt_buffer_map(buffer, &mapped));
  CHECK(reinterpret_cast<uint64_t>(mapped) == addressOf(buffer));
  static_cast<int32_t *>(mapped)[1] = 9;
  need(sxt_buffer_unmap(buffer));
  CHECK(on.read<int32_t>(buffer, 3) == std::vector<int32_t>{1, 9, 3});
}

TEST_CASE("events order streams and tell time") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *buffer = on.buffer(16), *copy = on.buffer(16);
  sxt_stream *stream = nullptr;
  sxt_event *begin = nullptr, *end = nullptr;
  need(sxt_stream_create(on.device, &stream));
  need(sxt_event_create(on.device, &begin));
  need(sxt_event_create(on.device, &end));
  CHECK(sxt_event_query(begin) == SXT_OK); // never recorded: nothing to wait for
  need(sxt_stream_wait_event(stream, begin));
  double ms = -1;
  CHECK(sxt_event_elapsed(begin, end, &ms) == SXT_ERROR_INVALID_ARGUMENT);
  need(sxt_event_record(begin, nullptr));
  fakeMetalHold(1);
  uint32_t seven = 7;
  need(sxt_buffer_fill(buffer, 0, 16, &seven, 4, nullptr));
  need(sxt_event_record(end, nullptr));
  CHECK(sxt_event_query(end) == SXT_ERROR_NOT_READY);
  CHECK(sxt_event_elapsed(begin, end, &ms) == SXT_ERROR_NOT_READY);
  need(sxt_stream_wait_event(stream, end));
  need(sxt_buffer_copy(copy, 0, buffer, 0, 16, stream));
  fakeMetalHold(0);
  need(sxt_stream_synchronize(stream));
  CHECK(on.read<uint32_t>(copy, 4) == std::vector<uint32_t>(4, 7));
  need(sxt_event_synchronize(end));
  need(sxt_event_elapsed(begin, end, &ms));
  CHECK(ms >= 0);
  need(sxt_event_record(end, stream)); // again
  need(sxt_event_synchronize(end));
  sxt_event_release(begin);
  sxt_event_release(end);
  sxt_stream_release(stream);
}

TEST_CASE("memory that goes while work is queued") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *kept = on.buffer(1 << 20);
  fakeMetalHold(1);
  for (int i = 0; i < 20; ++i) {
    sxt_buffer *passing = nullptr;
    need(sxt_buffer_create(on.device, 1 << 20, &passing));
    need(sxt_buffer_copy(kept, 0, passing, 0, 1 << 20, nullptr));
    sxt_buffer_release(passing);
  }
  fakeMetalHold(0);
  need(sxt_device_synchronize(on.device));
}

TEST_CASE("threads at work on one device") {
  Checked checked;
  Loaded on("metal", metalOptions());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uint32_t number = 1; number <= 6; ++number)
    threads.emplace_back([&, number] {
      auto good = [&](sxt_status status) { wrong += status != SXT_OK; };
      sxt_stream *stream = nullptr;
      good(sxt_stream_create(on.device, &stream));
      for (int round = 0; round < 100; ++round) {
        sxt_buffer *a = nullptr, *b = nullptr;
        uint32_t pattern = number * 0x01020305u, result[64] = {};
        good(sxt_buffer_create(on.device, sizeof result, &a));
        good(sxt_buffer_create(on.device, sizeof result, &b));
        good(sxt_buffer_fill(a, 0, sizeof result, &pattern, 4, stream));
        good(sxt_buffer_copy(b, 0, a, 0, sizeof result, stream));
        if (round % 10 == 0)
          good(sxt_device_synchronize(on.device));
        good(sxt_buffer_read(b, 0, result, sizeof result, stream));
        for (uint32_t value : result)
          wrong += value != pattern;
        sxt_buffer_release(a);
        sxt_buffer_release(b);
      }
      sxt_stream_release(stream);
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

//===--- Adoption ----------------------------------------------------------===//

TEST_CASE("adopting a device and a queue") {
  Checked checked;
  const bool messages = overMessages();
  void *metal = messages ? fakeObjcDevice(1) : fakeMetalDevice(1);
  void *queue = messages ? fakeObjcQueue(1) : fakeMetalQueue(1);
  auto *release = messages ? objc_release : fakeMetalRelease;
  sxt_device *device = nullptr;
  sxt_adopt_info adopt{sizeof adopt, "metal", nullptr, queue};
  CHECK(sxt_device_adopt(&adopt, &device) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "id<MTLDevice>"));
  adopt.context = metal;
  need(sxt_device_adopt(&adopt, &device));
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(device, &info));
  CHECK(std::string(info.name) == "metal:1");
  sxt_stream *stream = nullptr;
  void *native = nullptr;
  need(sxt_device_default_stream(device, &stream));
  need(sxt_stream_native(stream, &native));
  CHECK(native == queue);
  sxt_buffer *buffer = nullptr;
  uint32_t zero = 0;
  need(sxt_buffer_create(device, 64, &buffer));
  need(sxt_buffer_fill(buffer, 0, 64, &zero, 4, stream));
  sxt_buffer_release(buffer);
  sxt_device_release(device);
  release(queue);
  release(metal);
}

//===--- Errors ------------------------------------------------------------===//

TEST_CASE("bytes that are not images, or that Metal refuses") {
  Checked checked;
  sxt_kernel *kernel = nullptr;
  Loaded other("metal", metalOptions("text of something else"));
  CHECK(sxt_program_kernel(other.program, "saxpy", &kernel) == SXT_ERROR_BAD_MODULE);
  CHECK(contains(message(), "does not begin as one"));
  Loaded broken("metal", metalOptions("// Sextant: Metal 3.0, kernel saxpy_t0\nbroken x;\n"));
  CHECK(sxt_program_kernel(broken.program, "saxpy", &kernel) == SXT_ERROR_DEVICE);
  CHECK(message() == "metal:0: the code of 'saxpy_t0' does not compile: program_source:2:1: "
                     "error: unknown type name 'broken'");
  CHECK(sxt_program_kernel(broken.program, "empty", &kernel) == SXT_ERROR_BAD_MODULE);
  CHECK(message() == "the Metal image has no kernel 'empty_t0'");
  Loaded on("metal", metalOptions());
  fakeMetalPipelineLimits(0, 64);
  CHECK(sxt_program_kernel(on.program, "saxpy", &kernel) == SXT_ERROR_UNSUPPORTED);
  CHECK(contains(message(), "built for SIMD-groups of 32 threads: metal:0 runs it in 64"));
  fakeMetalPipelineLimits(32, 0);
  CHECK(sxt_program_kernel(on.program, "saxpy", &kernel) == SXT_ERROR_UNSUPPORTED);
  CHECK(contains(message(), "has blocks of 64 threads: metal:0 has registers for 32"));
  fakeMetalPipelineLimits(0, 0);
  need(sxt_program_kernel(on.program, "saxpy", &kernel));
}

TEST_CASE("work that fails on the device is told by the stream's next call") {
  Checked checked;
  Loaded on("metal", metalOptions());
  fakeMetalFail("run", 1, 0);
  need(sxt_kernel_launch(on.kernel("empty"), nullptr, nullptr, 0));
  CHECK(sxt_device_synchronize(on.device) == SXT_ERROR_DEVICE);
  CHECK(message() == "metal:0: earlier work of the stream failed: a failure in run");
  need(sxt_device_synchronize(on.device)); // told once
  fakeMetalFail("newBuffer", 2, 0);
  sxt_buffer *buffer = nullptr;
  CHECK(sxt_buffer_create(on.device, 10, &buffer) == SXT_ERROR_OUT_OF_MEMORY);
  CHECK(message() == "metal:0 has no memory for a buffer of 10 bytes");
}

TEST_CASE("whichever call fails, nothing leaks and the next try works") {
  auto run = [] {
    std::vector<std::byte> bytes = makeModule(metalOptions());
    sxt_module *module = nullptr;
    sxt_device *device = nullptr;
    sxt_program *program = nullptr;
    sxt_kernel *kernel = nullptr;
    sxt_buffer *buffer = nullptr;
    sxt_stream *stream = nullptr;
    sxt_event *event = nullptr;
    uint32_t pattern = 0x12345678;
    int32_t values[64] = {};
    double ms = 0;
    auto steps = [&] {
      sxt_status s = sxt_module_open_memory(bytes.data(), bytes.size(), &module);
      auto step = [&](auto call) {
        if (s == SXT_OK)
          s = call();
      };
      step([&] { return sxt_device_open("metal:0", &device); });
      step([&] { return sxt_program_create(module, device, nullptr, &program); });
      step([&] { return sxt_program_kernel(program, "grid", &kernel); });
      step([&] { return sxt_buffer_create(device, 256, &buffer); });
      step([&] { return sxt_stream_create(device, &stream); });
      step([&] { return sxt_buffer_fill(buffer, 0, 256, &pattern, 4, stream); });
      step([&] { return sxt_buffer_write(buffer, 0, values, 256, stream); });
      step([&] { return sxt_event_create(device, &event); });
      step([&] {
        sxt_argument argument = sxt_make_array1(buffer, SXT_DTYPE_I32, 64);
        return sxt_kernel_launch(kernel, stream, &argument, 1);
      });
      step([&] { return sxt_event_record(event, stream); });
      step([&] { return sxt_stream_wait_event(stream, event); });
      step([&] { return sxt_event_synchronize(event); });
      step([&] { return sxt_event_elapsed(event, event, &ms); });
      step([&] { return sxt_buffer_copy(buffer, 0, buffer, 128, 64, stream); });
      step([&] { return sxt_stream_synchronize(stream); });
      step([&] { return sxt_device_synchronize(device); });
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
  };
  need(run());
  std::vector<const char *> functions = {"newBuffer", "newLibrary",  "newPipeline", "newQueue",
                                         "newEvent",  "newCommands", "dispatch",    "copy",
                                         "fill",      "run"};
  if (!overMessages()) // where these cannot fail
    functions.insert(functions.end(), {"openDevice", "describeDevice", "signal", "wait"});
  for (const char *function : functions) {
    int failures = 0;
    for (int after = 0; after < 30; ++after) {
      Checked checked;
      fakeMetalFail(function, 1, after);
      sxt_status status = run();
      INFO(function << " fails at call " << after << ": " << message());
      failures += status != SXT_OK;
      if (fakeMetalCalls(function) <= after)
        break;
    }
    INFO(function);
    CHECK(failures > 0);
  }
  fakeMetalReset();
  need(run());
}

//===--- Results -----------------------------------------------------------===//

TEST_CASE("kernels compute", "[run]") {
  Checked checked;
  Loaded on("metal", metalOptions());
  std::vector<float> xs(1000), ys(1000), expected(1000);
  for (int i = 0; i < 1000; ++i) {
    xs[i] = float(i);
    ys[i] = float(i % 7);
    expected[i] = i < 990 ? 2.0f * xs[i] + ys[i] : ys[i];
  }
  sxt_buffer *x = on.bufferOf(xs), *y = on.bufferOf(ys);
  sxt_argument saxpy[] = {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, 990),
                          sxt_make_array1(y, SXT_DTYPE_F32, 1000)};
  need(sxt_kernel_launch(on.kernel("saxpy"), nullptr, saxpy, 3));
  CHECK(on.read<float>(y, 1000) == expected);
  // One buffer twice: x[i] = 1 * x[i] + x[i].
  sxt_argument doubled[] = {sxt_make_f32(1), sxt_make_array1(x, SXT_DTYPE_F32, 1000),
                            sxt_make_array1(x, SXT_DTYPE_F32, 1000)};
  need(sxt_kernel_launch(on.kernel("saxpy"), nullptr, doubled, 3));
  for (float &value : xs)
    value *= 2;
  CHECK(on.read<float>(x, 1000) == xs);
}

TEST_CASE("results, fields and carried locals", "[run]") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *src = on.bufferOf(std::vector<int32_t>(64, 3));
  sxt_argument argument = sxt_make_array1(src, SXT_DTYPE_I32, 64);
  int64_t sum = 0;
  float pair[2] = {};
  sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                          {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
  for (int i = 1; i <= 3; ++i) {
    sum = 0;
    need(sxt_kernel_call(on.kernel("total"), nullptr, &argument, 1, results, 2));
    CHECK(sum == 192);
    CHECK(pair[1] == -192);
    int32_t calls = -1;
    need(sxt_program_global_read(on.program, "calls", 0, &calls, 4, nullptr));
    CHECK(calls == i);
  }
}

TEST_CASE("a block may wait for an earlier one", "[run]") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *flags = on.bufferOf(std::vector<int32_t>(8)), *order = on.buffer(32);
  sxt_argument arguments[] = {sxt_make_array1(flags, SXT_DTYPE_I32, 8),
                              sxt_make_array1(order, SXT_DTYPE_I32, 8)};
  need(sxt_kernel_launch(on.kernel("chain"), nullptr, arguments, 2));
  CHECK(on.read<int32_t>(order, 8) == std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("values of every size arrive", "[run]") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *out = on.buffer(96);
  float m[] = {1, -2, 3.5f, 4, 5, 6};
  sxt_argument arguments[] = {sxt_make_bool(1),
                              scalar(SXT_DTYPE_I8, int8_t(-2)),
                              scalar(SXT_DTYPE_I16, int16_t(-300)),
                              sxt_make_i64(-5000000000),
                              scalar(SXT_DTYPE_U16, uint16_t(65535)),
                              sxt_make_f64(0.5),
                              sxt_make_matrix(m, SXT_DTYPE_F32, 2, 3),
                              sxt_make_array1(out, SXT_DTYPE_F64, 12)};
  need(sxt_kernel_launch(on.kernel("everything"), nullptr, arguments, 8));
  CHECK(on.read<int64_t>(out, 12) == std::vector<int64_t>{1, 0xfe, 0xfed4, -5000000000, 65535,
                                                          0x3fe0000000000000, 100, -200, 350, 400,
                                                          500, 600});
  std::vector<sxt_argument> many;
  int64_t expected = 0;
  for (int i = 0; i < 100; ++i) {
    many.push_back(sxt_make_i64(int64_t(i) * 1000000007));
    expected += int64_t(i) * 1000000007 * (i + 1);
  }
  many.push_back(sxt_make_array1(out, SXT_DTYPE_I64, 1));
  need(sxt_kernel_launch(on.kernel("many"), nullptr, many.data(), many.size()));
  CHECK(on.read<int64_t>(out, 1) == std::vector<int64_t>{expected});
}

TEST_CASE("arrays that come in a table are the caller's", "[run]") {
  Checked checked;
  Loaded on("metal", metalOptions());
  std::vector<int32_t> values(11 * 39);
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = int32_t(3 * k);
  sxt_buffer *memory = on.bufferOf(values);
  std::vector<sxt_argument> arguments = plenty(memory);
  for (int round = 0; round < 2; ++round)
    need(sxt_kernel_launch(on.kernel("plenty"), nullptr, arguments.data(), arguments.size()));
  for (size_t k = 0; k < values.size(); ++k)
    if (k % 11 < 10)
      values[k] += int32_t(2 * (100 * (k / 11) + k % 11));
  CHECK(on.read<int32_t>(memory, values.size()) == values);
}

TEST_CASE("a kernel that leaves its memory is an error, not a crash", "[run]") {
  Checked checked;
  Loaded on("metal", metalOptions());
  sxt_buffer *out = on.buffer(64);
  sxt_argument arguments[] = {sxt_make_i32(1 << 20), sxt_make_array1(out, SXT_DTYPE_I32, 16)};
  need(sxt_kernel_launch(on.kernel("slow"), nullptr, arguments, 2));
  CHECK(sxt_device_synchronize(on.device) == SXT_ERROR_DEVICE);
  CHECK(contains(message(), "earlier work of the stream failed: "));
  CHECK(contains(message(), "access to buffer 0 at byte 4194304"));
}

TEST_CASE("a kernel without tasks needs no code", "[run]") {
  Checked checked;
  runIdle("metal", metalOptions());
}
