// Shared by CUDA's, HIP's and Vulkan's stand-ins as drivers of the fault tests.
#pragma once

#include "Scenario.h"
#include "tests/loader/fakedriver/FakeDriver.h"

namespace sextant::test {

inline FaultDriver onFakeDriver() {
  FaultDriver driver{};
  driver.reset = fakeReset;
  driver.fail = fakeFail;
  driver.lose = fakeLose;
  driver.calls = [] {
    std::vector<std::pair<std::string, int>> calls;
    for (int i = 0; const char *name = fakeCalled(i); ++i)
      calls.emplace_back(name, fakeCalls(name));
    return calls;
  };
  driver.alive = fakeAlive;
  driver.misuses = fakeMisuses;
  return driver;
}

} // namespace sextant::test
