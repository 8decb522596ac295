// The program that windows.sh traces: runs a kernel of kernels.py with the arguments that gdb.sh
// gives it on Linux, from 0 up.
//   traced MODULE steps|lanes|blocks
#define SEXTANT_THROWS
#include <sextant/sextant.hpp>

#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

template <class T> static std::vector<T> iota(size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

int main(int count, char **values) {
  if (count != 3)
    return 2;
  const std::string name = values[2];
  try {
    const sextant::Device device = sextant::Device::open("cpu");
    const sextant::Program program(sextant::Module::open(values[1]), device);
    if (name == "steps") {
      const sextant::Array<float> x(device, iota<float>(3));
      const sextant::Array<double, 2> y(device, {3, 2});
      y.write(iota<double>(6));
      program.kernel(name)(device.defaultStream(), 3, 2.0f, x, y);
    } else {
      const sextant::Array<int32_t> x(device, iota<int32_t>(name == "lanes" ? 8 : 4));
      program.kernel(name)(device.defaultStream(), x);
    }
    device.synchronize();
  } catch (const sextant::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
