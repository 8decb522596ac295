// Blurs a picture and draws its edges: filters --in IN.png [--out OUT.png] [--device NAME]
// The picture that it writes shows, side by side, the input, the blur and the edges.
#define SEXTANT_THROWS // errors are exceptions here
#include "Example.h"
#include "Picture.h"
#include "filters_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

constexpr int tile = 16, radius = 5; // as in kernels.py
constexpr double sigma = 2;

double level(const Picture &picture, int row, int column, int part) {
  row = std::clamp(row, 0, int(picture.height) - 1);
  column = std::clamp(column, 0, int(picture.width) - 1);
  return picture.pixels[size_t(row) * picture.width + size_t(column)] >> (8 * part) & 255;
}

/// The blur as its formula has it: all weights of two axes, in doubles.
double blurred(const Picture &in, int row, int column, int part) {
  double sum = 0, weights = 0;
  for (int y = -radius; y <= radius; ++y)
    for (int x = -radius; x <= radius; ++x) {
      const double weight = std::exp(-0.5 * (x * x + y * y) / (sigma * sigma));
      sum += weight * level(in, row + y, column + x, part);
      weights += weight;
    }
  return sum / weights;
}

double edge(const Picture &in, int row, int column, int) {
  auto light = [&](int y, int x) {
    return 0.299 * level(in, y, x, 0) + 0.587 * level(in, y, x, 1) + 0.114 * level(in, y, x, 2);
  };
  double across = 0, down = 0;
  for (int k = -1; k <= 1; ++k) {
    across += (2 - std::abs(k)) * (light(row + k, column + 1) - light(row + k, column - 1));
    down += (2 - std::abs(k)) * (light(row + 1, column + k) - light(row - 1, column + k));
  }
  return std::max(0.0, 255 - std::hypot(across, down));
}

using Reference = double (*)(const Picture &, int row, int column, int part);

/// The largest distance of a part of a pixel from its value in doubles, in levels.
double distance(const Picture &in, const Picture &out, Reference reference) {
  double worst = 0;
  for (int row = 0; row < int(in.height); ++row)
    for (int column = 0; column < int(in.width); ++column)
      for (int part = 0; part < 3; ++part)
        worst = largerError(
            worst, std::abs(level(out, row, column, part) - reference(in, row, column, part)));
  return worst;
}

void filters(const Options &options) {
  const Picture in = readPng(options.get("in", "in.png"));
  const sextant::Device device = sextant::Device::open(options.get("device"));
  const filters_kernels kernels(device);
  const sextant::Stream stream = device.defaultStream();
  const sextant::Array<uint32_t, 2>::Shape shape = {in.height, in.width};
  sextant::Array<uint32_t, 2> pixels(device, shape), out(device, shape);
  pixels.write(in.pixels);

  const int across = (int(in.width) + tile - 1) / tile, down = (int(in.height) + tile - 1) / tile;
  Picture soft = in, lines = in;
  kernels.blur(stream, pixels, out, across, across * down);
  soft.pixels = out.read();
  kernels.edges(stream, pixels, out);
  lines.pixels = out.read();
  std::printf("%u x %u pixels on %s\n", in.width, in.height, device.name().c_str());

  Picture shown = in;
  for (size_t i = 0; i < shown.pixels.size(); ++i) {
    const size_t part = i % in.width * 3 / in.width;
    shown.pixels[i] = (part == 0 ? in : part == 1 ? soft : lines).pixels[i];
  }
  if (!options.get("out").empty())
    writePng(options.get("out"), shown);
  // A level is rounded to a whole number: half of one, and what f32 adds.
  expectAtMost("blur, levels from plain C++", distance(in, soft, blurred), 0.51);
  expectAtMost("edges, levels from plain C++", distance(in, lines, edge), 0.51);
}

} // namespace

int main(int count, char **words) { return runExample(count, words, filters, {"in"}); }
