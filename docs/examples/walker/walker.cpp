// Soft robots learn to walk, by the gradient of how far they come: a C++ program without Python.
//   walker [--out walker.svg] [--device NAME] [--robots 16] [--iterations 80] [--steps 1000]
// Each robot begins with its own weights, and follows its own gradient. Gradients are compared with
// central differences, before and after.
#define SEXTANT_THROWS // errors are exceptions here
#include "Drawing.h"
#include "Example.h"
#include "walker_kernels.hpp"

#include <sextant/tape.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>

namespace {

using Point = sextant::Vector<double, 2>;
using Waves = sextant::Vector<double, 4>;
using Spring = walker_kernels::Spring;

constexpr double cell = 0.1, step = 0.004;

/// Points and springs of a robot. It stands on the ground, with its middle at x = 0.
struct Body {
  std::vector<Point> points;
  std::vector<Spring> springs;
};

/// Makes a robot of squares: their edges are muscles, their diagonals are not.
Body bodyOf(const std::vector<std::string> &rows) {
  Body body;
  std::map<std::pair<size_t, size_t>, int32_t> known;
  auto point = [&](size_t row, size_t column) {
    const auto [place, isNew] = known.try_emplace({row, column}, int32_t(known.size()));
    if (isNew)
      body.points.push_back({{double(column) * cell, double(rows.size() - row) * cell}});
    return place->second;
  };
  std::map<std::pair<int32_t, int32_t>, double> muscles;
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t column = 0; column < rows[row].size(); ++column) {
      if (rows[row][column] != '#')
        continue;
      const int32_t a = point(row, column), b = point(row, column + 1);
      const int32_t c = point(row + 1, column), d = point(row + 1, column + 1);
      for (const auto &[from, to] : {std::pair{a, b}, {a, c}, {b, d}, {c, d}})
        muscles[std::minmax(from, to)] = 1;
      for (const auto &[from, to] : {std::pair{a, d}, {b, c}})
        muscles[std::minmax(from, to)] = 0;
    }
  double middle = 0;
  for (const Point &p : body.points)
    middle += p[0] / double(body.points.size());
  for (Point &p : body.points)
    p[0] -= middle;
  for (const auto &[ends, muscle] : muscles) {
    const Point &a = body.points[size_t(ends.first)], &b = body.points[size_t(ends.second)];
    body.springs.push_back({ends.first, ends.second, std::hypot(a[0] - b[0], a[1] - b[1]), muscle});
  }
  return body;
}

/// Robots of one body on a device, each with weights of its own.
class Robots {
public:
  Robots(const sextant::Device &device, const Body &body, int64_t count, int64_t steps)
      : count(count), steps(steps), weights(device, {count, int64_t(body.springs.size())}),
        device(device), stream(device.defaultStream()), module(walker_kernels::sextantModule()),
        kernels(module, device), pull(module, kernels.sextantProgram(), "pull"),
        touch(module, kernels.sextantProgram(), "touch"),
        move(module, kernels.sextantProgram(), "move"),
        measure(module, kernels.sextantProgram(), "measure"), springs(device, body.springs),
        x(device, {count, int64_t(body.points.size())}), v(device, x.shape()),
        force(device, x.shape()), mean(device, weights.shape()), square(device, weights.shape()),
        loss(device, count) {
    for (int64_t i = 0; i < count; ++i)
      start.insert(start.end(), body.points.begin(), body.points.end());
    mean.clear();
    square.clear();
  }

  /// Walks, and returns each robot's loss: the less, the further. Calls `look(points)` at `looks`
  /// times from the start to the end, with the points of all robots.
  template <class Look> std::vector<double> walk(int64_t looks, Look look) {
    begin();
    const int64_t apart = std::max<int64_t>(1, steps / std::max<int64_t>(1, looks - 1));
    for (int64_t i = 0; i <= steps; ++i) {
      if (looks > 0 && i % apart == 0)
        look(x.read());
      if (i == steps)
        break;
      kernels.pull(stream, springs, weights, x, v, force, double(i) * step);
      kernels.touch(stream, x, v, force);
      kernels.move(stream, x, v, force);
    }
    kernels.measure(stream, x, loss);
    return loss.read();
  }
  std::vector<double> walk() {
    return walk(0, [](const std::vector<Point> &) {});
  }

  /// Walks, and returns the slope of each robot's loss by its weights.
  std::vector<Waves> slope() {
    sextant::Tape tape(device);
    record(tape);
    std::vector<Waves> result(size_t(count * weights.shape()[1]));
    tape.readGradient(stream, weights, sextant::Span<Waves>(result));
    return result;
  }
  /// Walks, and changes the weights to come further.
  std::vector<double> learn(int iteration, double rate) {
    sextant::Tape tape(device);
    record(tape);
    kernels.learn(stream, weights, tape.gradient(stream, weights), mean, square, iteration, rate);
    return loss.read();
  }

  const int64_t count, steps;
  const sextant::Array<Waves, 2> weights; // robot, spring

private:
  void begin() {
    x.write(start);
    v.clear();
    force.clear();
    loss.clear();
  }
  void record(sextant::Tape &tape) {
    begin();
    auto forward = [&](int64_t i) {
      tape.launch(pull, stream, springs, weights, x, v, force, double(i) * step);
      tape.launch(touch, stream, x, v, force);
      tape.launch(move, stream, x, v, force);
    };
    tape.checkpoint(steps, forward, {.snapshots = 32, .every = 32});
    tape.launch(measure, stream, x, loss);
    tape.backward(stream, loss); // one for each robot: they do not meet
  }

  std::vector<Point> start;
  const sextant::Device &device;
  sextant::Stream stream;
  sextant::Module module;
  walker_kernels kernels;
  sextant::DifferentiableKernel pull, touch, move, measure;
  sextant::Array<Spring> springs;
  sextant::Array<Point, 2> x, v, force;
  sextant::Array<Waves, 2> mean, square;
  sextant::Array<double> loss;
};

/// The largest difference of the gradient from central differences of some weights, as a part of
/// the robot's largest slope. One walk tries a weight of every robot.
double differenceOf(Robots &robots, const Body &body) {
  const std::vector<Waves> slope = robots.slope();
  const std::vector<Waves> weights = robots.weights.read();
  const size_t count = body.springs.size();
  std::vector<double> largest(size_t(robots.count));
  for (size_t i = 0; i < slope.size(); ++i)
    for (unsigned k = 0; k < 4; ++k)
      largest[i / count] = largerError(largest[i / count], std::abs(slope[i][k]));
  constexpr double nudge = 1e-6;
  double worst = 0;
  for (const size_t spring : {count / 5, count / 2, count - 3}) {
    const unsigned k = spring % 4;
    std::array<std::vector<double>, 2> losses;
    for (const int side : {0, 1}) {
      std::vector<Waves> tried = weights;
      for (size_t i = spring; i < tried.size(); i += count)
        tried[i][k] += side == 0 ? -nudge : nudge;
      robots.weights.write(tried);
      losses[size_t(side)] = robots.walk();
    }
    for (size_t robot = 0; robot < largest.size(); ++robot) {
      const double known = (losses[1][robot] - losses[0][robot]) / (2 * nudge);
      worst =
          largerError(worst, std::abs(slope[robot * count + spring][k] - known) / largest[robot]);
    }
  }
  robots.weights.write(weights);
  return worst;
}

/// Draws four poses of a robot's walk, on the ground at the height `ground`.
void drawWalk(Drawing &drawing, Robots &robots, const Body &body, size_t robot, double ground,
              const std::string &title) {
  constexpr double scale = 145, left = 70;
  drawing.text({20, ground - 90}, title);
  drawing.lines({{{20, ground + 1}, {700, ground + 1}}}, "stroke=\"#963\" stroke-width=\"2\"");
  int pose = 0;
  robots.walk(4, [&](const std::vector<Point> &points) {
    std::vector<std::vector<Drawing::Point>> bones, muscles;
    for (const Spring &spring : body.springs) {
      std::vector<Drawing::Point> ends;
      for (const int32_t end : {spring.a, spring.b}) {
        const Point &at = points[robot * body.points.size() + size_t(end)];
        ends.push_back({left + at[0] * scale, ground - at[1] * scale});
      }
      (spring.muscle > 0 ? muscles : bones).push_back(ends);
    }
    constexpr std::array shades = {"#bcd", "#9ac", "#69b", "#258"};
    drawing.lines(bones, "stroke=\"#ccc\" stroke-width=\"0.7\"");
    drawing.lines(muscles, std::string("stroke-width=\"1.5\" stroke=\"") +
                               shades[size_t(pose++) % shades.size()] + '"');
  });
}

void walker(const Options &options) {
  const sextant::Device device = sextant::Device::open(options.get("device"));
  const Body body = bodyOf({"######", "######", "##..##", "##..##"});
  const auto iterations = int(options.number("iterations", 80));
  Robots robots(device, body, int64_t(options.number("robots", 16)),
                int64_t(options.number("steps", 1000)));
  const auto count = size_t(robots.count);
  std::mt19937 random(5);
  std::vector<Waves> weights(count * body.springs.size());
  for (Waves &each : weights)
    for (unsigned k = 0; k < 4; ++k)
      each[k] = 0.4 * (double(random()) / 4294967296.0 - 0.5);
  robots.weights.write(weights);
  const double before = differenceOf(robots, body);

  std::vector<std::vector<double>> losses(count); // a list for each robot
  const Clock clock;
  for (int i = 0; i < iterations; ++i) {
    const std::vector<double> loss = robots.learn(i + 1, 0.02 * (1 - double(i) / iterations));
    for (size_t robot = 0; robot < count; ++robot)
      losses[robot].push_back(loss[robot]);
    const auto [best, worst] = std::minmax_element(loss.begin(), loss.end());
    std::printf("%3d: the best loss is %.3f, the worst %.3f\n", i, *best, *worst);
  }
  std::printf("%zu robots of %zu springs, %d walks of %lld steps on %s: %.2f s\n", count,
              body.springs.size(), iterations, (long long)robots.steps, device.name().c_str(),
              clock.milliseconds() / 1000);
  const double after = differenceOf(robots, body);

  if (!options.get("out").empty()) {
    const std::vector<double> loss = robots.walk();
    const auto best = size_t(std::min_element(loss.begin(), loss.end()) - loss.begin());
    Drawing drawing(720, 480);
    drawWalk(drawing, robots, body, best, 270, "the best, after");
    robots.weights.write(weights);
    drawWalk(drawing, robots, body, best, 120, "before");
    std::swap(losses[best], losses.back()); // the last curve is bold
    drawing.curves({60, 320}, {640, 130}, losses,
                   "the loss of each robot, by iterations: metres to the left");
    drawing.write(options.get("out"));
  }
  expectAtMost("slopes before, off by a part of", before, 1e-6);
  // Good walks are sensitive: the order in which threads add up forces shows after 1000 steps.
  expectAtMost("slopes after, off by a part of", after, 1e-2);
}

} // namespace

int main(int count, char **words) {
  return runExample(count, words, walker, {"robots", "iterations", "steps"});
}
