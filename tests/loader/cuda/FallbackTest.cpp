// A variant that the driver refuses gives way to the next usable one.
#include "tests/loader/TestModule.h"
#include "tests/loader/fakedriver/FakeDriver.h"

using namespace sextant::test;

namespace {

constexpr int invalidPtx = 218, outOfMemory = 2;

/// Three variants that an sm_90 takes, best first.
ModuleOptions threeVariants() {
  ModuleOptions options;
  options.targets = {
      {"cuda", "sm_90a", {}, 32}, {"cuda", "sm_90", {}, 32}, {"cuda", "compute_80", {}, 32}};
  return options;
}

/// An image of its own; the stand-in for the driver reads up to its NUL.
std::vector<std::byte> textOf(char letter) {
  std::vector<std::byte> text(64, std::byte(letter));
  text.push_back(std::byte{0});
  return text;
}

std::string targetOf(sxt_kernel *kernel) {
  sxt_variant_info info{};
  info.struct_size = sizeof info;
  need(sxt_kernel_variant(kernel, &info));
  return info.target;
}

struct Lines {
  std::vector<std::string> all;
  Lines() {
    sxt_log_set_callback([](sxt_log_level, const char *text,
                            void *user) { static_cast<Lines *>(user)->all.push_back(text); },
                         this, SXT_LOG_WARNING);
  }
  ~Lines() { sxt_log_set_callback(nullptr, nullptr, SXT_LOG_OFF); }
};

} // namespace

TEST_CASE("a variant that does not load gives way to the next one") {
  fakeReset();
  Loaded on("cuda:0", threeVariants());
  const char *before = nullptr;
  need(sxt_program_explain(on.program, "saxpy", &before));
  CHECK(contains(before, "> cuda:sm_90a/wave32"));
  {
    Lines lines;
    fakeFail("cuModuleLoadDataEx", invalidPtx, 0);
    CHECK(targetOf(on.kernel("saxpy")) == "cuda:sm_90/wave32");
    REQUIRE(lines.all.size() == 2); // the failure as an error, and what follows from it
    CHECK(lines.all[1] ==
          "cuda:sm_90a/wave32 does not load, cuda:sm_90/wave32 is tried: cuda:0 does "
          "not load the cubin image: CUDA_ERROR_INVALID_PTX");
  }
  const char *after = nullptr;
  need(sxt_program_explain(on.program, "saxpy", &after));
  CHECK(contains(after, "- cuda:sm_90a/wave32"));
  CHECK(contains(after, "; does not load: cuda:0 does not load the cubin image: "
                        "CUDA_ERROR_INVALID_PTX\n> cuda:sm_90/wave32"));
  sxt_verdict verdict{};
  verdict.struct_size = sizeof verdict;
  need(sxt_program_verdict(on.program, "saxpy", 0, &verdict));
  CHECK(!verdict.usable);
  CHECK(!verdict.selected);
  CHECK(contains(verdict.reason, "does not load"));
  need(sxt_program_verdict(on.program, "saxpy", 1, &verdict));
  CHECK(verdict.selected);
  // It is not tried again for this kernel, and the image may do for another one.
  CHECK(targetOf(on.kernel("saxpy")) == "cuda:sm_90/wave32");
  CHECK(targetOf(on.kernel("empty")) == "cuda:sm_90a/wave32");
}

TEST_CASE("two that do not load") {
  fakeReset();
  ModuleOptions options = threeVariants();
  options.images["cuda:sm_90a/wave32"] = textOf('1');
  options.images["cuda:sm_90/wave32"] = textOf('2');
  Loaded on("cuda:0", options);
  fakeFail("cuModuleGetFunction", 999, 0); // fails for the first
  fakeFail("cuModuleLoadDataEx", invalidPtx, 1);
  CHECK(targetOf(on.kernel("saxpy")) == "cuda:compute_80/wave32");
}

TEST_CASE("none loads: the first one's error") {
  fakeReset();
  ModuleOptions options = threeVariants();
  options.targets = {{"cuda", "sm_90", {}, 32}, {"cuda", "compute_80", {}, 32}};
  options.gpuImage = "broken image";
  Loaded on("cuda:0", options);
  sxt_kernel *kernel = nullptr;
  CHECK(sxt_program_kernel(on.program, "saxpy", &kernel) == SXT_ERROR_DEVICE);
  CHECK(kernel == nullptr);
  CHECK(contains(message(), "cuda:0 does not load the cubin image: CUDA_ERROR_INVALID_PTX"));
  const char *text = nullptr;
  need(sxt_program_explain(on.program, "saxpy", &text));
  CHECK(contains(text, "> cuda:sm_90/wave32")); // as before: the next call tries again
}

TEST_CASE("a failure that is not the variant's fault does not call for another one") {
  fakeReset();
  Loaded on("cuda:0", threeVariants());
  sxt_kernel *kernel = nullptr;
  fakeFail("cuModuleLoadDataEx", outOfMemory, 0);
  CHECK(sxt_program_kernel(on.program, "saxpy", &kernel) == SXT_ERROR_OUT_OF_MEMORY);
  CHECK(targetOf(on.kernel("saxpy")) == "cuda:sm_90a/wave32");
}

TEST_CASE("a pin leaves no other") {
  fakeReset();
  Loaded on("cuda:0", threeVariants());
  sxt_program_options pinned{};
  pinned.struct_size = sizeof pinned;
  pinned.variant = "sm_90a";
  sxt_program *program = nullptr;
  sxt_kernel *kernel = nullptr;
  need(sxt_program_create(on.module, on.device, &pinned, &program));
  fakeFail("cuModuleLoadDataEx", invalidPtx, 0);
  CHECK(sxt_program_kernel(program, "saxpy", &kernel) == SXT_ERROR_DEVICE);
  sxt_program_release(program);
}

TEST_CASE("measuring leaves out what does not load") {
  fakeReset();
  Loaded on("cuda:0", threeVariants());
  fakeFail("cuModuleLoadDataEx", invalidPtx, 0);
  CHECK(targetOf(on.kernel("empty")) == "cuda:sm_90/wave32");
  size_t count = 0;
  need(sxt_program_measure(on.program, "empty", nullptr, nullptr, 0, nullptr, &count));
  CHECK(count == 1);
  sxt_measurement measured{};
  measured.struct_size = sizeof measured;
  need(sxt_program_measurement(on.program, "empty", 0, &measured));
  CHECK(std::string(measured.target) == "cuda:sm_90/wave32");
  CHECK(measured.fastest);
}
