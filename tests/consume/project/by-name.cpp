// Launches by name from a module file, with exceptions: by-name FILE.sxt [offset]
#define SEXTANT_THROWS
#include <sextant/sextant.hpp>

#include <cstdio>
#include <cstdlib>

int main(int count, char **values) {
  try {
    float offset = count > 2 ? static_cast<float>(std::atoi(values[2])) : 1;
    sextant::Device device = sextant::Device::open("cpu");
    sextant::Program program(sextant::Module::open(values[1]), device);
    sextant::Array<float> x(device, std::vector<float>{1, 2, 3}), y(device, 3);
    y.clear();
    program.kernel("axpy")(device.defaultStream(), 2.0f, x, y);
    if (y.read() != std::vector<float>{2 + offset, 4 + offset, 6 + offset})
      return 1;
    // Wrong arguments are an error with a message.
    try {
      program.kernel("axpy")(device.defaultStream(), 2, x, y);
      return 1;
    } catch (const sextant::Error &error) {
      std::printf("by-name: good (and: %s)\n", error.what());
    }
    return 0;
  } catch (const sextant::Error &error) {
    std::printf("by-name: %s\n", error.what());
    return 1;
  }
}
