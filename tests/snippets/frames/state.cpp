// snippet: loader-api.md cpp 4
#define SEXTANT_THROWS
#include "app_kernels.hpp"

struct MyContacts {
  const sextant::Array<int32_t, 0> &count;
  const sextant::Array<float> &normal;
};
struct MyState {
  MyContacts contacts;
  const sextant::Array<float> &mass;
  float dt;
};

int main() {
  sextant::Device device = sextant::Device::open();
  sextant::Stream stream = device.defaultStream();
  app_kernels kernels(device);
  const int n = 2;
  sextant::Array<int32_t, 0> count(device, 0);
  sextant::Array<float> normal(device, std::vector<float>{1, 2}), mass(device, std::vector<float>{10, 10});
  const MyState myState = {{count, normal}, mass, 2};
  auto launch = kernels.advance.prepare(myState, n);
  SNIPPET
  launch.enqueue(stream);
  return mass.read() == std::vector<float>{12.75f, 15.5f} ? 0 : 1; // 0.5 + 2 + 0.25 times normal
}
