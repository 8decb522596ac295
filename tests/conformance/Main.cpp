// Runs the conformance cases on one device, over its variants, and prints a table.
//
//   sextant-conformance MODULES [--filter=TEXT] [VARIANT/waveN ...]
//
// MODULES is the folder of the compiled modules. The device is SEXTANT_DEVICE's, or the
// best there is. Without variants: every wave size that the device's backend has.
#include "tests/conformance/Harness.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

using namespace conformance;

namespace {

/// A row of the device axis: which variants, and their wave size.
struct Target {
  std::string variant; ///< prefix of the target: "cpu:x86-64-v3"
  unsigned wave = 32;
  std::string name() const { return variant + "/wave" + std::to_string(wave); }
};

std::vector<Target> defaultTargets(const sextant::Device &device) {
  std::string backend = device.info().backend;
  if (backend != "cpu")
    return {{backend, 32}};
  std::string arch = device.arch();
  std::vector<std::string> archs = {"aarch64"};
  if (arch.starts_with("x86-64"))
    archs = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
  std::vector<Target> targets;
  for (const std::string &one : archs)
    for (unsigned wave : {4u, 8u, 16u, 32u, 64u})
      targets.push_back({"cpu:" + one, wave});
  return targets;
}

Target parseTarget(const std::string &text) {
  size_t slash = text.find("/wave");
  if (slash == std::string::npos)
    return {text, 32};
  return {text.substr(0, slash), unsigned(std::stoul(text.substr(slash + 5)))};
}

/// x86-64-v4 code does not run on a v3 CPU.
bool deviceHas(const sextant::Device &device, const Target &target) {
  std::string backend = device.info().backend;
  if (backend != "cpu" || target.variant.find("x86-64-v") == std::string::npos)
    return target.variant.starts_with(backend);
  std::string arch = device.arch();
  return !arch.starts_with("x86-64-v") ||
         target.variant.back() <= arch[std::string("x86-64-v").size()];
}

struct Counts {
  unsigned passed = 0, failed = 0, skipped = 0;
};

void row(const Case &test, const Target &target, const char *result, const std::string &why) {
  std::printf("%-28s %-26s %-28s %s%s%s\n", test.module.c_str(), test.name.c_str(),
              target.name().c_str(), result, why.empty() ? "" : ": ", why.c_str());
  std::fflush(stdout);
}

void runCase(const sextant::Device &device, const sextant::Module &module, const Case &test,
             const Target &target, Counts &counts) {
  std::string refusal = test.refused ? test.refused(target.wave) : "";
  try {
    sextant::Program program(module, device, target.variant, target.wave);
    uint64_t seed = std::hash<std::string>{}(test.module + test.name + target.name());
    Run run{device, program, target.wave, std::mt19937_64(seed)};
    test.body(run);
    device.defaultStream().synchronize();
    if (refusal.empty()) {
      ++counts.passed;
      return row(test, target, "ok", "");
    }
    ++counts.failed;
    row(test, target, "FAILED", "runs, but should have been refused: " + refusal);
  } catch (const Mismatch &mismatch) {
    ++counts.failed;
    row(test, target, "FAILED", mismatch.message);
  } catch (const sextant::Error &error) {
    if (!refusal.empty() && error.status() == SXT_ERROR_NO_VARIANT) {
      ++counts.skipped;
      return row(test, target, "skipped", refusal);
    }
    ++counts.failed;
    row(test, target, "FAILED", error.what());
  }
}

} // namespace

int main(int argc, char **argv) {
  std::string folder, filter;
  std::vector<Target> targets;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.starts_with("--filter="))
      filter = argument.substr(9);
    else if (folder.empty())
      folder = argument;
    else
      targets.push_back(parseTarget(argument));
  }
  if (folder.empty()) {
    std::fprintf(stderr, "usage: %s MODULES [--filter=TEXT] [VARIANT/waveN ...]\n", argv[0]);
    return 2;
  }
  std::vector<Case> cases;
  addSubgroupCases(cases);
  addBlockCases(cases);
  addAtomicCases(cases);
  addArithmeticCases(cases);
  addLanguageCases(cases);
  addPageCases(cases);
  addMoreCases(cases);

  Counts counts;
  try {
    sextant::Device device = sextant::Device::open();
    std::printf("device: %s (%s)\n", device.name().c_str(), device.arch().c_str());
    if (targets.empty())
      targets = defaultTargets(device);
    std::map<std::string, sextant::Module> modules;
    for (const Target &target : targets)
      for (const Case &test : cases) {
        if ((test.module + "." + test.name).find(filter) == std::string::npos)
          continue;
        if (!deviceHas(device, target)) {
          ++counts.skipped;
          row(test, target, "skipped", "this device cannot run it");
          continue;
        }
        auto found = modules.find(test.module);
        if (found == modules.end()) {
          try {
            found = modules
                        .emplace(test.module,
                                 sextant::Module::open(folder + "/" + test.module + ".sxt"))
                        .first;
          } catch (const sextant::Error &error) {
            ++counts.failed;
            row(test, target, "FAILED", error.what());
            continue;
          }
        }
        runCase(device, found->second, test, target, counts);
      }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
  std::printf("%u passed, %u failed, %u skipped\n", counts.passed, counts.failed, counts.skipped);
  return counts.failed ? 1 : 0;
}
