// HIP runtimes that are there and cannot be used: the reason is told, and the CPU runs.
// Each case is a process of its own, because a driver is looked for once.
#include "tests/loader/TestModule.h"

using namespace sextant;
using namespace sextant::test;

namespace {

/// The reason why there is no HIP device; what needs none works nevertheless.
std::string reason() {
  sxt_device *device = nullptr;
  CHECK(sxt_device_open("hip", &device) == SXT_ERROR_NO_DEVICE);
  std::string why = message();
  ModuleOptions options;
  options.targets = {{"amdgpu", "gfx1100", {}, 32}, {"cpu", hostArch(), {}, 32}};
  std::vector<std::byte> bytes = makeModule(options);
  sxt_module *module = nullptr;
  need(sxt_module_open_memory(bytes.data(), bytes.size(), &module));
  need(sxt_device_open_for(module, &device));
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(device, &info));
  CHECK(std::string(info.name) == "cpu");
  sxt_device_release(device);
  sxt_module_release(module);
  return why;
}

} // namespace

TEST_CASE("a HIP runtime without what the loader needs", "[.partial]") {
  std::string why = reason();
  CHECK(contains(why, "device 'hip' cannot be opened: the HIP runtime is too old: it has no hip"));
}

TEST_CASE("a HIP runtime that is not a library", "[.garbage]") {
  std::string why = reason();
  CHECK(contains(why, "device 'hip' cannot be opened: no HIP runtime: "));
  CHECK(contains(why, "libamdhip64.so"));
  CHECK(!contains(why, "cannot open shared object file"));
}
