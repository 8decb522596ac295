// Faults of AMD's runtime.
#include "tests/loader/faults/OnDriver.h"

const sextant::test::FaultDriver &sextant::test::faultDriver() {
  static const FaultDriver driver = [] {
    FaultDriver d = onFakeDriver();
    d.devices = {"hip:0"};
    d.options = [](const char *) {
      std::vector<std::byte> code(128);
      const char header[] = "\177ELF";
      for (size_t i = 0; i < 4; ++i)
        code[i] = static_cast<std::byte>(header[i]);
      ModuleOptions options;
      options.targets = {{"amdgpu", "gfx1100", {}, 32}};
      options.images["amdgpu:gfx1100/wave32"] = code;
      return options;
    };
    // Invalid value, out of memory, unknown; a launch that failed stays with the device.
    d.errors = {1, 2, 999, 719};
    d.outOfMemory = 2;
    return d;
  }();
  return driver;
}
