// snippet: loader-api.md cpp 7
#define SEXTANT_THROWS
#include "app_kernels.hpp"

int main() {
  sextant::Device device = sextant::Device::open();
  sextant::Stream stream = device.defaultStream();
  app_kernels kernels(device);
  const std::vector<int32_t> zero = {0};
  sextant::Array<int32_t> x(device, std::vector<int32_t>(40, 1)), found(device, 16);
  sextant::Array<int32_t, 0> count(device, 0), full(device, 0);
  SNIPPET
  return found.size() == 64 && count.read()[0] == 40 ? 0 : 1; // it grew twice
}
