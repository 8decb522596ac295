// use-cpp FILE.sxt: doubles three numbers on the processor.
#define SEXTANT_THROWS
#include <sextant/sextant.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main(int count, char **values) {
  if (count != 2)
    return 2;
  try {
    sextant::Device device = sextant::Device::open("cpu");
    sextant::Program program(sextant::Module::open(values[1]), device);
    sextant::Array<int32_t> x(device, std::vector<int32_t>{1, -2, 1000});
    program.kernel("double")(device.defaultStream(), x);
    return x.read() == std::vector<int32_t>{2, -4, 2000} ? 0 : 1;
  } catch (const sextant::Error &error) {
    std::puts(error.what());
    return 1;
  }
}
