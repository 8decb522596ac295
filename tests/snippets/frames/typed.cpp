// snippet: loader-api.md cpp 3
#define SEXTANT_THROWS
#include "app_kernels.hpp"

int main() {
  sextant::Device device = sextant::Device::open();
  sextant::Stream stream = device.defaultStream();
  const int n = 2;
  sextant::Array<float> x(device, std::vector<float>{1, 2}), y(device, std::vector<float>{0, 0}),
      z(device, std::vector<float>{5, 5});
  SNIPPET
  // y: 2 x of the launch and 3 x of the prepared one; the graph writes to z.
  return y.read() == std::vector<float>{5, 10} && z.read() == std::vector<float>{7, 9} ? 0 : 1;
}
