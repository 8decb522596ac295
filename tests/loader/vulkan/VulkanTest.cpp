// The Vulkan device over a stand-in for Vulkan: facts and their order, what a launch
// binds, when work is submitted, copies of odd and of large sizes.
#include "VulkanModule.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

using namespace sextant;
using namespace sextant::test;

namespace {

sxt_device_info infoAt(size_t index) {
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_get_info(index, &info));
  return info;
}

/// Without the numbers, "shared-bytes=32768".
std::set<std::string> featuresOf(const sxt_device_info &info) {
  std::set<std::string> words(info.features, info.features + info.feature_count);
  std::erase_if(words, [](const std::string &word) { return contains(word, "="); });
  return words;
}

sxt_argument bytesArray(sxt_buffer *buffer, uint64_t offset, int64_t count) {
  sxt_argument argument = sxt_make_array1(buffer, SXT_DTYPE_F32, count);
  argument.offset_bytes = offset;
  return argument;
}

} // namespace

TEST_CASE("devices: GPUs, the CPU, then Vulkan on the processor") {
  size_t count = 0;
  need(sxt_device_count(&count));
  REQUIRE(count == 6);
  const char *names[] = {"vulkan:0", "vulkan:1", "vulkan:2", "vulkan:3", "cpu", "vulkan:4"};
  for (size_t i = 0; i < count; ++i)
    CHECK(std::string(infoAt(i).name) == names[i]);

  sxt_device_info modern = infoAt(0), plain = infoAt(1), software = infoAt(5);
  CHECK(std::string(modern.description) == "Fake Modern");
  CHECK(std::string(modern.backend) == "vulkan");
  CHECK(std::string(modern.arch) == "1.3");
  // 32 first, then the driver's 16, then the rest.
  CHECK(std::vector<unsigned>(modern.wave_sizes, modern.wave_sizes + modern.wave_size_count) ==
        std::vector<unsigned>{32, 16, 8});
  CHECK(modern.multiprocessors == 20);
  CHECK(modern.max_threads_per_block == 1024);
  CHECK(modern.shared_memory_bytes == 32768);
  CHECK(modern.memory_bytes == uint64_t(8) << 30);
  std::set<std::string> features = featuresOf(modern);
  CHECK(features.count("int64"));
  CHECK(features.count("float64"));
  CHECK(features.count("subgroup-shuffle"));
  CHECK(!features.count("float32-atomics")); // one of the four things that the word means
  CHECK(features.count("float16-atomics"));
  CHECK(!features.count("shared-float16-atomics")); // one of two
  CHECK(!features.count("float32-minmax-atomics"));
  CHECK(features.count("shared-float32-minmax-atomics"));
  CHECK(!features.count("float16-minmax-atomics"));
  CHECK(std::string(plain.arch) == "1.1");
  CHECK(featuresOf(plain) == std::set<std::string>{"subgroup-basic", "subgroup-vote"});
  CHECK(plain.wave_size_count == 1);
  CHECK(plain.wave_sizes[0] == 32);
  CHECK(software.wave_sizes[0] == 4);
}

namespace {
std::set<std::string> featuresOfOpened(const char *name) {
  sxt_device *device = nullptr;
  need(sxt_device_open(name, &device));
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(device, &info));
  const std::set<std::string> features = featuresOf(info);
  sxt_device_release(device);
  return features;
}
} // namespace

TEST_CASE("matrices whose components lie as PTX's are a feature", "[.matrices]") {
  CheckedVulkan checked;
  CHECK(featuresOfOpened("vulkan:0").count("cooperative-matrix-mma"));
  CHECK(!featuresOfOpened("vulkan:1").count("cooperative-matrix-mma"));
  CHECK(contains(fakeDeviceExtensions(), "VK_KHR_cooperative_matrix") ==
        false); // vulkan:1 was last
  CHECK(featuresOfOpened("vulkan:0").count("memory-model"));
  CHECK(contains(fakeDeviceExtensions(), "VK_KHR_cooperative_matrix"));
  CHECK(contains(fakeDeviceExtensions(), "VK_KHR_shader_bfloat16"));
}

TEST_CASE("matrices whose components lie otherwise are not a feature", "[.other-matrices]") {
  CheckedVulkan checked;
  CHECK(!featuresOfOpened("vulkan:0").count("cooperative-matrix-mma"));
}

TEST_CASE("devices that cannot be used say why") {
  CheckedVulkan checked;
  sxt_device *device = nullptr;
  CHECK(sxt_device_open("vulkan:2", &device) == SXT_ERROR_UNSUPPORTED);
  CHECK(message() == "Fake Ancient has only Vulkan 1.0: 1.1 is needed");
  CHECK(sxt_device_open("vulkan:3", &device) == SXT_ERROR_UNSUPPORTED);
  CHECK(message() == "vulkan:3 (Fake Mute) has no queue that computes");
  CHECK(sxt_device_open("vulkan:5", &device) == SXT_ERROR_NOT_FOUND);
}

TEST_CASE("a launch binds its buffers and pushes its values") {
  CheckedVulkan checked;
  Loaded on("vulkan", vulkanOptions());
  sxt_buffer *x = on.buffer(400), *y = on.buffer(4096);
  sxt_argument arguments[] = {sxt_make_f32(2.5f), sxt_make_array1(x, SXT_DTYPE_F32, 99),
                              bytesArray(y, 32, 100)};
  need(sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments, 3));
  need(sxt_device_synchronize(on.device));
  const FakeDispatch &last = *fakeLastDispatch();
  CHECK(std::string(last.name) == "saxpy_t0");
  CHECK(last.grid == 2);
  CHECK(last.requiredSize == 32);
  CHECK(last.fullSubgroups == 1);
  REQUIRE(last.bufferCount == 2);
  CHECK(last.offsets[0] == 0);
  CHECK(last.ranges[0] == 512); // 400, in whole units
  CHECK(last.offsets[1] == 32);
  CHECK(last.ranges[1] == 4096 - 32);
  float a = 2.5f;
  int32_t n = 99, m = 100;
  REQUIRE(last.pushBytes == 12);
  CHECK(std::memcmp(last.push, &a, 4) == 0);
  CHECK(std::memcmp(last.push + 4, &n, 4) == 0);
  CHECK(std::memcmp(last.push + 8, &m, 4) == 0);
  CHECK(fakeCalls("vkCreateShaderModule") == 1);
  // A bound that only the device knows: 20 multiprocessors of 64 × 16 threads, blocks of 64.
  sxt_argument out = sxt_make_array1(x, SXT_DTYPE_I32, 1);
  need(sxt_kernel_launch(on.kernel("grid"), nullptr, &out, 1));
  need(sxt_kernel_launch(on.kernel("empty"), nullptr, nullptr, 0));
  need(sxt_device_synchronize(on.device));
  CHECK(fakeLastDispatch()->bufferCount == 0);
  CHECK(fakeLastDispatch()->fullSubgroups == 0); // one thread
  // One for each task, each with only that task, and none that stays.
  CHECK(fakeCalls("vkCreateShaderModule") == 3);
  CHECK(fakeCalls("vkDestroyShaderModule") == 3);
}

TEST_CASE("a kernel without tasks needs no code") {
  CheckedVulkan checked;
  runIdle("vulkan:0", vulkanOptions());
  runIdle("vulkan:1", vulkanOptions());
  CHECK(fakeCalls("vkCreateShaderModule") == 0);
}

TEST_CASE("values of every size, pushed or in a buffer of their own") {
  CheckedVulkan checked;
  Loaded on("vulkan", vulkanOptions());
  sxt_buffer *out = on.buffer(800);
  float matrix[6] = {1, 2, 3, 4, 5, 6};
  int8_t c = -2;
  int16_t s = -3;
  uint16_t h = 65535;
  sxt_argument everything[] = {sxt_make_bool(1),
                               sxt_make_scalar(SXT_DTYPE_I8, &c, 1),
                               sxt_make_scalar(SXT_DTYPE_I16, &s, 2),
                               sxt_make_i64(-4),
                               sxt_make_scalar(SXT_DTYPE_U16, &h, 2),
                               sxt_make_f64(0.5),
                               sxt_make_matrix(matrix, SXT_DTYPE_F32, 2, 3),
                               sxt_make_array1(out, SXT_DTYPE_F64, 100)};
  need(sxt_kernel_launch(on.kernel("everything"), nullptr, everything, 8));
  need(sxt_device_synchronize(on.device));
  const FakeDispatch &last = *fakeLastDispatch();
  // bool 0, i8 4, i16 8, i64 16, u16 24, f64 32, matrix 40, extent 64.
  REQUIRE(last.pushBytes == 68);
  const uint32_t words[] = {1, 0xfe, 0xfffd, 0, 0xfffffffc, 0xffffffff, 65535, 0};
  CHECK(std::memcmp(last.push, words, sizeof words) == 0);
  double half = 0.5;
  CHECK(std::memcmp(last.push + 32, &half, 8) == 0);
  CHECK(std::memcmp(last.push + 40, matrix, sizeof matrix) == 0);
  CHECK(last.push[64] == 100);

  std::vector<sxt_argument> many;
  for (int64_t i = 0; i < 100; ++i)
    many.push_back(sxt_make_i64(i * 1000));
  many.push_back(sxt_make_array1(out, SXT_DTYPE_I64, 100));
  need(sxt_kernel_launch(on.kernel("many"), nullptr, many.data(), many.size()));
  need(sxt_device_synchronize(on.device));
  CHECK(last.pushBytes == 0);
  REQUIRE(last.bufferCount == 2);
  CHECK(last.ranges[1] == 804);
  int64_t value = 0;
  std::memcpy(&value, last.first + 7 * 8, 8);
  CHECK(value == 7000);
}

TEST_CASE("arrays that begin where a device binds none") {
  CheckedVulkan checked;
  Loaded on("vulkan:1", vulkanOptions()); // binds at multiples of 256
  sxt_kernel *saxpy = on.kernel("saxpy");
  sxt_buffer *x = on.buffer(4096), *y = on.buffer(4096);
  sxt_argument arguments[] = {sxt_make_f32(1), bytesArray(x, 256, 4), bytesArray(y, 512, 4)};
  auto launch = [&]() -> const FakeDispatch & {
    need(sxt_kernel_launch(saxpy, nullptr, arguments, 3));
    need(sxt_device_synchronize(on.device));
    return *fakeLastDispatch();
  };
  const FakeDispatch plain = launch();
  CHECK(plain.bufferCount == 2);
  CHECK(fakeCalls("vkCreateComputePipelines") == 1);
  // The first such launch makes a second pipeline, with the offsets as one more buffer.
  arguments[2] = bytesArray(y, 580, 4);
  for (int round = 0; round < 2; ++round) {
    const FakeDispatch &last = launch();
    REQUIRE(last.bufferCount == 3);
    for (int i : {0, 1}) {
      CHECK(last.offsets[i] == plain.offsets[i]);
      CHECK(last.ranges[i] == plain.ranges[i]);
    }
    CHECK(last.ranges[2] == 8);
    const uint32_t offsets[] = {0, 68};
    CHECK(std::memcmp(last.first, offsets, sizeof offsets) == 0);
    CHECK(last.pushBytes == plain.pushBytes);
    CHECK(fakeCalls("vkCreateComputePipelines") == 2);
  }
  arguments[2] = bytesArray(y, 512, 4);
  CHECK(launch().bufferCount == 2);
}

TEST_CASE("launches that a device does not take") {
  CheckedVulkan checked;
  Loaded on("vulkan:1", vulkanOptions());
  sxt_kernel *saxpy = on.kernel("saxpy");
  sxt_buffer *x = on.buffer(4096), *large = on.buffer((1 << 20) + 512);
  sxt_argument arguments[] = {sxt_make_f32(1), sxt_make_array1(x, SXT_DTYPE_F32, 4),
                              bytesArray(x, 64, 4)};
  arguments[2] = bytesArray(large, 0, 4);
  CHECK(sxt_kernel_launch(saxpy, nullptr, arguments, 3) == SXT_ERROR_UNSUPPORTED);
  CHECK(contains(message(), "kernels on vulkan:1 reach 1048576 (maxStorageBufferRange)"));
  arguments[2] = bytesArray(large, 512, 4); // the rest fits
  need(sxt_kernel_launch(saxpy, nullptr, arguments, 3));
  arguments[2] = bytesArray(nullptr, 12344, 4); // an address of nothing
  CHECK(sxt_kernel_launch(saxpy, nullptr, arguments, 3) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "0 bytes at address 0x3038 are not in any buffer of vulkan:1"));
  sxt_kernel *total = nullptr;
  CHECK(sxt_program_kernel(on.program, "total", &total) == SXT_ERROR_UNSUPPORTED);
  CHECK(message() == "task 'total_t0' takes 5 buffers: vulkan:1 binds at most 4");
  // Empty arrays have no memory, or lie at the end of some.
  arguments[1] = bytesArray(nullptr, 0, 0);
  arguments[2] = bytesArray(x, 4096, 0);
  CHECK(sxt_kernel_launch(saxpy, nullptr, arguments, 3) == SXT_OK);
  need(sxt_device_synchronize(on.device));
}

TEST_CASE("more blocks than a row of them are several rows") {
  CheckedVulkan checked;
  auto launch = [](Loaded &on, int64_t blocks) { // blocks of one thread
    sxt_argument slots = sxt_make_array1(on.buffer(uint64_t(blocks) * 4), SXT_DTYPE_I32, blocks);
    sxt_argument chain[] = {slots, slots};
    sxt_status status = sxt_kernel_launch(on.kernel("chain"), nullptr, chain, 2);
    need(sxt_device_synchronize(on.device));
    return status;
  };
  const FakeDispatch &last = *fakeLastDispatch();
  Loaded few("vulkan:1", vulkanOptions()); // 65535
  const uint64_t sizes[] = {1, 65535, 65536, 131070, 200003};
  for (uint64_t blocks : sizes) {
    need(launch(few, int64_t(blocks)));
    CHECK(last.blocks == blocks);
    CHECK(last.rowLength == 65535);
    CHECK(last.pushBytes == 8); // the bound values hold for each dispatch
    CHECK(last.bufferCount == 2);
  }
  Loaded many("vulkan:0", vulkanOptions());
  need(launch(many, 200003));
  CHECK(last.grid == 200003);
  CHECK(last.rowLength == 0);
  // Code that asks which block it is and does not know of rows.
  std::vector<uint32_t> decorations = {4u << 16 | 71, 1, 11, 26}; // BuiltIn WorkgroupId
  Loaded before("vulkan:1", vulkanOptions(32, spirvOutline(0x10300, decorations)));
  need(launch(before, 65535));
  CHECK(last.rowLength == 0);
  CHECK(launch(before, 65536) == SXT_ERROR_LAUNCH_REFUSED);
  CHECK(message() == "task 'chain_t0' would run 65536 blocks: its code, of an older sextant, runs "
                     "65535 on vulkan:1 at most; compile it again");
  decorations.insert(decorations.end(), {4u << 16 | 71, 2, 1, 0}); // SpecId 0
  Loaded now("vulkan:1", vulkanOptions(32, spirvOutline(0x10300, decorations)));
  need(launch(now, 65536));
  CHECK(last.blocks == 65536);
}

TEST_CASE("waves: what a device controls is asked for") {
  CheckedVulkan checked;
  {
    Loaded on("vulkan:0", vulkanOptions(16));
    need(sxt_kernel_launch(on.kernel("empty"), nullptr, nullptr, 0));
    need(sxt_device_synchronize(on.device));
    CHECK(fakeLastDispatch()->requiredSize == 16);
  }
  Loaded software("vulkan:4", vulkanOptions(4));
  need(sxt_kernel_launch(software.kernel("empty"), nullptr, nullptr, 0));
  need(sxt_device_synchronize(software.device));
  CHECK(fakeLastDispatch()->requiredSize == 0); // there is but one
  Loaded none("vulkan:0", vulkanOptions(64));
  sxt_kernel *kernel = nullptr;
  CHECK(sxt_program_kernel(none.program, "empty", &kernel) == SXT_ERROR_NO_VARIANT);
  CHECK(contains(message(), "has waves of 64 lanes; the device runs 32, 16, 8"));
}

TEST_CASE("what a device lacks is left to the next variant") {
  CheckedVulkan checked;
  ModuleOptions options;
  options.targets = {{"vulkan", "1.1", {"float64"}, 32}, {"vulkan", "1.1", {}, 32}};
  for (const module::Target &target : options.targets)
    options.images[str(target)] = spirvOutline();
  auto chosen = [&](const char *device, const ModuleOptions &options) {
    Loaded on(device, options);
    sxt_variant_info info;
    info.struct_size = sizeof info;
    need(sxt_kernel_variant(on.kernel("empty"), &info));
    const char *text = nullptr;
    need(sxt_program_explain(on.program, "empty", &text));
    return std::string(info.target) + "\n" + text;
  };
  CHECK(chosen("vulkan:0", options).starts_with("vulkan:1.1+float64/wave32\n"));
  std::string plain = chosen("vulkan:1", options);
  CHECK(plain.starts_with("vulkan:1.1/wave32\n"));
  CHECK(contains(plain, "needs the feature 'float64', which the device lacks"));
  // Atomics on reals: of three variants the one with most of what the device has.
  const std::vector<std::string> both = {"float16-atomics", "shared-float32-minmax-atomics"};
  options.targets = {{"vulkan", "1.1", {"float32-atomics", "float16-atomics"}, 32},
                     {"vulkan", "1.1", both, 32},
                     {"vulkan", "1.1", {}, 32}};
  for (const module::Target &target : options.targets)
    options.images[str(target)] = spirvOutline();
  std::string most = chosen("vulkan:0", options);
  CHECK(most.starts_with("vulkan:1.1+float16-atomics+shared-float32-minmax-atomics/wave32\n"));
  CHECK(contains(most, "needs the feature 'float32-atomics', which the device lacks"));
  CHECK(contains(fakeDeviceExtensions(), "VK_EXT_shader_atomic_float2"));
  CHECK(chosen("vulkan:1", options).starts_with("vulkan:1.1/wave32\n"));
}

TEST_CASE("copies and fills of every offset and size") {
  CheckedVulkan checked;
  for (const char *name : {"vulkan:0", "vulkan:1", "vulkan:4"}) {
    Loaded on(name, vulkanOptions(std::string(name) == "vulkan:4" ? 4 : 32));
    sxt_buffer *b = on.buffer(64);
    std::vector<uint8_t> expected(64, 0x11);
    uint32_t pattern = 0x11111111;
    need(sxt_buffer_fill(b, 0, 64, &pattern, 4, nullptr));
    for (unsigned size : {1u, 2u})
      for (unsigned offset = 0; offset < 12; offset += size)
        for (unsigned bytes = size; bytes < 14; bytes += size) {
          uint16_t value = static_cast<uint16_t>(0xa000 + offset * 16 + bytes);
          need(sxt_buffer_fill(b, offset, bytes, &value, size, nullptr));
          for (unsigned i = 0; i < bytes; ++i)
            expected[offset + i] = static_cast<uint8_t>(i % size ? value >> 8 : value);
          CHECK(on.read<uint8_t>(b, 64) == expected);
        }
    sxt_buffer *c = on.bufferOf(std::vector<uint8_t>(64, 0xee));
    need(sxt_buffer_copy(c, 3, b, 5, 7, nullptr));
    CHECK(on.read<uint8_t>(c, 64)[3] == expected[5]);
    CHECK(on.read<uint8_t>(c, 64)[9] == expected[11]);
    CHECK(on.read<uint8_t>(c, 64)[10] == 0xee);
  }
}

TEST_CASE("small buffers share memory, each with addresses of its own") {
  CheckedVulkan checked;
  for (const char *name : {"vulkan:0", "vulkan:4"}) {
    Loaded on(name, vulkanOptions(std::string(name) == "vulkan:4" ? 4 : 32));
    const bool isHosts = std::string(name) == "vulkan:4";
    const int before = fakeCalls("vkAllocateMemory");
    std::set<uint64_t> addresses;
    std::vector<sxt_buffer *> buffers;
    for (uint32_t i = 0; i < 3000; ++i) {
      buffers.push_back(on.buffer(1000));
      need(sxt_buffer_fill(buffers.back(), 0, 1000, &i, 4, nullptr));
      uint64_t address = 0;
      need(sxt_buffer_address(buffers.back(), &address));
      if (!isHosts && i) // not even past its end does one reach the next
        CHECK(address >= *addresses.rbegin() + 2048);
      addresses.insert(address);
    }
    CHECK(addresses.size() == 3000);
    CHECK(fakeCalls("vkAllocateMemory") - before <= 4); // three slabs of a megabyte
    for (uint32_t i = 0; i < 3000; i += 7) {
      std::vector<uint32_t> values = on.read<uint32_t>(buffers[i], 250);
      CHECK(values == std::vector<uint32_t>(250, i));
    }
    // Freed slots are used again.
    sxt_buffer_release(on.buffers.back());
    on.buffers.pop_back();
    sxt_buffer *again = on.buffer(1024);
    void *native = nullptr, *other = nullptr;
    uint64_t offset = 0;
    need(sxt_buffer_native(again, &native, &offset));
    CHECK(offset == 951 * 1024); // 3000 - 2 * 1024 - 1
    need(sxt_buffer_native(buffers[0], &other, &offset));
    CHECK(offset == 0);
    CHECK(native != other);
    CHECK(fakeCalls("vkAllocateMemory") - before <= 4);
  }
}

TEST_CASE("a VkBuffer is the application's, which a device of the loader does not know") {
  CheckedVulkan checked;
  Loaded on("vulkan:0", vulkanOptions());
  int object = 0;
  sxt_buffer *wrapped = nullptr;
  CHECK(sxt_buffer_wrap_native(on.device, &object, 64, &wrapped) == SXT_ERROR_UNSUPPORTED);
  CHECK(contains(message(), "vulkan:0 was opened by the loader"));
  CHECK(wrapped == nullptr);
}

TEST_CASE("wrapped memory that is longer than what it lies in") {
  CheckedVulkan checked;
  Loaded on("vulkan:0", vulkanOptions());
  uint64_t address = 0;
  need(sxt_buffer_address(on.buffer(256), &address));
  sxt_buffer *part = nullptr, *more = nullptr;
  need(sxt_buffer_wrap(on.device, address + 128, 128, &part));
  need(sxt_buffer_wrap(on.device, address + 128, 256, &more));
  std::vector<uint32_t> values(64, 7);
  need(sxt_buffer_write(part, 0, values.data(), 128, nullptr));
  CHECK(sxt_buffer_write(more, 0, values.data(), 256, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "256 bytes at address 0x"));
  CHECK(sxt_buffer_read(more, 0, values.data(), 256, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_fill(more, 0, 256, values.data(), 4, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_buffer_release(more);
  sxt_buffer_release(part);
}

TEST_CASE("large copies go through staging memory in parts") {
  CheckedVulkan checked;
  Loaded on("vulkan:0", vulkanOptions());
  std::vector<uint32_t> values(25 << 20); // 100 MiB
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint32_t>(i * 2654435761u);
  fakeHold(1);
  sxt_buffer *b = on.bufferOf(values);
  CHECK(on.read<uint32_t>(b, values.size()) == values);
  // No staging block is larger than a part.
  CHECK(fakeCalls("vkAllocateMemory") < 20);
}

TEST_CASE("what a stream is to read is there before it writes it") {
  CheckedVulkan checked;
  Loaded on("vulkan:0", vulkanOptions());
  sxt_buffer *from = on.bufferOf(std::vector<int32_t>{1, 2, 3, 4});
  sxt_buffer *to = on.bufferOf(std::vector<int32_t>(4));
  std::vector<int32_t> host(4);
  fakeHold(1);
  need(sxt_buffer_read_async(from, 0, host.data(), 16, nullptr));
  need(sxt_buffer_write_async(to, 0, host.data(), 16, nullptr));
  CHECK(on.read<int32_t>(to, 4) == std::vector<int32_t>{1, 2, 3, 4});
}

TEST_CASE("launches gather while the device is busy, and never stay behind") {
  CheckedVulkan checked;
  Loaded on("vulkan:0", vulkanOptions());
  sxt_kernel *kernel = on.kernel("empty");
  sxt_stream *first = nullptr, *second = nullptr;
  need(sxt_stream_create(on.device, &first));
  need(sxt_stream_create(on.device, &second));
  fakeHold(1);
  fakeReset();
  (void)fakeCommandsRun();
  for (int i = 0; i < 100; ++i)
    need(sxt_kernel_launch(kernel, first, nullptr, 0));
  CHECK(fakeCalls("vkQueueSubmit") == 4); // three at once, 64 together, 33 in the making
  CHECK(fakeCalls("vkCreateCommandPool") <= 5);
  // A thread that waits sends off everyone's: it may be what the other waits for.
  need(sxt_kernel_launch(kernel, second, nullptr, 0));
  need(sxt_stream_synchronize(second));
  CHECK(fakeCalls("vkQueueSubmit") == 6);
  CHECK(fakeCommandsRun() == 101);
  CHECK(fakeQueuesUsed() == 2); // streams take turns on the queues
  // An event is a submission of its own: what follows does not hold it up.
  sxt_event *event = nullptr;
  need(sxt_event_create(on.device, &event));
  for (int i = 0; i < 5; ++i)
    need(sxt_kernel_launch(kernel, first, nullptr, 0));
  need(sxt_event_record(event, first));
  need(sxt_kernel_launch(kernel, first, nullptr, 0));
  CHECK(sxt_event_query(event) == SXT_ERROR_NOT_READY);
  need(sxt_stream_wait_event(second, event)); // the stand-in checks that nothing waits in vain
  need(sxt_kernel_launch(kernel, second, nullptr, 0));
  fakeRunAll();
  CHECK(sxt_event_query(event) == SXT_OK);
  need(sxt_stream_synchronize(first));
  need(sxt_stream_synchronize(second));
  // Finished batches are used again.
  fakeHold(0);
  int pools = fakeCalls("vkCreateCommandPool");
  for (int i = 0; i < 300; ++i)
    need(sxt_kernel_launch(kernel, first, nullptr, 0));
  CHECK(fakeCalls("vkCreateCommandPool") <= pools + 1);
  sxt_event_release(event);
  sxt_stream_release(first);
  sxt_stream_release(second);
}

TEST_CASE("a stream with as many batches as may run waits, and another one has work to send") {
  CheckedVulkan checked;
  Loaded on("vulkan:0", vulkanOptions());
  sxt_kernel *kernel = on.kernel("empty");
  sxt_stream *streams[2] = {};
  sxt_event *events[2] = {};
  fakeHold(1); // nothing is done before somebody waits for it
  for (int which : {0, 1}) {
    need(sxt_stream_create(on.device, &streams[which]));
    need(sxt_event_create(on.device, &events[which]));
    for (int i = 0; i < 64; ++i)
      need(sxt_event_record(events[which], streams[which])); // a batch of its own
  }
  need(sxt_stream_wait_event(streams[1], events[0])); // is sent when somebody waits
  need(sxt_kernel_launch(kernel, streams[0], nullptr, 0));
  for (int which : {0, 1}) {
    need(sxt_stream_synchronize(streams[which]));
    sxt_stream_release(streams[which]);
    sxt_event_release(events[which]);
  }
  fakeHold(0);
}

TEST_CASE("a read that the device has done while another thread looks and the submission returns") {
  CheckedVulkan checked;
  static sxt_event *event; // an event of work before the read, not known to be done
  static sxt_status seen;
  for (const char *name : {"vulkan:0", "vulkan:1"}) { // timelines, fences
    Loaded on(name, vulkanOptions());
    sxt_buffer *buffer = on.bufferOf(std::vector<int32_t>{1, 2, 3});
    need(sxt_event_create(on.device, &event));
    fakeHold(1);
    need(sxt_event_record(event, nullptr));
    fakeAfterSubmit([] {
      fakeRunAll();
      seen = sxt_event_query(event);
    });
    std::vector<int32_t> back(3);
    need(sxt_buffer_read(buffer, 0, back.data(), 12, nullptr));
    CHECK(back == std::vector<int32_t>{1, 2, 3});
    CHECK(seen == SXT_OK);
    fakeHold(0);
    sxt_event_release(event);
  }
}

TEST_CASE("threads that launch, copy, wait and free at once") {
  CheckedVulkan checked;
  for (const char *name : {"vulkan:0", "vulkan:1"})
    for (bool hold : {false, true}) {
      Loaded on(name, vulkanOptions());
      sxt_kernel *saxpy = on.kernel("saxpy");
      sxt_event *event = nullptr;
      need(sxt_event_create(on.device, &event));
      fakeHold(hold);
      std::atomic<int> wrong{0};
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
          auto good = [&](sxt_status status) { wrong += status != SXT_OK; };
          sxt_stream *own = nullptr;
          good(sxt_stream_create(on.device, &own));
          for (int i = 0; i < 40; ++i) {
            sxt_stream *stream = i % 3 ? own : nullptr; // now and then the one that all share
            sxt_buffer *buffer = nullptr;
            std::vector<int32_t> values(300, t * 1000 + i), back(300);
            good(sxt_buffer_create(on.device, 1200, &buffer));
            good(sxt_buffer_write_async(buffer, 0, values.data(), 1200, stream));
            sxt_argument arguments[] = {sxt_make_f32(1),
                                        sxt_make_array1(buffer, SXT_DTYPE_F32, 300),
                                        sxt_make_array1(buffer, SXT_DTYPE_F32, 300)};
            good(sxt_kernel_launch(saxpy, stream, arguments, 3));
            if (i % 5 == t)
              good(sxt_event_record(event, stream));
            if (i % 5 == 4)
              good(sxt_stream_wait_event(own, event));
            good(sxt_buffer_read(buffer, 0, back.data(), 1200, stream));
            wrong += back != values;
            sxt_status query = sxt_event_query(event);
            wrong += query != SXT_OK && query != SXT_ERROR_NOT_READY;
            sxt_buffer_release(buffer);
          }
          sxt_stream_release(own);
        });
      for (std::thread &thread : threads)
        thread.join();
      CHECK(wrong == 0);
      need(sxt_device_synchronize(on.device));
      sxt_event_release(event);
      fakeHold(0);
    }
}

TEST_CASE("events: time between them, on a clock that goes round") {
  CheckedVulkan checked;
  for (const char *name : {"vulkan:0", "vulkan:1"}) { // timelines, fences
    Loaded on(name, vulkanOptions());
    sxt_event *begin = nullptr, *end = nullptr;
    double ms = 0;
    need(sxt_event_create(on.device, &begin));
    need(sxt_event_create(on.device, &end));
    need(sxt_event_query(begin)); // never recorded: nothing to wait for
    CHECK(sxt_event_elapsed(begin, end, &ms) == SXT_ERROR_INVALID_ARGUMENT);
    fakeHold(1);
    need(sxt_event_record(begin, nullptr));
    need(sxt_event_record(end, nullptr));
    CHECK(sxt_event_elapsed(begin, end, &ms) == SXT_ERROR_NOT_READY);
    need(sxt_event_synchronize(end));
    need(sxt_event_elapsed(begin, end, &ms));
    CHECK(ms == 0.5); // 500 ticks of a microsecond
    fakeHold(0);
    sxt_event_release(begin);
    sxt_event_release(end);
  }
}

TEST_CASE("results, fields, and mappings of memory that is the host's or not") {
  CheckedVulkan checked;
  for (const char *name : {"vulkan:0", "vulkan:4"}) {
    Loaded on(name, vulkanOptions(std::string(name) == "vulkan:4" ? 4 : 32));
    sxt_buffer *b = on.bufferOf(std::vector<int32_t>{1, 2, 3});
    void *mapped = nullptr;
    need(sxt_buffer_map(b, &mapped));
    static_cast<int32_t *>(mapped)[2] = 7;
    need(sxt_buffer_unmap(b));
    CHECK(on.read<int32_t>(b, 3) == std::vector<int32_t>{1, 2, 7});
    uint64_t address = 0;
    need(sxt_buffer_address(b, &address));
    CHECK((reinterpret_cast<uint64_t>(mapped) == address) == (std::string(name) == "vulkan:4"));
    int64_t sum = 1;
    float pair[2];
    sxt_argument argument = sxt_make_array1(b, SXT_DTYPE_I32, 3);
    sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                            {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
    need(sxt_kernel_call(on.kernel("total"), nullptr, &argument, 1, results, 2));
    CHECK(fakeLastDispatch()->offsets[4] % 256 == 0);
    int32_t calls = -1;
    need(sxt_program_global_read(on.program, "calls", 0, &calls, 4, nullptr));
    CHECK(calls == 0);
  }
}
