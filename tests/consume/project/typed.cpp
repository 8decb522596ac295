// Launches through the generated header and the embedded module.
#include "kernels.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

static void expect(bool good, const char *what) {
  if (good)
    return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

int main(int count, char **values) {
  float offset = count > 1 ? static_cast<float>(std::atoi(values[1])) : 1;
  sextant::Device device = sextant::Device::open("cpu");
  kernels program(device);
  sextant::Stream stream = device.defaultStream();

  std::vector<float> x(1000), y(1000);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 0.5f;
  }
  sextant::Array<float> dx(device, x), dy(device, y);
  program.axpy(stream, 2.0f, dx, dy);
  y = dy.read();
  for (size_t i = 0; i < x.size(); ++i)
    expect(y[i] == 2 * x[i] + offset + 1.5f, "axpy");

  std::vector<int32_t> grid(12);
  for (int i = 0; i < 12; ++i)
    grid[static_cast<size_t>(i)] = i;
  sextant::Array<int32_t, 2> matrix(device, {3, 4});
  matrix.write(grid);
  expect(program.total(stream, matrix) == 66, "total");

  sextant::Array<int32_t> list(device, 12);
  list.write(grid);
  program.count(stream, list);
  std::vector<int32_t> counts(4);
  program.sextantProgram.read("counts", std::span<int32_t>(counts));
  expect(counts == std::vector<int32_t>{3, 3, 3, 3}, "count");
  expect(program.counts().size() == 4, "field");
  std::puts("typed: good");
}
