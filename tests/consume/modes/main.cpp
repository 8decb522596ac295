#include <cstdio>
#include <sextant/sextant.hpp>

float runFirst(const sextant::Device &device);
float runSecond(const sextant::Device &device);

int main() {
  const sextant::Device device = sextant::Device::open("cpu");
  std::printf("%g %g\n", double(runFirst(device)), double(runSecond(device)));
}
