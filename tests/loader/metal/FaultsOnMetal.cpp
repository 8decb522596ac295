// Faults of Metal.
#include "tests/loader/faults/Scenario.h"
#include "tests/simulators/metal/FakeMetal.h"

#include <chrono>
#include <thread>

const sextant::test::FaultDriver &sextant::test::faultDriver() {
  static const FaultDriver driver = [] {
    FaultDriver d{};
    d.devices = {"metal:0"};
    d.options = [](const char *) {
      std::string text;
      for (const KernelSpec &spec : kernelSpecs())
        for (const module::Task &task : spec.plan.tasks)
          text += "// Sextant: Metal 3.0, kernel " + task.symbol + "\n";
      ModuleOptions options;
      options.targets = {{"metal", "3.0", {}, 32}};
      const auto *bytes = reinterpret_cast<const std::byte *>(text.data());
      options.images[module::str(options.targets[0])].assign(bytes, bytes + text.size());
      return options;
    };
    d.reset = fakeMetalReset;
    d.fail = fakeMetalFail;
    d.lose = fakeMetalLose;
    d.calls = [] {
      std::vector<std::pair<std::string, int>> calls;
      for (int i = 0; const char *name = fakeMetalCalled(i); ++i)
        calls.emplace_back(name, fakeMetalCalls(name));
      return calls;
    };
    // Command buffers let go of what they used on their queue's thread, soon after the end.
    d.alive = [] {
      for (int wait = 0; wait < 2000 && fakeMetalAlive() != 0; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return fakeMetalAlive();
    };
    d.misuses = fakeMetalMisuses;
    d.threads = true;
    d.errors = {2, 1}; // out of memory; any other
    d.outOfMemory = 2;
    return d;
  }();
  return driver;
}
