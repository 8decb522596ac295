// Two layers of a fluid pass each other and roll up: fluid [--out picture.png] [--device NAME]
// First a vortex whose decay is known (Taylor and Green): exp(-2 nu k^2 t).
#define SEXTANT_THROWS // errors are exceptions here
#include "Colors.h"
#include "Example.h"
#include "Picture.h"
#include "fluid_kernels.hpp"

#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

namespace {

using Vec2 = sextant::Vector<float, 2>;
using Start = std::function<Vec2(double x, double y)>; // x and y from 0 to 1

/// A square of fluid on a device.
class Fluid {
public:
  Fluid(const sextant::Device &device, int64_t side, double viscosity, const Start &start)
      : kernels(device), stream(device.defaultStream()), size(side),
        relaxation(float(1 / (3 * viscosity + 0.5))), velocity(device, {side, side}),
        here(device, {9, side, side}), next(device, {9, side, side}) {
    std::vector<Vec2> values;
    for (int64_t i = 0; i < side * side; ++i)
      values.push_back(start(double(i % side) / double(side), double(i / side) / double(side)));
    velocity.write(values);
    kernels.start(stream, velocity, here);
  }

  void advance(int steps) {
    for (int i = 0; i < steps; ++i) {
      kernels.step(stream, here, next, velocity, relaxation);
      std::swap(here, next);
    }
    stream.synchronize();
  }

  std::vector<Vec2> velocities() const { return velocity.read(); }
  /// The mean of what the density is beyond 1.
  double meanDensity() const {
    double sum = 0;
    for (const float value : here.read())
      sum += double(value);
    return sum / double(size * size);
  }

private:
  fluid_kernels kernels;
  sextant::Stream stream;
  int64_t size;
  float relaxation;
  sextant::Array<Vec2, 2> velocity;
  sextant::Array<float, 3> here, next;
};

/// How far the vortex's velocity is from the known one, as a part of that.
double errorOfDecay(const sextant::Device &device) {
  constexpr int side = 64, steps = 800;
  constexpr double viscosity = 0.02, k = 2 * std::numbers::pi, speed = 0.02;
  auto vortex = [](double x, double y) {
    return Vec2{{float(speed * std::cos(k * x) * std::sin(k * y)),
                 float(-speed * std::sin(k * x) * std::cos(k * y))}};
  };
  Fluid fluid(device, side, viscosity, vortex);
  fluid.advance(steps + 1); // the velocity is that before the last collision
  const double left = std::exp(-2 * viscosity * (k / side) * (k / side) * steps);
  const std::vector<Vec2> found = fluid.velocities();
  double worst = 0;
  for (int i = 0; i < side * side; ++i) {
    const Vec2 known =
        vortex(double(i % side) / side, double(i) / side / side - double(i % side) / side / side);
    for (unsigned axis = 0; axis < 2; ++axis)
      worst =
          largerError(worst, std::abs(double(found[size_t(i)][axis]) - left * double(known[axis])));
  }
  return worst / (left * speed);
}

/// The curl of the velocity: blue turns to the right, red to the left.
Picture draw(const std::vector<Vec2> &u, int side) {
  Picture picture{uint32_t(side), uint32_t(side), {}};
  auto at = [&](int row, int column) {
    return u[size_t((row + side) % side) * size_t(side) + size_t((column + side) % side)];
  };
  for (int row = side - 1; row >= 0; --row)
    for (int column = 0; column < side; ++column) {
      const double curl = double(at(row, column + 1)[1]) - double(at(row, column - 1)[1]) -
                          double(at(row + 1, column)[0]) + double(at(row - 1, column)[0]);
      picture.pixels.push_back(blueRed(curl * 60));
    }
  return picture;
}

void fluid(const Options &options) {
  const sextant::Device device = sextant::Device::open(options.get("device"));
  const double error = errorOfDecay(device);

  constexpr int side = 512;
  const int steps = int(options.number("steps", 7000));
  constexpr double speed = 0.08;
  Fluid layers(device, side, 0.002, [](double x, double y) {
    const double along = std::tanh(60 * (y < 0.5 ? y - 0.25 : 0.75 - y));
    const double nudge =
        std::sin(2 * std::numbers::pi * (x + 0.25)) + 0.4 * std::sin(6 * std::numbers::pi * x);
    return Vec2{{float(speed * along), float(0.05 * speed * nudge)}};
  });
  const Clock clock;
  layers.advance(steps);
  std::printf("%d x %d cells, %d steps on %s: %.0f million cells a second\n", side, side, steps,
              device.name().c_str(), double(side) * side * steps / clock.milliseconds() / 1e3);
  if (!options.get("out").empty())
    writePng(options.get("out"), draw(layers.velocities(), side));
  expectAtMost("velocity of a decaying vortex, off by a part of", error, 0.01);
  expectAtMost("mass changed by a part of", std::abs(layers.meanDensity()), 1e-5);
}

} // namespace

int main(int count, char **words) { return runExample(count, words, fluid, {"steps"}); }
