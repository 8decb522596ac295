// Draws a scene by marching along rays: marcher [--out picture.png] [--device NAME]
// Where a ray meets the ball is known; the test compares all pixels of it.
#define SEXTANT_THROWS // errors are exceptions here
#include "Example.h"
#include "Picture.h"
#include "marcher_kernels.hpp"

#include <cmath>
#include <cstdio>

namespace {

struct Vec {
  double x, y, z;
};
Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec operator*(double by, Vec a) { return {by * a.x, by * a.y, by * a.z}; }
double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec cross(Vec a, Vec b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Vec unit(Vec a) { return 1 / std::sqrt(dot(a, a)) * a; }

constexpr int width = 800, height = 480;
constexpr Vec eye = {0.5, 2.1, -6.0}, middle = {0, 0.8, 0}, ball = {-1.6, 1, 0}; // its radius is 1

/// How far the ray of a pixel goes to the ball; 0 where it misses it, or touches its rim.
double distanceToBall(int row, int column) {
  const Vec forward = unit(middle + -1.0 * eye), right = unit(cross(forward, {0, 1, 0}));
  const double x = (2.0 * column + 1 - width) / height, y = (height - 2.0 * row - 1) / height;
  const Vec direction = unit(forward + 0.4 * (x * right + y * cross(right, forward)));
  const Vec toBall = ball + -1.0 * eye;
  const double along = dot(toBall, direction);
  const double inside = 1 - (dot(toBall, toBall) - along * along);
  return inside > 0.02 ? along - std::sqrt(inside) : 0;
}

void marcher(const Options &options) {
  const sextant::Device device = sextant::Device::open(options.get("device"));
  const marcher_kernels kernels(device);
  const sextant::Stream stream = device.defaultStream();
  sextant::Array<uint32_t, 2> pixels(device, {height, width});
  sextant::Array<float, 2> depths(device, {height, width});

  const Clock clock;
  kernels.draw(stream, pixels, depths,
               sextant::Vector<float, 3>{{float(eye.x), float(eye.y), float(eye.z)}});
  stream.synchronize();
  std::printf("%d x %d pixels on %s: %.1f ms\n", width, height, device.name().c_str(),
              clock.milliseconds());
  if (!options.get("out").empty())
    writePng(options.get("out"), Picture{width, height, pixels.read()});

  const std::vector<float> found = depths.read();
  double worst = 0;
  int seen = 0;
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column)
      if (const double known = distanceToBall(row, column); known > 0) {
        ++seen;
        worst = largerError(worst, std::abs(double(found[size_t(row * width + column)]) - known));
      }
  std::printf("%d pixels show the ball\n", seen);
  // A ray ends closer than 2e-4 to the surface; the rim, where it is slanted, makes more of it.
  expectAtMost("distance to the ball, off by", worst, 2e-3);
}

} // namespace

int main(int count, char **words) { return runExample(count, words, marcher); }
