// Two galaxies pass each other: nbody [--out picture.png] [--device NAME] [--steps N]
// Energy and momentum have to stay what they are, up to the method's error.
#define SEXTANT_THROWS // errors are exceptions here
#include "Colors.h"
#include "Example.h"
#include "Picture.h"
#include "nbody_kernels.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <random>

namespace {

using Body = sextant::Vector<float, 4>;
using Vec3 = sextant::Vector<float, 3>;
constexpr int tile = 256, tiles = 16, count = tile * tiles;
constexpr float dt = 0.004f;

struct Bodies {
  std::vector<Body> places;
  std::vector<Vec3> speeds;
};

/// A disc of stars that go around a heavy body.
void addGalaxy(Bodies &all, int stars, std::array<double, 3> at, std::array<double, 3> speed,
               double tilt, std::mt19937 &random) {
  auto uniform = [&] { return double(random() % (1u << 24)) / (1u << 24); };
  constexpr double heavy = 1, light = 2e-5, softening = 0.03; // softening as in kernels.py
  for (int i = 0; i < stars; ++i) {
    const double r = i == 0 ? 0 : 0.12 + 0.75 * std::sqrt(uniform()), angle = uniform() * 6.2831853;
    const double pull = std::sqrt(heavy / std::pow(r * r + softening * softening, 1.5));
    const double x = r * std::cos(angle), y = r * std::sin(angle), z = 0.02 * (uniform() - 0.5);
    auto turned = [&](double u, double v, double w, const std::array<double, 3> &base) {
      return std::array<float, 3>{float(base[0] + u),
                                  float(base[1] + v * std::cos(tilt) - w * std::sin(tilt)),
                                  float(base[2] + v * std::sin(tilt) + w * std::cos(tilt))};
    };
    const auto p = turned(x, y, z, at), v = turned(-y * pull, x * pull, 0, speed);
    all.places.push_back({{p[0], p[1], p[2], float(i == 0 ? heavy : light)}});
    all.speeds.push_back({{v[0], v[1], v[2]}});
  }
}

struct Total {
  double energy = 0, momentum[3] = {}, moving = 0; ///< moving: the sum of all speeds times masses
};
Total totalOf(const Bodies &all) {
  Total total;
  for (size_t i = 0; i < all.places.size(); ++i) {
    const Body &a = all.places[i];
    double square = 0;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const double v = double(all.speeds[i][axis]);
      square += v * v;
      total.momentum[axis] += double(a[3]) * v;
    }
    total.energy += 0.5 * double(a[3]) * square;
    total.moving += double(a[3]) * std::sqrt(square);
    for (size_t j = 0; j < i; ++j) {
      const Body &b = all.places[j];
      double d = 0.03 * 0.03;
      for (unsigned axis = 0; axis < 3; ++axis)
        d += (double(a[axis]) - double(b[axis])) * (double(a[axis]) - double(b[axis]));
      total.energy -= double(a[3]) * double(b[3]) / std::sqrt(d);
    }
  }
  return total;
}

/// Every body adds a spot of light; the two galaxies have colours of their own.
Picture draw(const std::vector<Body> &bodies) {
  constexpr int width = 800, height = 500;
  std::vector<std::array<double, 3>> light(size_t(width) * height);
  for (size_t i = 0; i < bodies.size(); ++i) {
    const bool first = i < bodies.size() * 5 / 8, heavy = bodies[i][3] > 0.5f;
    const double x = width / 2 + double(bodies[i][0]) * 210,
                 y = height / 2 - double(bodies[i][1]) * 210;
    const int reach = heavy ? 24 : 5;
    const double spread = heavy ? 30 : 1.5, power = heavy ? 1.6 : 0.8;
    for (int row = int(y) - reach; row <= int(y) + reach; ++row)
      for (int column = int(x) - reach; column <= int(x) + reach; ++column) {
        if (row < 0 || row >= height || column < 0 || column >= width)
          continue;
        const double d = (row - y) * (row - y) + (column - x) * (column - x);
        const double more = power * std::exp(-d / spread);
        auto &at = light[size_t(row) * width + size_t(column)];
        at[0] += more * (first ? 0.55 : 1.0);
        at[1] += more * 0.70;
        at[2] += more * (first ? 1.0 : 0.45);
      }
  }
  Picture picture{width, height, {}};
  for (const auto &at : light)
    picture.pixels.push_back(
        rgb(0.01 + 1 - std::exp(-at[0]), 0.01 + 1 - std::exp(-at[1]), 0.03 + 1 - std::exp(-at[2])));
  return picture;
}

void nbody(const Options &options) {
  std::mt19937 random(1);
  Bodies all;
  addGalaxy(all, count * 5 / 8, {-0.9, -0.35, 0}, {0.42, -0.10, 0}, 0.5, random);
  addGalaxy(all, count * 3 / 8, {0.9, 0.35, 0}, {-0.42, 0.10, 0}, -0.9, random);

  const sextant::Device device = sextant::Device::open(options.get("device"));
  const nbody_kernels kernels(device);
  const sextant::Stream stream = device.defaultStream();
  sextant::Array<Body> bodies(device, sextant::Span<const Body>(all.places));
  sextant::Array<Vec3> velocity(device, sextant::Span<const Vec3>(all.speeds));
  sextant::Array<Vec3> acceleration(device, count);
  acceleration.clear();
  kernels.step(stream, bodies, velocity, acceleration, 0.0f, tiles); // the forces at the start
  const Total before = totalOf(all);

  const int steps = int(options.number("steps", 330));
  stream.synchronize();
  const Clock clock;
  for (int i = 0; i < steps; ++i)
    kernels.step(stream, bodies, velocity, acceleration, dt, tiles);
  stream.synchronize();
  std::printf("%d bodies, %d steps on %s: %.0f million pairs a second\n", count, steps,
              device.name().c_str(), double(count) * count * steps / clock.milliseconds() / 1e3);
  all = {bodies.read(), velocity.read()};
  if (!options.get("out").empty())
    writePng(options.get("out"), draw(all.places));

  const Total after = totalOf(all);
  double lost = 0;
  for (int axis = 0; axis < 3; ++axis)
    lost = largerError(lost, std::abs(after.momentum[axis] - before.momentum[axis]));
  expectAtMost("energy changed by a part of", std::abs(after.energy / before.energy - 1), 5e-3);
  expectAtMost("momentum changed by a part of", lost / before.moving, 1e-4);
}

} // namespace

int main(int argumentCount, char **words) {
  return runExample(argumentCount, words, nbody, {"steps"});
}
