// Measuring variants, and preferences among them. "pace" of one image is 30 times as
// slow as that of the other, and writes which one ran.
#define SEXTANT_THROWS
#include "TestModule.h"

#include "sextant/sextant.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace sextant;
using namespace sextant::test;

namespace {

constexpr int quick = 2, slow = 60;

/// Variants of the CPU for two wave sizes, the preferred one 32.
ModuleOptions twoWaves(bool preferredIsSlow) {
  ModuleOptions options;
  options.targets = {{"cpu", hostArch(), {}, 8}, {"cpu", hostArch(), {}, 32}};
  options.images[str(options.targets[preferredIsSlow ? 1 : 0])] = slowKernelImage();
  return options;
}

std::string targetOf(unsigned wave) { return str(module::Target{"cpu", hostArch(), {}, wave}); }

/// The pace of the variant that a program runs.
int paceOf(Loaded &on, sxt_program *program) {
  sxt_kernel *kernel = nullptr;
  need(sxt_program_kernel(program, "pace", &kernel));
  sxt_buffer *out = on.bufferOf(std::vector<int32_t>{-1});
  sxt_argument argument = sxt_make_array1(out, SXT_DTYPE_I32, 1);
  need(sxt_kernel_launch(kernel, nullptr, &argument, 1));
  return on.read<int32_t>(out, 1).front();
}

/// The pace with a file of preferences, given as an option or by the environment.
int paceWith(Loaded &on, const char *file, const char *variant = nullptr) {
  sxt_program_options options{sizeof options, variant, nullptr, 0, file};
  sxt_program *program = nullptr;
  need(sxt_program_create(on.module, on.device, &options, &program));
  int pace = paceOf(on, program);
  sxt_program_release(program);
  return pace;
}

sxt_measurement measurement(sxt_program *program, const char *kernel, size_t index) {
  sxt_measurement found;
  found.struct_size = sizeof found;
  need(sxt_program_measurement(program, kernel, index, &found));
  return found;
}

/// A file of that content, gone in the end.
struct TemporaryFile {
  explicit TemporaryFile(const std::string &text)
      : path(std::filesystem::temp_directory_path() /
             ("sextant-preferences-" + std::to_string(getpid()))) {
    std::ofstream(path, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

} // namespace

TEST_CASE("the program uses what measured fastest, be it the rule's choice or not") {
  bool preferredIsSlow = GENERATE(true, false);
  Loaded on("cpu", twoWaves(preferredIsSlow));
  CHECK(paceOf(on, on.program) == (preferredIsSlow ? slow : quick)); // wave32 by the rule
  sxt_kernel *before = on.kernel("pace");
  sxt_buffer *out = on.buffer(64 * 4);
  sxt_argument argument = sxt_make_array1(out, SXT_DTYPE_I32, 64);
  sxt_measure_options options{sizeof options, 5};
  size_t count = 0;
  need(sxt_program_measure(on.program, "pace", nullptr, &argument, 1, &options, &count));
  REQUIRE(count == 2);
  sxt_measurement first = measurement(on.program, "pace", 0),
                  second = measurement(on.program, "pace", 1);
  CHECK(first.target == targetOf(32));
  CHECK(second.target == targetOf(8));
  CHECK(first.selected == 1);
  CHECK(second.selected == 0);
  CHECK(first.fastest == !preferredIsSlow);
  CHECK(second.fastest == preferredIsSlow);
  for (const sxt_measurement &m : {first, second}) {
    CHECK(m.problem == nullptr);
    CHECK(m.samples == (m.fastest ? 5 : 3)); // ten times as slow is hopeless
    CHECK(m.launches >= 1);
    CHECK(m.minimum_ms > 0);
    CHECK(m.median_ms >= m.minimum_ms);
    CHECK(m.spread_ms >= 0);
  }
  double ratio = first.median_ms / second.median_ms;
  CHECK((preferredIsSlow ? ratio : 1 / ratio) > 3); // ten, but for the cost of a launch
  CHECK(paceOf(on, on.program) == quick);
  // The handle from before keeps its variant.
  sxt_variant_info variant;
  variant.struct_size = sizeof variant;
  need(sxt_kernel_variant(before, &variant));
  CHECK(variant.wave == 32);
  need(sxt_kernel_launch(before, nullptr, &argument, 1));
  // Explanations follow.
  const char *text = nullptr;
  need(sxt_program_explain(on.program, "pace", &text));
  CHECK(contains(text, "> " + targetOf(preferredIsSlow ? 8 : 32)));
  CHECK(contains(text, "measured to be the fastest"));
  sxt_verdict verdict;
  verdict.struct_size = sizeof verdict;
  need(sxt_program_verdict(on.program, "pace", preferredIsSlow ? 1 : 0, &verdict));
  CHECK(verdict.selected == 1);
}

namespace {
/// Counts its calls, and fails from some call on.
struct Preparation {
  sxt_buffer *out = nullptr;
  int calls = 0, fails = 1000;
  static sxt_status prepare(void *user, sxt_stream *stream) {
    auto &own = *static_cast<Preparation *>(user);
    if (++own.calls >= own.fails)
      return SXT_ERROR_DEVICE;
    const int32_t fresh = -7;
    return sxt_buffer_fill(own.out, 4, 4, &fresh, 4, stream);
  }
};
} // namespace

TEST_CASE("a preparation before each sample, which is one launch") {
  Loaded on("cpu", twoWaves(false));
  Preparation preparation{on.buffer(8)};
  sxt_argument argument = sxt_make_array1(preparation.out, SXT_DTYPE_I32, 1);
  sxt_measure_options options{sizeof options, 4, Preparation::prepare, &preparation};
  size_t count = 0;
  need(sxt_program_measure(on.program, "pace", nullptr, &argument, 1, &options, &count));
  REQUIRE(count == 2);
  uint32_t samples = 0;
  for (size_t index = 0; index < count; ++index) {
    const sxt_measurement m = measurement(on.program, "pace", index);
    CHECK(m.launches == 1);
    samples += m.samples;
  }
  CHECK(samples == 7);                          // four, and three of the slow one
  CHECK(preparation.calls == int(samples) + 4); // two runs of each to warm up
  CHECK(on.read<int32_t>(preparation.out, 2)[1] == -7);

  preparation.calls = 0;
  preparation.fails = 6;
  CHECK(sxt_program_measure(on.program, "pace", nullptr, &argument, 1, &options, &count) ==
        SXT_ERROR_DEVICE);
  CHECK(preparation.calls == 6);
}

TEST_CASE("measuring from many threads while others launch") {
  Loaded on("cpu", twoWaves(true));
  std::vector<sxt_status> statuses(4, SXT_ERROR_INTERNAL);
  std::vector<std::thread> threads;
  std::vector<sxt_buffer *> buffers;
  for (size_t t = 0; t < statuses.size(); ++t)
    buffers.push_back(on.buffer(4));
  for (size_t t = 0; t < statuses.size(); ++t)
    threads.emplace_back([&, t] {
      sxt_argument argument = sxt_make_array1(buffers[t], SXT_DTYPE_I32, 1);
      sxt_measure_options options{sizeof options, 3};
      sxt_kernel *kernel = nullptr;
      statuses[t] =
          t % 2 ? sxt_program_measure(on.program, "pace", nullptr, &argument, 1, &options, nullptr)
                : SXT_OK;
      for (int i = 0; i < 20 && statuses[t] == SXT_OK; ++i) {
        statuses[t] = sxt_program_kernel(on.program, "pace", &kernel);
        if (statuses[t] == SXT_OK)
          statuses[t] = sxt_kernel_launch(kernel, nullptr, &argument, 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(statuses == std::vector<sxt_status>(4, SXT_OK));
  need(sxt_device_synchronize(on.device));
}

TEST_CASE("only what would run and matches best is measured") {
  ModuleOptions options;
  // The targets of the CPU and of no other device; pins leave one.
  options.targets = {
      {"cpu", hostArch(), {}, 8}, {"cuda", "sm_90", {}, 32}, {"cpu", hostArch(), {}, 4}};
  Loaded on("cpu", options);
  sxt_buffer *out = on.buffer(4);
  sxt_argument argument = sxt_make_array1(out, SXT_DTYPE_I32, 1);
  size_t count = 0;
  need(sxt_program_measure(on.program, "pace", nullptr, &argument, 1, nullptr, &count));
  CHECK(count == 2);
  sxt_program_options pinned{sizeof pinned, "/wave4", nullptr, 0, nullptr};
  sxt_program *program = nullptr;
  need(sxt_program_create(on.module, on.device, &pinned, &program));
  need(sxt_program_measure(program, "pace", nullptr, &argument, 1, nullptr, &count));
  CHECK(count == 1);
  CHECK(measurement(program, "pace", 0).target == targetOf(4));
  CHECK(measurement(program, "pace", 0).samples == 11);
  sxt_program_release(program);
}

TEST_CASE("measuring: what can be wrong") {
  Loaded on("cpu", twoWaves(true));
  sxt_buffer *out = on.buffer(4);
  sxt_argument argument = sxt_make_array1(out, SXT_DTYPE_F32, 1), good = argument;
  good.dtype = SXT_DTYPE_I32;
  size_t count = 77;
  CHECK(sxt_program_measure(on.program, "pace", nullptr, &argument, 1, nullptr, &count) ==
        SXT_ERROR_SIGNATURE);
  CHECK(contains(message(), "kernel 'pace', argument 0 'out': expected"));
  CHECK(count == 77);
  CHECK(sxt_program_measure(on.program, "pace", nullptr, nullptr, 0, nullptr, &count) ==
        SXT_ERROR_SIGNATURE);
  CHECK(sxt_program_measure(on.program, "peace", nullptr, &good, 1, nullptr, &count) ==
        SXT_ERROR_NOT_FOUND);
  CHECK(sxt_program_measure(nullptr, "pace", nullptr, &good, 1, nullptr, &count) ==
        SXT_ERROR_INVALID_ARGUMENT);
  sxt_measurement found;
  found.struct_size = sizeof found;
  CHECK(sxt_program_measurement(on.program, "pace", 0, &found) == SXT_ERROR_OUT_OF_RANGE);
  // A variant that cannot be loaded is told of, and the other one is used.
  ModuleOptions damaged = twoWaves(false);
  damaged.images[targetOf(32)] = std::vector<std::byte>(100, std::byte{7});
  Loaded half("cpu", damaged);
  sxt_buffer *target = half.buffer(4);
  good = sxt_make_array1(target, SXT_DTYPE_I32, 1);
  need(sxt_program_measure(half.program, "pace", nullptr, &good, 1, nullptr, &count));
  REQUIRE(count == 2);
  CHECK(measurement(half.program, "pace", 0).samples == 0);
  REQUIRE(measurement(half.program, "pace", 0).problem != nullptr);
  CHECK(measurement(half.program, "pace", 1).fastest == 1);
  CHECK(paceOf(half, half.program) == slow); // all there is
}

TEST_CASE("preferences: by option and by environment, among what would run") {
  Loaded on("cpu", twoWaves(true));
  const std::string line = "pace cpu:" + hostArch() + " " + targetOf(8) + "\n";
  CHECK(paceWith(on, nullptr) == slow);
  {
    TemporaryFile file("# measured\r\n\n other kernel here\n" + line);
    CHECK(paceWith(on, file.path.string().c_str()) == quick);
    CHECK(paceWith(on, file.path.string().c_str(), "/wave32") == slow); // a pin is stronger
    setenv("SEXTANT_PREFER", file.path.string().c_str(), 1);
    CHECK(paceWith(on, nullptr) == quick);
    CHECK(paceWith(on, "/nowhere") == slow); // the option is stronger
    unsetenv("SEXTANT_PREFER");
  }
  const std::string others[] = {
      "",
      "pace cpu:another " + targetOf(8),
      "place cpu:" + hostArch() + " " + targetOf(8),
      "pace cpu:" + hostArch() + " " + targetOf(16), // the module has none
      "pace cpu:" + hostArch() + " cuda:sm_90/wave32",
      "pace cpu:" + hostArch(),
      line.substr(0, line.size() - 1) + " more\n",
      "# " + line,
  };
  for (const std::string &text : others) {
    INFO(text);
    TemporaryFile file(text);
    CHECK(paceWith(on, file.path.string().c_str()) == slow);
  }
}

TEST_CASE("preferences: no file is too damaged") {
  Loaded on("cpu", twoWaves(true));
  std::string line = "pace cpu:" + hostArch() + " " + targetOf(8), noise;
  unsigned state = 12345;
  for (int i = 0; i < 5000; ++i) {
    state = state * 1664525 + 1013904223;
    noise += static_cast<char>(state >> 24);
  }
  {
    TemporaryFile file(noise + "\n" + line + "\n" + noise); // a good line amid noise counts
    CHECK(paceWith(on, file.path.string().c_str()) == quick);
  }
  {
    TemporaryFile file(line + "\n" + std::string(size_t(2) << 20, 'x')); // too large
    CHECK(paceWith(on, file.path.string().c_str()) == slow);
  }
  CHECK(paceWith(on, "/") == slow); // a folder
}

TEST_CASE("measuring through the C++ interface") {
  std::vector<std::byte> bytes = makeModule(twoWaves(true));
  Module module = Module::fromMemory(bytes.data(), bytes.size());
  Device device = Device::open("cpu");
  Program program(module, device);
  Array<int32_t> out(device, 4);
  std::vector<sxt_measurement> measured =
      program.measure("pace", Stream(device.defaultStream()), out);
  REQUIRE(measured.size() == 2);
  CHECK(measured[1].fastest == 1);
  CHECK(program.kernel("pace").variant() == targetOf(8));
}
