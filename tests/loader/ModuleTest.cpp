// Modules and programs: what is bad about files, queries, selection, loading.
#include "TestModule.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace sextant;
using namespace sextant::test;

namespace {

/// An environment variable for a scope.
struct Environment {
  Environment(const char *name, const char *value) : name(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name); }
  const char *name;
};

sxt_program *makeProgram(Loaded &on, const char *variant, uint32_t wave = 0,
                         const char *blocked = nullptr) {
  sxt_program_options options{sizeof options, variant, blocked, wave, nullptr};
  sxt_program *program = nullptr;
  need(sxt_program_create(on.module, on.device, &options, &program));
  return program;
}

std::string variantOf(sxt_program *program, const char *kernel) {
  sxt_kernel *found = nullptr;
  if (sxt_program_kernel(program, kernel, &found) != SXT_OK)
    return "";
  sxt_variant_info info;
  info.struct_size = sizeof info;
  need(sxt_kernel_variant(found, &info));
  return info.target;
}

} // namespace

TEST_CASE("files and bytes that are not modules") {
  sxt_module *module = nullptr;
  CHECK(sxt_module_open_file("/nonexistent/kernels.sxt", &module) == SXT_ERROR_IO);
  CHECK(contains(message(), "/nonexistent/kernels.sxt"));
  CHECK(sxt_module_open_memory("not a module at all, by any measure whatsoever", 40, &module) ==
        SXT_ERROR_BAD_MODULE);
  CHECK(sxt_module_open_memory("", 0, &module) == SXT_ERROR_BAD_MODULE);
  CHECK(module == nullptr);
}

TEST_CASE("a truncated or damaged module is an error where it matters, never a crash") {
  std::vector<std::byte> good = makeModule();
  sxt_device *device = nullptr;
  need(sxt_device_open("cpu", &device));
  auto tryAll = [&](const std::vector<std::byte> &bytes) {
    sxt_module *module = nullptr;
    if (sxt_module_open_memory(bytes.data(), bytes.size(), &module) != SXT_OK)
      return;
    sxt_program *program = nullptr;
    need(sxt_program_create(module, device, nullptr, &program));
    for (const char *name : {"saxpy", "total", "twin", "nothing"}) {
      // Loading stops at the records here: a damaged image is found by its hash, below.
      const char *text = nullptr;
      (void)sxt_program_explain(program, name, &text);
    }
    size_t count = 0;
    (void)sxt_module_global_count(module, &count);
    sxt_program_release(program);
    sxt_module_release(module);
  };
  for (size_t size = 0; size < good.size(); size += size < 300 ? 1 : 97)
    tryAll({good.begin(), good.begin() + static_cast<ptrdiff_t>(size)});
  for (size_t at = 0; at < good.size(); at += at < 300 ? 1 : 53) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte(1 << (at % 8));
    tryAll(bad);
  }
  sxt_device_release(device);
}

TEST_CASE("a damaged image is refused, every time, and nothing of it is loaded") {
  // Damage somewhere else is somebody else's: those loads succeed.
  std::vector<std::byte> bytes = makeModule();
  sxt_device *device = nullptr;
  need(sxt_device_open("cpu", &device));
  int refused = 0;
  for (size_t at = 64; at < bytes.size(); at += bytes.size() / 50) {
    std::vector<std::byte> bad = bytes;
    bad[at] ^= std::byte(0x10);
    sxt_module *module = nullptr;
    sxt_program *program = nullptr;
    sxt_kernel *kernel = nullptr;
    if (sxt_module_open_memory(bad.data(), bad.size(), &module) != SXT_OK)
      continue;
    need(sxt_program_create(module, device, nullptr, &program));
    sxt_status first = sxt_program_kernel(program, "saxpy", &kernel);
    CHECK(sxt_program_kernel(program, "saxpy", &kernel) == first);
    CHECK((first == SXT_OK || first == SXT_ERROR_BAD_MODULE));
    refused += first == SXT_ERROR_BAD_MODULE;
    sxt_program_release(program);
    sxt_module_release(module);
  }
  CHECK(refused >= 2);
  sxt_device_release(device);
}

TEST_CASE("a module file outlives its name") {
  std::vector<std::byte> bytes = makeModule();
  std::string path = "loader-test-" + std::to_string(getpid()) + ".sxt";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  sxt_module *module = nullptr;
  need(sxt_module_open_file(path.c_str(), &module));
  std::remove(path.c_str());
  size_t count = 0, index = 0;
  need(sxt_module_kernel_count(module, &count));
  CHECK(count == kernelSpecs().size());
  need(sxt_module_find_kernel(module, "everything", &index));
  sxt_kernel_info kernel;
  kernel.struct_size = sizeof kernel;
  need(sxt_module_kernel(module, index, &kernel));
  CHECK(std::string(kernel.name) == "everything");
  CHECK(kernel.argument_count == 8);
  CHECK(kernel.variant_count == 1);
  sxt_parameter_info parameter;
  parameter.struct_size = sizeof parameter;
  need(sxt_module_argument(module, index, 6, &parameter));
  CHECK(std::string(parameter.name) == "m");
  CHECK(parameter.kind == SXT_ARGUMENT_MATRIX);
  CHECK(parameter.dtype == SXT_DTYPE_F32);
  CHECK(parameter.rows == 2);
  CHECK(parameter.cols == 3);
  CHECK(std::string(parameter.structure).empty());
  CHECK(sxt_module_argument(module, index, 8, &parameter) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_module_argument(module, 999, 0, &parameter) == SXT_ERROR_OUT_OF_RANGE);
  need(sxt_module_find_kernel(module, "total", &index));
  need(sxt_module_result(module, index, 1, &parameter));
  CHECK(parameter.rows == 2);
  CHECK(parameter.kind == SXT_ARGUMENT_MATRIX);
  CHECK(sxt_module_result(module, index, 2, &parameter) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_module_kernel(module, count, &kernel) == SXT_ERROR_OUT_OF_RANGE);
  sxt_global_info global;
  global.struct_size = sizeof global;
  need(sxt_module_global(module, 0, &global));
  CHECK(std::string(global.name) == "calls");
  CHECK(sxt_module_global(module, 1, &global) == SXT_ERROR_OUT_OF_RANGE);
  sxt_module_release(module);
}

TEST_CASE("names of kernels and fields") {
  Loaded on;
  sxt_kernel *kernel = nullptr;
  CHECK(sxt_program_kernel(on.program, "saxpi", &kernel) == SXT_ERROR_NOT_FOUND);
  CHECK(contains(message(), "no kernel 'saxpi'; it has "));
  CHECK(sxt_program_kernel(on.program, "twin", &kernel) == SXT_ERROR_NOT_FOUND);
  CHECK(contains(message(), "several instances"));
  CHECK(contains(message(), "twin_f32"));
  need(sxt_program_kernel(on.program, "twin_i32", &kernel));
  need(sxt_program_kernel(on.program, "only", &kernel)); // one instance: the source name does
  sxt_kernel *same = nullptr;
  need(sxt_program_kernel(on.program, "only_f32", &same));
  CHECK(kernel == same);
  sxt_buffer *buffer = nullptr;
  CHECK(sxt_program_global_buffer(on.program, "bins", &buffer) == SXT_ERROR_NOT_FOUND);
  CHECK(contains(message(), "no field 'bins'"));
  uint8_t byte = 0;
  CHECK(sxt_program_global_read(on.program, "calls", 4, &byte, 1, nullptr) ==
        SXT_ERROR_OUT_OF_RANGE);
}

TEST_CASE("images that do not load") {
  Loaded on;
  sxt_kernel *kernel = nullptr;
  CHECK(sxt_program_kernel(on.program, "absent", &kernel) == SXT_ERROR_BAD_MODULE);
  CHECK(contains(message(), "no function 'absent_t0'"));

  ModuleOptions options;
  options.cpuImage.assign(1000, std::byte{7});
  Loaded foreign("cpu", options);
  CHECK(sxt_program_kernel(foreign.program, "saxpy", &kernel) == SXT_ERROR_BAD_MODULE);
  CHECK(contains(message(), "is not an ELF file"));

  options.cpuImage = kernelImage();
  options.cpuImage.resize(2000); // the headers, and nothing of what they place further on
  Loaded cut("cpu", options);
  CHECK(sxt_program_kernel(cut.program, "saxpy", &kernel) == SXT_ERROR_BAD_MODULE);
  CHECK(contains(message(), "is cut short"));

  options.cpuImage = kernelImage();
  options.cpuImage[18] = std::byte{8}; // another machine
  Loaded other("cpu", options);
  CHECK(sxt_program_kernel(other.program, "saxpy", &kernel) == SXT_ERROR_BAD_MODULE);
  CHECK(contains(message(), "of this machine"));
}

TEST_CASE("programs of one module at once do not mix up their images") {
  // Each loads its own copy: the system's loader must not take one for the other.
  std::vector<std::unique_ptr<Loaded>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(std::make_unique<Loaded>());
  for (auto &on : all) {
    sxt_buffer *out = on->bufferOf(std::vector<int32_t>{0});
    sxt_argument argument = sxt_make_array1(out, SXT_DTYPE_I32, 1);
    need(sxt_kernel_launch(on->kernel("grid"), nullptr, &argument, 1));
  }
  all.erase(all.begin());
  Loaded late;
  need(sxt_kernel_launch(late.kernel("empty"), nullptr, nullptr, 0));
  need(sxt_device_synchronize(late.device));
}

TEST_CASE("selection: the best variant, pins, blocks, waves, and why") {
  ModuleOptions options;
  std::string host = hostArch();
  options.targets = {{"cuda", "sm_90", {}, 32},
                     {"cpu", host, {}, 8},
                     {"cpu", host, {}, 32},
                     {"cpu", "x86-64-v9", {}, 32}};
  Loaded on("cpu", options);
  std::string best = "cpu:" + host + "/wave32", other = "cpu:" + host + "/wave8";
  CHECK(variantOf(on.program, "saxpy") == best);

  size_t count = 0;
  need(sxt_program_verdict_count(on.program, "saxpy", &count));
  REQUIRE(count == 4);
  sxt_verdict verdict;
  verdict.struct_size = sizeof verdict;
  need(sxt_program_verdict(on.program, "saxpy", 0, &verdict));
  CHECK(verdict.selected);
  CHECK(verdict.target == best);
  CHECK(contains(verdict.reason, "exact"));
  need(sxt_program_verdict(on.program, "saxpy", 1, &verdict));
  CHECK(verdict.usable);
  CHECK(!verdict.selected);
  CHECK(verdict.target == other);
  need(sxt_program_verdict(on.program, "saxpy", 2, &verdict));
  CHECK(!verdict.usable);
  CHECK(contains(verdict.reason, "code for cuda"));
  CHECK(sxt_program_verdict(on.program, "saxpy", 4, &verdict) == SXT_ERROR_OUT_OF_RANGE);
  const char *text = nullptr;
  need(sxt_program_explain(on.program, "saxpy", &text));
  CHECK(contains(text, "> " + best));
  CHECK(contains(text, "- cuda:sm_90/wave32"));

  sxt_program *pinned = makeProgram(on, "/wave8");
  CHECK(variantOf(pinned, "saxpy") == other);
  sxt_program_release(pinned);
  pinned = makeProgram(on, nullptr, 8);
  CHECK(variantOf(pinned, "saxpy") == other);
  sxt_program_release(pinned);
  pinned = makeProgram(on, nullptr, 0, "nothing,/wave32");
  CHECK(variantOf(pinned, "saxpy") == other);
  sxt_program_release(pinned);
  {
    Environment pin("SEXTANT_VARIANT", "/wave8");
    pinned = makeProgram(on, nullptr);
    CHECK(variantOf(pinned, "saxpy") == other);
    sxt_program_release(pinned);
    Environment block("SEXTANT_BLOCK", "/wave8");
    pinned = makeProgram(on, nullptr);
    sxt_kernel *kernel = nullptr;
    CHECK(sxt_program_kernel(pinned, "saxpy", &kernel) == SXT_ERROR_NO_VARIANT);
    CHECK(contains(message(), "is blocked by '/wave8'"));
    sxt_program_release(pinned);
  }
}

TEST_CASE("a kernel without a variant for the device says why") {
  ModuleOptions options;
  options.targets = {{"cuda", "sm_90", {}, 32}};
  Loaded on("cpu", options);
  sxt_kernel *kernel = nullptr;
  CHECK(sxt_program_kernel(on.program, "saxpy", &kernel) == SXT_ERROR_NO_VARIANT);
  CHECK(contains(message(), "kernel 'saxpy' has no variant for cpu:"));
  CHECK(contains(message(), "no cpu code"));
  sxt_device *device = nullptr;
  Environment pin("SEXTANT_DEVICE", "");
  CHECK(sxt_device_open_for(on.module, &device) == SXT_ERROR_NO_VARIANT);
}

TEST_CASE("facts about the chosen variant and its tasks") {
  Loaded on;
  sxt_kernel *kernel = on.kernel("total");
  sxt_variant_info variant;
  variant.struct_size = sizeof variant;
  need(sxt_kernel_variant(kernel, &variant));
  CHECK(std::string(variant.backend) == "cpu");
  CHECK(variant.arch == hostArch());
  CHECK(variant.wave == 32);
  CHECK(variant.task_count == 3);
  sxt_task_info task;
  task.struct_size = sizeof task;
  need(sxt_kernel_task(kernel, 1, &task));
  CHECK(std::string(task.name) == "total_t1");
  CHECK(task.block_dim == 32);
  CHECK(task.shared_bytes == 0);
  CHECK(task.registers == -1);
  CHECK(task.scalar_registers == -1);
  CHECK(task.occupancy == -1);
  CHECK(sxt_kernel_task(kernel, 3, &task) == SXT_ERROR_OUT_OF_RANGE);
  size_t index = 0, found = 0;
  need(sxt_kernel_index(kernel, &index));
  need(sxt_module_find_kernel(on.module, "total", &found));
  CHECK(index == found);
}
