// Faults without a driver: the CPU device.
#include "tests/loader/faults/Scenario.h"

const sextant::test::FaultDriver &sextant::test::faultDriver() {
  static const FaultDriver driver = [] {
    FaultDriver d{};
    d.devices = {"cpu"};
    d.options = [](const char *) { return ModuleOptions{}; };
    d.computes = true;
    return d;
  }();
  return driver;
}
