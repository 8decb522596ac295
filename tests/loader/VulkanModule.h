// SPIR-V for the stand-in: no code, but an entry point for each task of kernelSpecs().
#pragma once

#include "TestModule.h"
#include "fakedriver/FakeVulkan.h"

#include <cstring>

namespace sextant::test {

/// \param version the SPIR-V version word
inline std::vector<std::byte> spirvOutline(uint32_t version = 0x10300) {
  std::vector<uint32_t> words = {0x07230203, version, 0, 100, 0};
  for (const KernelSpec &spec : kernelSpecs())
    for (const module::Task &task : spec.plan.tasks) {
      if (task.symbol == "absent_t0")
        continue;
      const size_t text = task.symbol.size() / 4 + 1; // with its NUL
      const size_t at = words.size();
      words.resize(at + 3 + text);
      words[at] = uint32_t(3 + text) << 16 | 15; // OpEntryPoint GLCompute
      words[at + 1] = 5;
      words[at + 2] = 1;
      std::memcpy(&words[at + 3], task.symbol.data(), task.symbol.size());
    }
  std::vector<std::byte> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

inline ModuleOptions vulkanOptions(unsigned wave = 32, std::vector<std::byte> image = {}) {
  ModuleOptions options;
  options.targets = {{"vulkan", "1.1", {}, wave}};
  options.images[str(options.targets[0])] = image.empty() ? spirvOutline() : std::move(image);
  return options;
}

/// Runs with a clean record, and checks in the end that nothing is left.
struct CheckedVulkan {
  CheckedVulkan() {
    fakeReset();
    alive = fakeAlive();
    (void)fakeCommandsRun();
    (void)fakeQueuesUsed();
  }
  ~CheckedVulkan() {
    fakeHold(0);
    CHECK(fakeAlive() == alive);
    CHECK(fakeMisuses() == 0);
  }
  int alive;
};

} // namespace sextant::test
