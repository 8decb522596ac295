// Draws a hazy landscape, the same one every time: make-picture OUT.png [width height].
// Low contrast, gradients, texture and sensor noise: what equalisation is for.
#include "Picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

struct Color {
  double r, g, b;
};
Color mix(Color left, Color right, double amount) {
  amount = std::clamp(amount, 0.0, 1.0);
  return {left.r + (right.r - left.r) * amount, left.g + (right.g - left.g) * amount,
          left.b + (right.b - left.b) * amount};
}
Color scale(Color color, double by) { return {color.r * by, color.g * by, color.b * by}; }

/// A fixed pseudo-random number in [0, 1) for each grid point.
double hashNoise(int x, int y, unsigned seed) {
  uint32_t h = static_cast<uint32_t>(x) * 374761393u + static_cast<uint32_t>(y) * 668265263u +
               seed * 2246822519u;
  h = (h ^ h >> 13) * 1274126177u;
  return double((h ^ h >> 16) & 0xffffff) / double(0x1000000);
}

/// Smooth noise in [0, 1).
double smoothNoise(double x, double y, unsigned seed) {
  int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
  double u = x - left, v = y - top;
  u = u * u * (3 - 2 * u);
  v = v * v * (3 - 2 * v);
  double above = hashNoise(left, top, seed) * (1 - u) + hashNoise(left + 1, top, seed) * u;
  double below = hashNoise(left, top + 1, seed) * (1 - u) + hashNoise(left + 1, top + 1, seed) * u;
  return above * (1 - v) + below * v;
}

/// Octaves of smooth noise: clouds, ridges, grass.
double fractal(double x, double y, unsigned seed, int octaves) {
  double sum = 0, weight = 0.5;
  for (int octave = 0; octave < octaves; ++octave, weight /= 2, x *= 2, y *= 2)
    sum += weight * smoothNoise(x, y, seed + static_cast<unsigned>(octave));
  return sum;
}

Color sky(double x, double y) {
  Color color = mix({0.35, 0.52, 0.80}, {0.93, 0.86, 0.74}, y / 0.55);
  double cloud = fractal(x * 4 + 3, y * 11, 11, 6);
  color = mix(color, {0.97, 0.95, 0.93}, (cloud - 0.46) * 4);
  double dx = x - 1.12, dy = y - 0.16, distance = std::sqrt(dx * dx + dy * dy);
  return mix(color, {1.0, 0.97, 0.86}, std::exp(-distance * 9) + (distance < 0.045 ? 1 : 0));
}

/// Height of ridge `layer` (0: the farthest) at x, from the top.
double ridge(double x, int layer) {
  double base = 0.44 + 0.065 * layer;
  return base - 0.21 * (fractal(x * (1.6 + layer * 0.7), layer * 7.3, 40u + layer, 6) - 0.45);
}

Color hill(double x, double y, int layer) {
  double slope = (ridge(x + 0.004, layer) - ridge(x - 0.004, layer)) / 0.008;
  double light = 0.62 + 0.38 * std::tanh(-slope * 1.6);
  double depth = y - ridge(x, layer);
  double texture = fractal(x * 60, y * 90, 90u + layer, 4);
  Color rock = mix({0.24, 0.30, 0.18}, {0.46, 0.42, 0.33}, texture * 1.4 - 0.2);
  Color lit = scale(rock, light * (0.75 + 0.5 * texture) * (1 - 0.3 * std::exp(-depth * 30)));
  return mix(lit, {0.74, 0.78, 0.84}, 0.72 - 0.17 * layer); // haze
}

Color land(double x, double y) {
  Color color = sky(x, y);
  for (int layer = 0; layer < 4; ++layer)
    if (y > ridge(x, layer))
      color = hill(x, y, layer);
  return color;
}

Color water(double x, double y) {
  double depth = (y - 0.72) / 0.28;
  double ripple = fractal(x * 18 / (0.2 + depth), y * 240 / (0.5 + depth), 200, 4) - 0.47;
  Color mirrored = land(x + ripple * 0.03 * (1 + depth), 1.44 - y + ripple * 0.05);
  return mix(scale(mirrored, 0.82), {0.10, 0.20, 0.26}, 0.25 + 0.35 * depth);
}

/// A lighthouse on the shore: straight edges, a shaded cylinder, a bright lamp.
bool lighthouse(double x, double y, Color &color) {
  double dx = x - 0.34, half = 0.016 + (y - 0.40) * 0.022;
  if (y < 0.372 || y > 0.735 || std::abs(dx) > half + 0.006)
    return false;
  double round = std::sqrt(std::max(0.0, 1 - dx / half * (dx / half)));
  if (y < 0.40) {
    if (std::abs(dx) > 0.013)
      return false;
    color = y < 0.382 ? Color{0.30, 0.10, 0.10} : Color{1.0, 0.96, 0.70};
    return true;
  }
  if (std::abs(dx) > half)
    return false;
  bool red = static_cast<int>((y - 0.40) / 0.055) % 2 == 0;
  Color paint = red ? Color{0.66, 0.18, 0.15} : Color{0.90, 0.89, 0.85};
  color = scale(paint, 0.45 + 0.55 * std::clamp(round * (0.6 + 12 * dx), 0.0, 1.0));
  return true;
}

Color scene(double x, double y) {
  Color color;
  if (lighthouse(x, y, color))
    return color;
  double shore = 0.72 + 0.012 * (fractal(x * 9, 1, 300, 3) - 0.45);
  return y > shore ? water(x, y) : land(x, y);
}

/// Haze and a careless exposure: levels crowd between a third and two thirds.
uint32_t develop(Color color, int x, int y) {
  double grain = hashNoise(x, y, 900) + hashNoise(x, y, 901) - 1;
  double values[] = {color.r, color.g, color.b};
  uint32_t pixel = 0xff000000u;
  for (int each = 0; each < 3; ++each) {
    double value = 0.30 + 0.33 * std::clamp(values[each], 0.0, 1.2) + 0.012 * grain;
    pixel |= static_cast<uint32_t>(std::clamp(value * 255 + 0.5, 0.0, 255.0)) << (8 * each);
  }
  return pixel;
}

Picture draw(uint32_t width, uint32_t height) {
  Picture picture{width, height, {}};
  picture.pixels.reserve(size_t(width) * height);
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x)
      picture.pixels.push_back(develop(scene((x + 0.5) / height, (y + 0.5) / height),
                                       static_cast<int>(x), static_cast<int>(y)));
  return picture;
}

} // namespace

int main(int count, char **values) {
  int width = count == 4 ? std::atoi(values[2]) : 1200;
  int height = count == 4 ? std::atoi(values[3]) : 800;
  if ((count != 2 && count != 4) || width < 1 || height < 1 || width > 20000 || height > 20000) {
    std::fprintf(stderr, "usage: make-picture OUT.png [width height]\n");
    return 2;
  }
  try {
    writePng(values[1], draw(static_cast<uint32_t>(width), static_cast<uint32_t>(height)));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "make-picture: %s\n", error.what());
    return 1;
  }
}
