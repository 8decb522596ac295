// A disc of particles hits others at rest: particles [--out picture.png] [--device NAME]
// Momentum and energy have to stay what they are.
#define SEXTANT_THROWS // errors are exceptions here
#include "Colors.h"
#include "Example.h"
#include "Picture.h"
#include "particles_kernels.hpp"

#include <cmath>
#include <cstdio>

namespace {

using Vec2 = sextant::Vector<float, 2>;
constexpr int side = 128, cells = 80, steps = 700; // cells as in kernels.py
constexpr float dt = 1.5e-4f;

struct Total {
  double momentumX = 0, momentumY = 0, energy = 0;
};
Total totalOf(const std::vector<Vec2> &v, const std::vector<float> &potential) {
  Total total;
  for (size_t i = 0; i < v.size(); ++i) {
    const double vx = v[i][0], vy = v[i][1];
    total.momentumX += vx;
    total.momentumY += vy;
    total.energy += 0.5 * (vx * vx + vy * vy) + double(potential[i]);
  }
  return total;
}

/// Each particle as a dot, lighter where it is faster.
Picture draw(const std::vector<Vec2> &x, const std::vector<Vec2> &v) {
  constexpr int size = 640;
  Picture picture{size, size, std::vector<uint32_t>(size_t(size) * size, rgb(0.02, 0.03, 0.06))};
  for (size_t i = 0; i < x.size(); ++i) {
    const double speed = std::hypot(double(v[i][0]), double(v[i][1]));
    const int column = int(double(x[i][0]) * size), row = int((1 - double(x[i][1])) * size);
    for (int r = row - 2; r <= row + 1; ++r)
      for (int c = column - 2; c <= column + 1; ++c)
        if (std::hypot(r - row + 0.5, c - column + 0.5) < 2) {
          const size_t y = size_t(r + size) % size, z = size_t(c + size) % size;
          picture.pixels[y * size + z] = heat(0.22 + 0.78 * std::min(1.0, speed / 2.2));
        }
  }
  return picture;
}

void particles(const Options &options) {
  const sextant::Device device = sextant::Device::open(options.get("device"));
  const particles_kernels kernels(device);
  const sextant::Stream stream = device.defaultStream();

  std::vector<Vec2> x, v;
  for (int i = 0; i < side * side; ++i) { // rows in a triangular lattice
    const int row = i / side, column = i % side;
    const float px = (float(column) + 0.25f + 0.5f * float(row % 2)) / side;
    const float py = (float(row) + 0.5f) / side;
    const bool thrown = std::hypot(px - 0.25f, py - 0.5f) < 0.11f;
    x.push_back({{px, py}});
    v.push_back({{thrown ? 4.0f : 0.0f, 0.0f}});
  }
  const int64_t count = side * side, squares = cells * cells;
  sextant::Array<Vec2> points(device, sextant::Span<const Vec2>(x));
  sextant::Array<Vec2> speeds(device, sextant::Span<const Vec2>(v)), force(device, count);
  sextant::Array<float> energy(device, count);
  sextant::Array<uint32_t> starts(device, squares), ends(device, squares), order(device, count),
      scratch(device, squares / 256 + 3);
  force.clear();

  auto step = [&](float by) {
    kernels.step(stream, points, speeds, force, energy, starts, ends, order, scratch, by);
  };
  step(0.0f); // the forces at the start
  const Total before = totalOf(speeds.read(), energy.read());
  const Clock clock;
  for (int i = 0; i < steps; ++i)
    step(dt);
  stream.synchronize();
  const double time = clock.milliseconds();
  v = speeds.read();
  const Total after = totalOf(v, energy.read());
  std::printf("%d particles, %d steps on %s: %.2f ms a step\n", side * side, steps,
              device.name().c_str(), time / steps);
  if (!options.get("out").empty())
    writePng(options.get("out"), draw(points.read(), v));
  expectAtMost("momentum changed by a part of",
               std::hypot(after.momentumX - before.momentumX, after.momentumY - before.momentumY) /
                   before.momentumX,
               1e-4);
  expectAtMost("energy changed by a part of", std::abs(after.energy / before.energy - 1), 5e-3);
}

} // namespace

int main(int count, char **words) { return runExample(count, words, particles); }
