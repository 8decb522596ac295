// snippet: freeze.md cpp 1
#define SEXTANT_THROWS
#include "mpm_kernels.hpp"

int main() {
  sextant::Device device = sextant::Device::open();
  sextant::Stream stream = device.defaultStream();
  const int steps = 2;
  SNIPPET
  return points[0][0] > 0 && points[0][0] < 1 ? 0 : 1; // in the box
}
