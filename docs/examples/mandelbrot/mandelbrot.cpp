// Draws a part of the Mandelbrot set:
//   mandelbrot [--out picture.png] [--x CENTRE] [--y CENTRE] [--width OF THE PICTURE] [--device
//   NAME]
// All pixels are compared with the same loop in plain C++.
#define SEXTANT_THROWS // errors are exceptions here
#include "Colors.h"
#include "Example.h"
#include "Picture.h"
#include "mandelbrot_kernels.hpp"

#include <cmath>
#include <cstdio>

namespace {

constexpr int width = 800, height = 500, limit = 400; // limit as in kernels.py

int roundsOf(float cx, float cy) {
  float x = 0, y = 0, xx = 0, yy = 0;
  int rounds = 0;
  while (rounds < limit && xx + yy <= 256) {
    y = 2 * x * y;
    y += cy;
    x = xx - yy + cx;
    xx = x * x;
    yy = y * y;
    ++rounds;
  }
  return rounds;
}

/// A colour that goes on smoothly where the number of rounds jumps.
uint32_t colorOf(int rounds, double square) {
  if (rounds == limit)
    return rgb(0, 0, 0.02);
  const double t = std::sqrt(std::max(0.0, rounds + 1 - std::log2(0.5 * std::log2(square))) / 5);
  return rgb(0.5 - 0.5 * std::cos(1.3 * t), 0.5 - 0.5 * std::cos(1.3 * t - 0.35),
             0.55 - 0.45 * std::cos(1.3 * t - 1.0));
}

void mandelbrot(const Options &options) {
  const float pixel = float(options.number("width", 4) / width);
  const float left = float(options.number("x", -0.7)) - pixel * width / 2;
  const float top = float(options.number("y", 0)) + pixel * height / 2;

  const sextant::Device device = sextant::Device::open(options.get("device"));
  const mandelbrot_kernels kernels(device);
  const sextant::Stream stream = device.defaultStream();
  sextant::Array<int32_t, 2> counts(device, {height, width});
  sextant::Array<float, 2> squares(device, {height, width});
  kernels.escape(stream, counts, squares, left, top, pixel); // loads the kernel, too
  stream.synchronize();
  const Clock clock;
  kernels.escape(stream, counts, squares, left, top, pixel);
  stream.synchronize();
  const double time = clock.milliseconds();

  const std::vector<int32_t> found = counts.read();
  const std::vector<float> far = squares.read();
  Picture picture{width, height, {}};
  int64_t rounds = 0, inside = 0, different = 0;
  for (int i = 0; i < width * height; ++i) {
    const int32_t count = found[size_t(i)];
    picture.pixels.push_back(colorOf(count, double(far[size_t(i)])));
    rounds += count;
    inside += count == limit;
    // Products and sums in statements of their own: no compiler makes an fma of them.
    float cx = float(i % width) * pixel, cy = float(i / width) * pixel;
    cx = left + cx;
    cy = top - cy;
    different += count != roundsOf(cx, cy);
  }
  std::printf("%d x %d pixels on %s: %.1f ms, %.0f million rounds a second\n", width, height,
              device.name().c_str(), time, double(rounds) / time / 1e3);
  std::printf("%lld pixels belong to the set\n", static_cast<long long>(inside));
  if (!options.get("out").empty())
    writePng(options.get("out"), picture);
  expectAtMost("pixels that differ from plain C++", double(different), 0);
}

} // namespace

int main(int count, char **words) {
  return runExample(count, words, mandelbrot, {"x", "y", "width"});
}
