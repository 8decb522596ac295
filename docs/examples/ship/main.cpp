// Doubles numbers on the best device that the shipped module has code for. The module is the
// one that SCALER_MODULE_PATH names (an update, say), else the one installed with the program.
#include "scaler_kernels.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace {

std::string modulePath() {
  if (const char *path = std::getenv("SCALER_MODULE_PATH"))
    return path;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return (program.parent_path() / SCALER_MODULE).lexically_normal().string();
}

sextant::Result<std::vector<float>> doubled(const std::vector<float> &values) {
  const auto module = sextant::Module::open(modulePath());
  if (!module)
    return module.error();
  const auto device = sextant::Device::openFor(*module); // a GPU if it runs all of it, else the CPU
  if (!device)
    return device.error();
  const auto kernels = scaler_kernels::create(*module, *device);
  const auto x = sextant::Array<float>::create(*device, values);
  if (!kernels)
    return kernels.error();
  if (!x)
    return x.error();
  if (const auto done = kernels->scale(device->defaultStream(), *x, 2.0f); !done)
    return done.error();
  std::fprintf(stderr, "scaler: on %s (%s)\n", device->name().c_str(), device->arch().c_str());
  return x->read();
}

} // namespace

int main() {
  const auto result = doubled({1, 2, 3});
  if (!result) {
    // The message is for whoever looks into it; the status says what a user can do.
    std::fprintf(stderr, "scaler: %s: %s\n", sxt_status_name(result.status()),
                 result.error().message());
    return 1;
  }
  for (float value : *result)
    std::printf("%g\n", static_cast<double>(value));
}
