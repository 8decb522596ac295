// snippet: loader-api.md cpp 5
#define SEXTANT_THROWS
#include "grain_kernels.hpp"
using app_kernels = grain_kernels;

int main() {
  sextant::Device device = sextant::Device::open();
  sextant::Stream stream = device.defaultStream();
  grain_kernels kernels(device);
  SNIPPET
  return grains.read()[0].pos[2] == 6 ? 0 : 1;
}
