// Every function of a driver fails at every call in turn, with errors of several kinds; the
// device is lost at every call: each time a status with a message, nothing leaks or hangs, and
// the next run works.
#include "Scenario.h"

#include <algorithm>

using namespace sextant::test;

namespace {

void expectGoodRun(const char *device, const std::vector<std::byte> &bytes) {
  const FaultDriver &driver = faultDriver();
  driver.reset();
  const int alive = driver.alive(), misuses = driver.misuses();
  const Outcome outcome = runScenario(device, bytes);
  INFO(device << ": " << outcome.step << ": " << outcome.message);
  REQUIRE(outcome.status == SXT_OK);
  REQUIRE(!*outcome.wrong);
  REQUIRE(driver.alive() == alive);
  REQUIRE(driver.misuses() == misuses);
}

} // namespace

TEST_CASE("every call of a driver fails in turn") {
  const FaultDriver &driver = faultDriver();
  for (const char *device : driver.devices) {
    const std::vector<std::byte> bytes = makeModule(driver.options(device));
    expectGoodRun(device, bytes); // finds the driver, which is not asked for twice
    expectGoodRun(device, bytes);
    for (const auto &[function, calls] : driver.calls())
      for (int after = 0; after < calls; ++after)
        for (int error : driver.errors) {
          driver.reset();
          const int alive = driver.alive();
          watch(function.c_str(), after);
          driver.fail(function.c_str(), error, after);
          const Outcome outcome = runScenario(device, bytes);
          INFO(device << ": call " << after << " of " << function << " returns " << error << ": "
                      << outcome.step << ": " << outcome.message);
          CHECK(std::string(outcome.wrong) == "");
          if (std::find(driver.needed.begin(), driver.needed.end(), function) ==
              driver.needed.end())
            CHECK(driver.alive() == alive);
          // Where the call's own failure is what is told.
          const std::string name = function.substr(0, function.find("_v2"));
          if (error == driver.outOfMemory && outcome.status != SXT_OK &&
              contains(outcome.message, name + " failed"))
            CHECK(outcome.status == SXT_ERROR_OUT_OF_MEMORY);
        }
    expectGoodRun(device, bytes);
    watch("", 0, 0);
  }
}

TEST_CASE("the device is lost at every call in turn") {
  const FaultDriver &driver = faultDriver();
  for (const char *device : driver.devices) {
    const std::vector<std::byte> bytes = makeModule(driver.options(device));
    expectGoodRun(device, bytes);
    int total = 0;
    for (const auto &[function, calls] : driver.calls())
      total += calls;
    for (int after = 0; after < total; after += 3) {
      driver.reset();
      const int alive = driver.alive();
      watch("the device is lost", after);
      driver.lose(driver.errors.back(), after);
      const Outcome outcome = runScenario(device, bytes);
      INFO(device << " is lost at call " << after << " of " << total << ": " << outcome.step << ": "
                  << outcome.message);
      CHECK(std::string(outcome.wrong) == "");
      if (driver.needed.empty())
        CHECK(driver.alive() == alive);
      // Another device goes on.
      sxt_device *cpu = nullptr;
      CHECK(sxt_device_open("cpu", &cpu) == SXT_OK);
      sxt_device_release(cpu);
    }
    driver.reset();
    const Outcome outcome = runScenario(device, bytes);
    CHECK(outcome.status == SXT_OK); // a new one
    watch("", 0, 0);
  }
}
