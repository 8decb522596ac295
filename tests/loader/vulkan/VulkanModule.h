// SPIR-V for the stand-in: an entry point and a function for each task of kernelSpecs().
#pragma once

#include "tests/loader/TestModule.h"
#include "tests/loader/fakedriver/FakeVulkan.h"

#include <cstring>

namespace sextant::test {

/// \param version the SPIR-V version word
/// \param decorations of variable 1, which every task reads, and of constant 2
inline std::vector<std::byte> spirvOutline(uint32_t version = 0x10300,
                                           const std::vector<uint32_t> &decorations = {}) {
  std::vector<uint32_t> words = {0x07230203, version, 0, 100, 0};
  auto append = [&](const std::vector<uint32_t> &instruction) {
    words.insert(words.end(), instruction.begin(), instruction.end());
  };
  uint32_t function = 10;
  std::vector<uint32_t> functions;
  for (const KernelSpec &spec : kernelSpecs())
    for (const module::Task &task : spec.plan.tasks) {
      if (task.symbol == "absent_t0")
        continue;
      const size_t text = task.symbol.size() / 4 + 1; // with its NUL
      const size_t at = words.size();
      words.resize(at + 3 + text);
      words[at] = uint32_t(3 + text) << 16 | 15; // OpEntryPoint GLCompute
      words[at + 1] = 5;
      words[at + 2] = function;
      std::memcpy(&words[at + 3], task.symbol.data(), task.symbol.size());
      functions.insert(functions.end(), {5u << 16 | 54, 4, function, 0, 5,   // OpFunction
                                         4u << 16 | 61, 3, function + 40, 1, // OpLoad
                                         1u << 16 | 56});                    // OpFunctionEnd
      ++function;
    }
  append(decorations);
  append({4u << 16 | 59, 3, 1, 1}); // OpVariable
  append({4u << 16 | 50, 3, 2, 0}); // OpSpecConstant
  append(functions);
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
