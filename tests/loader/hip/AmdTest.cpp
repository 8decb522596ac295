// The HIP device with code that runs: on amdsim, or on a real GPU of one of the
// processors that kernels.cl was compiled for.
#define SEXTANT_THROWS
#include "tests/loader/TestModule.h"

#include "sextant/sextant.hpp"

#include <cmath>
#include <dlfcn.h>
#include <fstream>
#include <numeric>

using namespace sextant;
using namespace sextant::test;

namespace {

std::string processor() {
  std::string arch = Device::open("hip").arch();
  return arch.substr(0, arch.find(':'));
}

bool isRdna() { return processor().starts_with("gfx1"); }

std::vector<std::byte> codeObject(const std::string &arch, unsigned wave) {
  std::string path = SEXTANT_TEST_AMDGPU "/" + arch + "-" + std::to_string(wave) + ".hsaco";
  std::ifstream file(path, std::ios::binary);
  INFO(path);
  REQUIRE(file.good());
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto *first = reinterpret_cast<const std::byte *>(text.data());
  return {first, first + text.size()};
}

/// Variants of this device's processor for these wave sizes.
ModuleOptions codeFor(const std::vector<unsigned> &waves) {
  ModuleOptions options;
  for (unsigned wave : waves) {
    options.targets.push_back({"amdgpu", processor(), {}, wave});
    options.images[str(options.targets.back())] = codeObject(processor(), wave);
  }
  return options;
}
ModuleOptions everyWave() {
  return codeFor(isRdna() ? std::vector<unsigned>{64, 32} : std::vector<unsigned>{64});
}

/// The wave size that the kernel was run with.
int waveOf(Loaded &on, sxt_program *program) {
  sxt_kernel *kernel = nullptr;
  need(sxt_program_kernel(program, "pace", &kernel));
  sxt_buffer *out = on.bufferOf(std::vector<int32_t>{-1});
  sxt_argument argument = sxt_make_array1(out, SXT_DTYPE_I32, 1);
  need(sxt_kernel_launch(kernel, nullptr, &argument, 1));
  return on.read<int32_t>(out, 1).front();
}

} // namespace

TEST_CASE("threads past the end do nothing, in each wave size") {
  for (unsigned wave : isRdna() ? std::vector<unsigned>{32, 64} : std::vector<unsigned>{64}) {
    Loaded on("hip", codeFor({wave}));
    std::vector<float> x(1000), y(1000, 1.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    sxt_buffer *xs = on.bufferOf(x), *ys = on.bufferOf(y);
    sxt_argument arguments[] = {sxt_make_f32(0.5f), sxt_make_array1(xs, SXT_DTYPE_F32, 777),
                                sxt_make_array1(ys, SXT_DTYPE_F32, 1000)};
    need(sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments, 3));
    std::vector<float> result = on.read<float>(ys, 1000);
    for (size_t i = 0; i < result.size(); ++i)
      CHECK(result[i] == (i < 777 ? 0.5f * static_cast<float>(i) + 1 : 1));
  }
}

TEST_CASE("returned values, carried locals and fields") {
  Loaded on("hip", everyWave());
  std::vector<int32_t> values(3001);
  std::iota(values.begin(), values.end(), -1000);
  int64_t expected = std::accumulate(values.begin(), values.end(), int64_t(0));
  sxt_buffer *src = on.bufferOf(values);
  sxt_argument argument = sxt_make_array1(src, SXT_DTYPE_I32, int64_t(values.size()));
  int64_t sum = 0;
  float pair[2] = {};
  sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                          {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
  for (int run = 0; run < 3; ++run) {
    need(sxt_kernel_call(on.kernel("total"), nullptr, &argument, 1, results, 2));
    CHECK(sum == expected);
    CHECK(pair[1] == -static_cast<float>(expected));
  }
  int32_t calls = 0;
  need(sxt_program_global_read(on.program, "calls", 0, &calls, sizeof calls, nullptr));
  CHECK(calls == 3);
}

TEST_CASE("every kind of argument, shared memory, blocks that wait for earlier ones") {
  Loaded on("hip", everyWave());
  sxt_buffer *out = on.buffer(12 * 8);
  float matrix[] = {1.5f, -2, 3, 4, 5, 6e10f};
  double d = -1e300;
  sxt_argument arguments[] = {sxt_make_bool(1),
                              toArgument(int8_t(-7)),
                              toArgument(int16_t(-30000)),
                              sxt_make_i64(int64_t(1) << 40),
                              toArgument(uint16_t(65535)),
                              sxt_make_f64(d),
                              sxt_make_matrix(matrix, SXT_DTYPE_F32, 2, 3),
                              sxt_make_array1(out, SXT_DTYPE_F64, 12)};
  need(sxt_kernel_launch(on.kernel("everything"), nullptr, arguments, 8));
  CHECK(on.read<double>(out, 12) == std::vector<double>{1, -7, -30000, 1099511627776.0, 65535, d,
                                                        1.5, -2, 3, 4, 5, double(6e10f)});
  sxt_buffer *sums = on.buffer(300 * 8);
  sxt_argument argument = sxt_make_array1(sums, SXT_DTYPE_U64, 300);
  need(sxt_kernel_launch(on.kernel("scratch"), nullptr, &argument, 1));
  CHECK(on.read<uint64_t>(sums, 300) == std::vector<uint64_t>(300, 200));
  sxt_buffer *flags = on.bufferOf(std::vector<int32_t>(100, 0)), *order = on.buffer(400);
  sxt_argument chain[] = {sxt_make_array1(flags, SXT_DTYPE_I32, 100),
                          sxt_make_array1(order, SXT_DTYPE_I32, 100)};
  need(sxt_kernel_launch(on.kernel("chain"), nullptr, chain, 2));
  std::vector<int32_t> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(on.read<int32_t>(order, 100) == expected);
}

TEST_CASE("fills, copies, mappings, streams and events") {
  Loaded on("hip", everyWave());
  sxt_buffer *a = on.buffer(64), *b = on.buffer(64);
  uint16_t half = 0x1234;
  uint32_t word = 0x89abcdef;
  need(sxt_buffer_fill(a, 0, 64, &half, 2, nullptr));
  need(sxt_buffer_fill(a, 8, 8, &word, 4, nullptr));
  need(sxt_buffer_copy(b, 0, a, 0, 64, nullptr));
  std::vector<uint32_t> words = on.read<uint32_t>(b, 16);
  CHECK(words[0] == 0x12341234);
  CHECK(words[2] == word);
  CHECK(words[3] == word);
  CHECK(words[4] == 0x12341234);
  void *mapped = nullptr;
  need(sxt_buffer_map(b, &mapped));
  static_cast<uint32_t *>(mapped)[5] = 77;
  need(sxt_buffer_unmap(b));
  CHECK(on.read<uint32_t>(b, 6)[5] == 77);
  sxt_stream *one = nullptr, *two = nullptr;
  sxt_event *begin = nullptr, *end = nullptr;
  need(sxt_stream_create(on.device, &one));
  need(sxt_stream_create(on.device, &two));
  need(sxt_event_create(on.device, &begin));
  need(sxt_event_create(on.device, &end));
  need(sxt_event_record(begin, one));
  need(sxt_kernel_launch(on.kernel("empty"), one, nullptr, 0));
  need(sxt_event_record(end, one));
  need(sxt_stream_wait_event(two, end));
  need(sxt_stream_synchronize(two));
  need(sxt_event_query(end));
  double milliseconds = -1;
  need(sxt_event_elapsed(begin, end, &milliseconds));
  CHECK(milliseconds >= 0);
  for (sxt_event *event : {begin, end})
    sxt_event_release(event);
  for (sxt_stream *stream : {one, two})
    sxt_stream_release(stream);
}

TEST_CASE("a kernel that faults is a status, and the message names the call") {
  Loaded on("hip", everyWave());
  sxt_argument nowhere = sxt_make_array1(nullptr, SXT_DTYPE_F32, 64);
  nowhere.offset_bytes = 4096; // an address of nobody's
  sxt_argument arguments[] = {sxt_make_f32(1), nowhere, nowhere};
  sxt_status status = sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments, 3);
  if (status == SXT_OK)
    status = sxt_device_synchronize(on.device);
  CHECK(status == SXT_ERROR_DEVICE);
  CHECK(contains(message(), "failed: hipError"));
}

TEST_CASE("code for other processors and modifiers is not taken") {
  ModuleOptions options = codeFor({isRdna() ? 32u : 64u});
  options.targets.front().arch = processor() == "gfx1030" ? "gfx1100" : "gfx1030";
  Loaded on("hip", options);
  sxt_kernel *kernel = nullptr;
  CHECK(sxt_program_kernel(on.program, "empty", &kernel) == SXT_ERROR_NO_VARIANT);
}

TEST_CASE("RDNA: wave32 by the rule, wave64 if asked for or measured to be faster") {
  if (!isRdna())
    return;
  Loaded on("hip", everyWave());
  CHECK(waveOf(on, on.program) == 32);
  sxt_program_options wide{sizeof wide, nullptr, nullptr, 64, nullptr};
  sxt_program *program = nullptr;
  need(sxt_program_create(on.module, on.device, &wide, &program));
  CHECK(waveOf(on, program) == 64);
  sxt_program_release(program);
  // In kernels.cl wave32 has a thousand times as much to do: other work may run beside this test.
  sxt_buffer *out = on.buffer(4);
  sxt_argument argument = sxt_make_array1(out, SXT_DTYPE_I32, 1);
  sxt_measure_options options{sizeof options, 7};
  size_t count = 0;
  need(sxt_program_measure(on.program, "pace", nullptr, &argument, 1, &options, &count));
  CHECK(count == 2);
  CHECK(waveOf(on, on.program) == 64);
}

TEST_CASE("adopting the current device and a stream; memory of the application's") {
  void *library = dlopen("libamdhip64.so", RTLD_NOW);
  REQUIRE(library);
  auto malloc = reinterpret_cast<int (*)(void **, size_t)>(dlsym(library, "hipMalloc"));
  auto free = reinterpret_cast<int (*)(void *)>(dlsym(library, "hipFree"));
  auto create = reinterpret_cast<int (*)(void **)>(dlsym(library, "hipStreamCreate"));
  auto destroy = reinterpret_cast<int (*)(void *)>(dlsym(library, "hipStreamDestroy"));
  REQUIRE((malloc && free && create && destroy));
  void *stream = nullptr, *memory = nullptr;
  REQUIRE(create(&stream) == 0);
  REQUIRE(malloc(&memory, 64 * 4) == 0);
  {
    std::vector<std::byte> bytes = makeModule(everyWave());
    Module module = Module::fromMemory(bytes.data(), bytes.size());
    Device device = Device::adopt("hip", nullptr, stream);
    CHECK(device.name() == "hip:0");
    CHECK(device.defaultStream().native() == stream);
    Program program(module, device);
    Buffer wrapped = Buffer::wrap(device, reinterpret_cast<uint64_t>(memory), 64 * 4);
    std::vector<float> ones(64, 1), result(64);
    need(sxt_buffer_write(wrapped.get(), 0, ones.data(), 64 * 4, nullptr));
    ArrayView<float> view{wrapped.get(), {64}, 0};
    program.kernel("saxpy")(device.defaultStream(), 3.0f, view, view);
    need(sxt_buffer_read(wrapped.get(), 0, result.data(), 64 * 4, nullptr));
    CHECK(result == std::vector<float>(64, 4.0f));
  }
  CHECK(free(memory) == 0);
  CHECK(destroy(stream) == 0);
}
