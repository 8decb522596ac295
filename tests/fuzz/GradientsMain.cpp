// Compares the derivatives of the random kernels of a module (gradients.py).
//
//   sextant-fuzz-gradients MODULE --device=NAME --variant=PATTERN --wave=N
//
// It prints a line a kernel: "clean K" and what was seen, "skipped K WHY", "differs K WHAT" or
// "failed K WHY"; before each, "launching K", for whoever wants to know where it died.
#include "tests/gradients/Compare.h"

#include <cstdio>

using namespace conformance;

namespace {

struct Options {
  std::string module, device, variant;
  unsigned wave = 0;
};

/// The first word of a kernel's name says what it is like (differentiable.py).
int64_t extentOf(std::string_view kernel) {
  return kernel.starts_with("block") ? 192 : kernel.starts_with("wide") ? 301 : 37;
}
bool isOfHalves(std::string_view kernel) { return kernel.starts_with("half"); }

std::string compareOne(const sextant::Device &device, const sextant::Module &module,
                       const Options &options, const std::string &kernel) {
  const Column column{options.variant.substr(0, options.variant.find(':')), options.variant,
                      options.wave};
  std::string said;
  double error = 0;
  bool isSameBits = true, hasSlope = true, lacksSlope = false;
  std::vector<int32_t> numbers = {0, 3, 40};
  if (column.backend == "cpu") // others are slow, where they are simulated
    numbers.push_back(600);
  for (int32_t number : numbers) {
    sextant::Program program(module, device, options.variant, options.wave);
    Run run{device,       module,
            program,      column,
            options.wave, std::mt19937_64(std::hash<std::string>{}(kernel) + unsigned(number))};
    gradients::Demand demand;
    demand.number = number;
    demand.extent = extentOf(kernel);
    if (isOfHalves(kernel))
      demand.differs = false, demand.bound = demand.singleBound = 2e-2;
    gradients::Comparison one;
    try {
      one = gradients::compare(run, kernel, demand);
    } catch (const Mismatch &mismatch) {
      throw Mismatch{mismatch.message + " (n = " + std::to_string(number) + ")"};
    }
    error = std::max(error, one.error);
    isSameBits = isSameBits && one.isSameBits;
    hasSlope = hasSlope && one.hasSlope;
    lacksSlope = lacksSlope || one.lacksSlope;
    if (one.isBoundByRounding)
      said += " ill-conditioned";
  }
  return show(error) + (isSameBits ? " same" : " rounded") +
         (hasSlope     ? " slope"
          : lacksSlope ? " steps"
                       : "") +
         said;
}

std::vector<std::string> kernelsOf(const sextant::Module &module) {
  size_t count = 0;
  sextant::check(sxt_module_kernel_count(module.get(), &count));
  std::set<std::string> all;
  sxt_kernel_info info{};
  info.struct_size = sizeof info;
  for (size_t k = 0; k < count; ++k) {
    sextant::check(sxt_module_kernel(module.get(), k, &info));
    all.insert(info.name);
  }
  std::vector<std::string> kernels;
  for (const std::string &name : all)
    if (all.contains(name + "_grad") && all.contains(name + "_dual"))
      kernels.push_back(name);
  return kernels;
}

void compareAll(const Options &options) {
  const sextant::Device device = sextant::Device::open(options.device);
  const sextant::Module module = sextant::Module::open(options.module);
  for (const std::string &kernel : kernelsOf(module)) {
    std::printf("launching %s\n", kernel.c_str());
    std::fflush(stdout);
    std::string verdict = "clean", what;
    try {
      what = compareOne(device, module, options, kernel);
    } catch (const Mismatch &mismatch) {
      verdict = "differs", what = mismatch.message;
    } catch (const Skipped &skipped) {
      verdict = "skipped", what = skipped.reason;
    } catch (const sextant::Error &error) {
      verdict = "failed", what = error.what();
    }
    std::replace(what.begin(), what.end(), '\n', ';');
    std::printf("%s %s %s\n", verdict.c_str(), kernel.c_str(), what.c_str());
    std::fflush(stdout);
  }
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--device="))
      options.device = argument.substr(9);
    else if (argument.starts_with("--variant="))
      options.variant = argument.substr(10);
    else if (argument.starts_with("--wave="))
      options.wave = unsigned(std::atoi(argument.c_str() + 7));
    else
      options.module = argument;
  }
  try {
    compareAll(options);
    return 0;
  } catch (const sextant::Error &error) {
    std::printf("error: %s\n", error.what());
    return error.status() == SXT_ERROR_NO_DEVICE ? 77 : 2;
  }
}
