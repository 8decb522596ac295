// snippet: loader-api.md cpp 9
#define SEXTANT_THROWS
#include "app_kernels.hpp"

int main() {
  sextant::Device device = sextant::Device::open("cpu");
  sextant::Stream stream = device.defaultStream();
  app_kernels kernels(device);
  const sextant::Program &program = kernels.sextantProgram();
  alignas(64) float positions[4] = {1, 2, 3, 4};
  const uint64_t bytes = sizeof positions;
  sxt_buffer *buffer = nullptr;
  SNIPPET
  stream.synchronize();
  sxt_buffer_release(buffer);
  return positions[0] == 2 && positions[3] == 5 ? 0 : 1;
}
