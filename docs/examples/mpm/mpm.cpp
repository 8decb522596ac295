// The simulation of mpm.py without Python: its kernels, as `sextant freeze` recorded them, and
// their fields, which are memory of the module: mpm [--steps N] [--out picture.png] [--device NAME]
#define SEXTANT_THROWS // errors are exceptions here
#include "Picture.h"
#include "mpm_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

namespace {

using Points = std::vector<sextant::Vector<float, 2>>;

constexpr float gravity = 9.8f;

struct Options {
  int steps = 3000;
  std::string picture, device;
};

Options parse(int count, char **words) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i], value = i + 1 < count ? words[i + 1] : "";
    if (name == "--steps" && !value.empty())
      options.steps = std::stoi(value);
    else if (name == "--out" && !value.empty())
      options.picture = value;
    else if (name == "--device" && !value.empty())
      options.device = value;
    else
      throw std::runtime_error("usage: mpm [--steps N] [--out picture.png] [--device NAME]");
  }
  return options;
}

void printMean(const char *name, const Points &points, size_t begin, size_t end) {
  double x = 0, y = 0;
  for (size_t i = begin; i < end; ++i) {
    x += points[i][0];
    y += points[i][1];
  }
  std::printf("%s at [%.4f %.4f]", name, x / double(end - begin), y / double(end - begin));
}

/// Water blue, jelly red, on white.
Picture draw(const Points &points) {
  constexpr int size = 400;
  Picture picture{size, size, std::vector<uint32_t>(size_t(size) * size, 0xffffffff)};
  for (size_t i = 0; i < points.size(); ++i) {
    const int column = int(points[i][0] * size), row = size - 1 - int(points[i][1] * size);
    for (int r = std::max(row - 1, 0); r < std::min(row + 1, size); ++r)
      for (int c = std::max(column - 1, 0); c < std::min(column + 1, size); ++c)
        picture.pixels[size_t(r) * size + size_t(c)] =
            i < points.size() / 2 ? 0xffd07030 : 0xff4040d0; // little-endian RGBA
  }
  return picture;
}

void simulate(const Options &options) {
  const sextant::Device device =
      options.device.empty() ? sextant::Device::open() : sextant::Device::open(options.device);
  mpm_kernels kernels(device);
  const sextant::Stream stream = device.defaultStream();
  kernels.place(stream);
  for (int i = 0; i < options.steps; ++i)
    kernels.step(stream, gravity);
  stream.synchronize();

  Points points(6000);
  kernels.sextantProgram().read("x", points);
  printMean("water", points, 0, points.size() / 2);
  std::printf(", ");
  printMean("jelly", points, points.size() / 2, points.size());
  std::printf("\n");
  if (!options.picture.empty())
    writePng(options.picture, draw(points));
}

} // namespace

int main(int count, char **words) {
  try {
    simulate(parse(count, words));
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "mpm: %s\n", error.what());
    return 1;
  }
}
