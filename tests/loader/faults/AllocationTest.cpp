// The host's memory runs out at every allocation in turn, once or for good: each time a status
// with a message, nothing leaks or hangs, and the next run works.
#include "FaultyAllocator.h"
#include "Scenario.h"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sextant::test;

namespace {

/// Every allocation where SEXTANT_TEST_ALL_FAULTS is set, else every so manieth.
long stride(long usual) { return std::getenv("SEXTANT_TEST_ALL_FAULTS") ? 1 : usual; }

/// The run that has to work, and does not count.
void expectGoodRun(const char *device, const std::vector<std::byte> &bytes) {
  failNoAllocation();
  const Outcome outcome = runScenario(device, bytes);
  INFO(device << ": " << outcome.step << ": " << outcome.message);
  REQUIRE(outcome.status == SXT_OK);
  REQUIRE(!*outcome.wrong);
}

/// Brings the thread's memory of failures to the same state each time: a long message as its
/// last error, none of the system's loader.
void failAtLength() {
  (void)dlerror();
  (void)dlerror();
  sxt_device *none = nullptr;
  (void)!sxt_device_open("a device of a name that no short message has room for", &none);
}

/// Threads may still be ending.
long allocationsLeft(long before) {
  for (int wait = 0; wait < 500 && allocationsAlive() != before; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return allocationsAlive() - before;
}

} // namespace

TEST_CASE("memory runs out at every allocation") {
  const FaultDriver &driver = faultDriver();
  for (const char *device : driver.devices) {
    const std::vector<std::byte> bytes = makeModule(driver.options(device));
    failAtLength();
    for (int warm = 0; warm < 3; ++warm)
      expectGoodRun(device, bytes);
    const long total = allocationsCounted();
    REQUIRE(total > 100);
    for (bool allThatFollow : {false, true})
      for (long nth = 0; nth < total; nth += stride(allThatFollow ? 7 : 3)) {
        failAtLength();
        if (driver.reset)
          driver.reset();
        const long before = allocationsAlive();
        const int objects = driver.alive ? driver.alive() : 0;
        watch(device, nth);
        failAllocation(nth, allThatFollow);
        const Outcome outcome = runScenario(device, bytes);
        const bool failed = allocationFailed();
        failNoAllocation();
        const int misuses = driver.misuses ? driver.misuses() : 0;
        if (driver.reset)
          driver.reset(); // and the memory of its record
        failAtLength();
        const long left = driver.threads ? 0 : allocationsLeft(before);
        INFO(device << ": allocation " << nth << " of " << total
                    << (allThatFollow ? " and all that follow" : "") << ": " << outcome.step << ": "
                    << outcome.message);
        CHECK(std::string(outcome.wrong) == "");
        CHECK((failed || driver.threads));
        // Some do without: a log line, a cache, the code's own copy of a driver's state.
        if (outcome.status != SXT_OK)
          CHECK((outcome.status == SXT_ERROR_OUT_OF_MEMORY || outcome.status == SXT_ERROR_DEVICE ||
                 outcome.status == SXT_ERROR_NO_DEVICE));
        if (driver.alive) {
          CHECK(driver.alive() == objects);
          CHECK(misuses == 0);
        }
        CHECK((left == 0 || driver.threads));
      }
    expectGoodRun(device, bytes);
    watch("", 0, 0);
  }
}

// Where the first use of a driver, of a device, of a library fails: a process each time.
TEST_CASE("memory runs out while drivers start", "[.cold]") {
  const FaultDriver &driver = faultDriver();
  for (const char *device : driver.devices) {
    const std::vector<std::byte> bytes = makeModule(driver.options(device));
    for (bool allThatFollow : {false, true})
      for (long nth = 0;; nth += stride(allThatFollow ? 23 : 11)) {
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
          watch(device, nth);
          failAllocation(nth, allThatFollow);
          const Outcome outcome = runScenario(device, bytes);
          const bool failed = allocationFailed();
          failNoAllocation();
          if (*outcome.wrong)
            _exit(3);
          if (!failed)
            _exit(2);
          const Outcome next = runScenario(device, bytes);
          if (next.status != SXT_OK || *next.wrong)
            std::fprintf(stderr, "%s after allocation %ld%s failed (%s: %s): %s: %s %s\n", device,
                         nth, allThatFollow ? "…" : "", outcome.step, outcome.message, next.step,
                         next.message, next.wrong);
          _exit(next.status == SXT_OK && !*next.wrong ? 0 : 4);
        }
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
          break; // past the last one
        INFO(device << ": allocation " << nth << (allThatFollow ? " and all that follow" : "")
                    << ", signal " << (WIFSIGNALED(status) ? WTERMSIG(status) : 0));
        REQUIRE(status == 0); // a run that crashes never gets past the last one
      }
  }
}
