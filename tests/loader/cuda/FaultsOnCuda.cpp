// Faults of NVIDIA's driver.
#include "tests/loader/faults/OnDriver.h"

const sextant::test::FaultDriver &sextant::test::faultDriver() {
  static const FaultDriver driver = [] {
    FaultDriver d = onFakeDriver();
    d.devices = {"cuda:0"};
    d.options = [](const char *) {
      ModuleOptions options;
      options.targets = {{"cuda", "sm_90", {}, 32}};
      return options;
    };
    // Invalid value, out of memory, unknown; an illegal address stays with the context.
    d.errors = {1, 2, 999, 700};
    d.outOfMemory = 2;
    d.needed = {"cuCtxPushCurrent_v2"};
    return d;
  }();
  return driver;
}
