// sextant::Tape: gradients of computations of several launches.
#define SEXTANT_THROWS
#include "sextant/tape.hpp"
#include "tests/support/Catch.h"

#include <cmath>

using sextant::Array;
using sextant::DifferentiableKernel;
using sextant::Tape;
using Values = std::vector<double>;

namespace {

struct Place {
  sextant::Device device = sextant::Device::open(); // SEXTANT_DEVICE names it
  sextant::Module module = sextant::Module::open(SEXTANT_TAPE_MODULE);
  sextant::Program program{module, device};
  sextant::Stream stream = device.createStream();

  DifferentiableKernel kernel(const char *name) const { return {module, program, name}; }
  Array<double> array(const Values &values) const { return {device, values}; }
  Values read(const Array<double> &array) const { return array.read(stream.get()); }
  Values gradient(Tape &tape, const Array<double> &array) const {
    Values values(size_t(array.size()));
    tape.readGradient(stream, array, sextant::Span<double>(values));
    return values;
  }
};

std::string messageOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const sextant::Error &error) {
    return error.what();
  }
  return "";
}

/// A chain of springs, whose energy of motion is the loss after some steps.
struct Chain : Place {
  DifferentiableKernel pull = kernel("pull"), move = kernel("move"), product = kernel("product");
  static constexpr double dt = 0.05;
  Array<double> x, v, stiffness, loss;

  explicit Chain(double hardness = 2)
      : x(array(begin())), v(array(Values(5, 0))), stiffness(array({hardness})), loss(array({0})) {}
  static Values begin() { return {0.5, -0.2, 0.3, 0.1, -0.4}; }
  void step(Tape &tape) {
    tape.launch(pull, stream, x, v, stiffness, dt);
    tape.launch(move, stream, x, v, dt);
  }
  /// The same on the host.
  static double simulate(Values x, double hardness, int steps) {
    Values v(x.size(), 0);
    const auto at = [&](size_t i) { return i < x.size() ? x[i] : 0.0; };
    for (int step = 0; step < steps; ++step) {
      for (size_t i = 0; i < x.size(); ++i) {
        const double left = x[i] - at(i - 1), right = at(i + 1) - x[i];
        v[i] += dt * hardness * (right + right * right * right - left - left * left * left);
      }
      for (size_t i = 0; i < x.size(); ++i)
        x[i] += dt * v[i];
    }
    double sum = 0;
    for (double each : v)
      sum += each * each;
    return sum;
  }
};

} // namespace

TEST_CASE("gradients go back through launches that overwrite their arrays") {
  Place place;
  const DifferentiableKernel square = place.kernel("square"), total = place.kernel("total");
  Array<double> x = place.array({1, 2, -3}), y = place.array({0, 0, 0}), loss = place.array({0});
  Tape tape(place.device);
  tape.launch(square, place.stream, x, y); // x^2
  tape.launch(square, place.stream, y, x); // x^4
  tape.launch(square, place.stream, x, y); // x^8
  tape.launch(total, place.stream, y, loss);
  CHECK(tape.size() == 4);
  CHECK(tape.keptBytes() == 2 * 24); // x before it is x^4, y before it is x^8
  tape.backward(place.stream, loss);
  CHECK(place.gradient(tape, x) == Values{8, 8 * 128, 8 * -2187.0});
  CHECK(place.read(x) == Values{1, 16, 81}); // as they were before backward()
  CHECK(place.read(y) == Values{1, 256, 6561});
  CHECK(place.read(loss) == Values{1 + 256 + 6561});
  CHECK(place.gradient(tape, loss) == Values{1});

  tape.backward(place.stream, loss); // once more: gradients begin at zero
  CHECK(place.gradient(tape, x) == Values{8, 8 * 128, 8 * -2187.0});
  tape.reset();
  CHECK(tape.size() == 0);
  CHECK(tape.keptBytes() == 0);
  CHECK(messageOf([&] { tape.backward(place.stream, loss); }) == "the tape has recorded no launch");
}

TEST_CASE("a gradient takes what its own kernel has overwritten") {
  Place place;
  const DifferentiableKernel advance = place.kernel("advance"), total = place.kernel("total");
  constexpr double dt = 0.1;
  const Values begin = {0.5, -1.5, 2}, speed = {1, 0.25, -3};
  Array<double> x = place.array(begin), v = place.array(speed), loss = place.array({0});
  Values slopes; // the derivatives by x of its sum after three steps
  for (size_t i = 0; i < begin.size(); ++i) {
    std::vector<double> at = {begin[i]};
    double fast = speed[i];
    for (int step = 0; step < 3; ++step) {
      fast -= dt * at.back() * at.back() * at.back();
      at.push_back(at.back() + dt * fast);
    }
    double byX = 1, byV = 0;
    for (int step = 3; step-- > 0;) {
      byV += dt * byX;
      byX -= 3 * dt * at[size_t(step)] * at[size_t(step)] * byV;
    }
    slopes.push_back(byX);
  }
  Tape tape(place.device);
  for (int step = 0; step < 3; ++step)
    tape.launch(advance, place.stream, x, v, dt);
  const Values after = place.read(x);
  tape.launch(total, place.stream, x, loss);
  CHECK(tape.keptBytes() == 3 * 24);
  tape.backward(place.stream, loss);
  const Values found = place.gradient(tape, x);
  for (size_t i = 0; i < slopes.size(); ++i)
    CHECK(std::abs(found[i] - slopes[i]) < 1e-14);
  CHECK(place.read(x) == after);

  Tape none(place.device, /*keepCopies=*/false);
  CHECK(messageOf([&] { none.launch(advance, place.stream, x, v, dt); }) ==
        "'x' is overwritten by kernel 'advance', and the gradient of this launch reads it");
}

TEST_CASE("a launch that needs no copy has none") {
  Place place;
  const DifferentiableKernel scale = place.kernel("scale"), total = place.kernel("total");
  Array<double> x = place.array({1, 2}), loss = place.array({0});
  Tape tape(place.device, false);
  for (int i = 0; i < 10; ++i)
    tape.launch(scale, place.stream, 3.0, x); // linear: its gradient does not read x
  tape.launch(total, place.stream, x, loss);
  CHECK(tape.keptBytes() == 0);
  tape.backward(place.stream, loss);
  CHECK(place.gradient(tape, x) == Values{59049, 59049}); // 3^10

  const DifferentiableKernel square = place.kernel("square");
  Array<double> y = place.array({0, 0});
  tape.launch(square, place.stream, x, y);
  CHECK(messageOf([&] { tape.launch(scale, place.stream, 3.0, x); }) ==
        "'x' is overwritten by kernel 'scale', and the gradient of an earlier launch reads it");
  CHECK(place.read(x) == Values{59049, 2 * 59049}); // it was not launched
}

TEST_CASE("results are numbers of the host, which have no derivative on a tape") {
  Place place;
  const DifferentiableKernel moments = place.kernel("moments");
  Tape tape(place.device);
  const Array<double> x = place.array({1, 2, -3}), y = place.array({0, 0, 0});
  tape.launch(moments, place.stream, x, y);
  const Array<double> ofY = place.array({1, 10, 100});
  tape.setGradient(y, ofY);
  tape.backward(place.stream);
  CHECK(place.gradient(tape, x) == Values{2, 40, -600});
}

TEST_CASE("several results and gradients of the application") {
  Place place;
  const DifferentiableKernel square = place.kernel("square");
  Array<double> x = place.array({1, 2}), y = place.array({0, 0}), z = place.array({0, 0});
  Array<double> ofX = place.array({100, 200}), ofZ = place.array({1, 10});
  Tape tape(place.device);
  tape.setGradient(x, ofX);
  tape.launch(square, place.stream, x, y);
  tape.launch(square, place.stream, y, z);
  tape.setGradient(z, ofZ);
  tape.backward(place.stream);
  CHECK(place.read(ofX) == Values{104, 200 + 10 * 4 * 8});
  CHECK(place.read(ofZ) == Values{0, 0}); // there is none by what a store overwrites
}

TEST_CASE("one array as several arguments, and parts of an array") {
  Place place;
  const DifferentiableKernel product = place.kernel("product");
  Array<double> x = place.array({1, 2, 3, 4, 5}), loss = place.array({0});
  const auto part = [&](int64_t begin, int64_t count) {
    return sextant::ArrayView<double>{x.buffer().get(), {count}, uint64_t(begin) * sizeof(double)};
  };
  Tape tape(place.device);
  tape.launch(product, place.stream, x, x, loss);                   // sum of x[i]^2
  tape.launch(product, place.stream, part(0, 4), part(1, 4), loss); // sum of x[i] x[i + 1]
  tape.backward(place.stream, loss);
  CHECK(place.gradient(tape, x) == Values{2 + 2, 4 + 4, 6 + 6, 8 + 8, 10 + 4});
  CHECK(
      messageOf([&] { tape.launch(product, place.stream, x, loss, loss); }) ==
      "kernel 'product': 'y' and 'loss' share memory that it writes, so it has no gradient: pass a "
      "copy");
}

TEST_CASE("a gradient refuses arrays that share memory if one of them is written") {
  Place place;
  const sextant::Kernel gradient = place.program.kernel("product.grad");
  Array<double> x = place.array({1, 2, 3, 4}), y = place.array({5, 6, 7, 8}),
                loss = place.array({0, 0}), ofX = place.array({0, 0, 0, 0, 0}),
                ofY = place.array({0, 0, 0, 0}), ofLoss = place.array({1});
  const auto part = [](const Array<double> &of, int64_t begin, int64_t count) {
    return sextant::ArrayView<double>{of.buffer().get(), {count}, uint64_t(begin) * sizeof(double)};
  };
  const auto launch = [&](const auto &...arguments) {
    return messageOf([&] { gradient(place.stream, arguments...); });
  };
  const std::string kernel = "kernel 'product_grad', argument ";
  // Two gradients, or a part of one.
  CHECK(launch(x, y, loss, ofX, ofX, ofLoss) ==
        kernel + "4 'y.grad': it shares memory with 'x.grad': pass a copy");
  CHECK(launch(x, y, loss, part(ofX, 0, 4), part(ofX, 3, 2), ofLoss) ==
        kernel + "4 'y.grad': it shares memory with 'x.grad': pass a copy");
  // A gradient and what it is of, and what the kernel writes and what it reads.
  CHECK(launch(x, y, loss, ofX, y, ofLoss) ==
        kernel + "4 'y.grad': it shares memory with 'y': pass a copy");
  CHECK(launch(x, y, part(y, 3, 1), ofX, ofY, ofLoss) ==
        kernel + "2 'loss': it shares memory with 'y': pass a copy");
  CHECK(place.read(ofX) == Values(5, 0));
  CHECK(place.read(y) == Values{5, 6, 7, 8});
  // An array and a field.
  sxt_buffer *weight = nullptr;
  sextant::check(sxt_program_global_buffer(place.program.get(), "weight", &weight));
  const sextant::ArrayView<double> field{weight, {4}, 0};
  const sextant::Kernel weigh = place.program.kernel("weigh.grad");
  CHECK(messageOf([&] { weigh(place.stream, field, loss, ofX, ofLoss); }) ==
        "kernel 'weigh_grad', argument 0 'x': it shares memory with 'weight': pass a copy");
  // One array that is only read, neighbours, and arrays without elements.
  CHECK(launch(x, x, loss, part(ofX, 0, 4), ofY, ofLoss) == "");
  CHECK(place.read(ofX) == Values{1, 2, 3, 4, 0});
  CHECK(place.read(ofY) == Values{1, 2, 3, 4});
  CHECK(launch(part(x, 0, 2), part(x, 2, 2), loss, part(ofX, 0, 2), part(ofX, 2, 2), ofLoss) == "");
  CHECK(place.read(ofX) == Values{1 + 3, 2 + 4, 3 + 1, 4 + 2, 0});
  CHECK(launch(part(x, 1, 0), x, loss, part(ofX, 1, 0), ofX, ofLoss) == "");
}

TEST_CASE("fields, and kernels without a gradient") {
  Place place;
  const DifferentiableKernel weigh = place.kernel("weigh"), gather = place.kernel("gather"),
                             countUp = place.kernel("count_up"), halve = place.kernel("halve");
  Array<double> x = place.array({1, 2, 3, 4}), y = place.array({0, 0, 0, 0}),
                loss = place.array({0});
  Array<int32_t> index(place.device, std::vector<int32_t>{0, 0, 1, 2});
  place.program.write("weight", Values{1, 10, 100, 1000});
  Tape tape(place.device);
  tape.launch(gather, place.stream, x, index, y);
  tape.launch(weigh, place.stream, y, loss);
  tape.launch(countUp, place.stream, index); // its old content is what the gradient goes by
  CHECK(messageOf([&] { tape.launch(halve, place.stream, y); }) ==
        "kernel 'halve' has no gradient in its module: build it by --kernel 'halve.grad', or tell "
        "the "
        "tape that its arrays are overwritten");
  for (int again = 0; again < 2; ++again) {
    tape.backward(place.stream, loss);
    Values ofWeight(4);
    place.stream.synchronize();
    place.program.read("weight.grad", ofWeight);
    CHECK(ofWeight == Values{1, 1, 2, 3});
    CHECK(place.gradient(tape, x) == Values{11, 100, 1000, 0});
    CHECK(index.read() == std::vector<int32_t>{1, 1, 2, 3});
  }
}

TEST_CASE("kernels of which the module says nothing may use all memory") {
  namespace recording = sextant::recording;
  Place place;
  const auto square = std::make_shared<recording::Kernel>();
  sextant::check(square->open(place.module.get(), place.program.get(), "square"));
  for (recording::Parameter &each : square->parameters)
    each.access = {};
  Array<double> x = place.array({1, 2, -3}), y = place.array({0, 0, 0});
  recording::Recording recorded(place.device.get(), true);
  sxt_stream *stream = place.stream.get();
  const auto launch = [&](const Array<double> &from, const Array<double> &to) {
    const sxt_argument arguments[] = {sextant::toArgument(from), sextant::toArgument(to)};
    sextant::check(recorded.before(square, stream, arguments, 2));
    place.program.kernel("square")(place.stream, from, to);
    recorded.after();
  };
  launch(x, y);
  launch(y, x);
  launch(x, y);
  CHECK(recorded.keptBytes() == 4 * 24); // both arrays, before each launch but the first
  recording::Range ofX, ofY;
  sextant::check(recording::placeOf(sextant::toArgument(x), ofX));
  sextant::check(recording::placeOf(sextant::toArgument(y), ofY));
  sextant::check(recorded.backward(&ofY, stream));
  Values slope(3);
  sextant::check(recorded.readGradient(ofX, slope.data(), 24, stream));
  CHECK(slope == Values{8, 8 * 128, 8 * -2187.0});
  CHECK(place.read(x) == Values{1, 16, 81});
}

TEST_CASE("what the application overwrites has no gradient before") {
  Place place;
  const DifferentiableKernel square = place.kernel("square"), total = place.kernel("total");
  Array<double> x = place.array({3}), y = place.array({0}), loss = place.array({0});
  Tape tape(place.device);
  tape.launch(square, place.stream, x, y);
  tape.launch(total, place.stream, y, loss); // 9
  tape.overwrites(place.stream, x);
  x.write(Values{5}, place.stream.get());
  tape.launch(square, place.stream, x, y);
  tape.launch(total, place.stream, y, loss); // 25
  tape.backward(place.stream, loss);
  CHECK(place.gradient(tape, x) == Values{6}); // that by the first x
  CHECK(place.read(x) == Values{5});
}

TEST_CASE("launches in several streams") {
  Place place;
  const DifferentiableKernel square = place.kernel("square"), product = place.kernel("product");
  const size_t count = 100000;
  Array<double> x = place.array(Values(count, 3)), y = place.array(Values(count, 0)),
                z = place.array(Values(count, 0)), loss = place.array({0});
  const sextant::Stream other = place.device.createStream();
  sextant::Event first(place.device), second(place.device);
  Tape tape(place.device);
  tape.launch(square, place.stream, x, y);
  tape.launch(square, other, x, z);
  second.record(other);
  place.stream.wait(second);
  tape.launch(product, place.stream, y, z, loss); // x^4
  tape.backward(other, loss);
  first.record(other);
  place.stream.wait(first);
  CHECK(place.gradient(tape, x) == Values(count, 4 * 27));
}

TEST_CASE("a chain of springs against differences") {
  const int steps = 40;
  Chain chain;
  Tape tape(chain.device);
  for (int i = 0; i < steps; ++i)
    chain.step(tape);
  tape.launch(chain.product, chain.stream, chain.v, chain.v, chain.loss);
  tape.backward(chain.stream, chain.loss);
  CHECK(std::abs(chain.read(chain.loss)[0] - Chain::simulate(Chain::begin(), 2, steps)) < 1e-12);
  const Values ofX = chain.gradient(tape, chain.x);
  const double h = 1e-5;
  for (size_t i = 0; i < 5; ++i) {
    Values more = Chain::begin(), less = more;
    more[i] += h, less[i] -= h;
    const double slope =
        (Chain::simulate(more, 2, steps) - Chain::simulate(less, 2, steps)) / (2 * h);
    CHECK(std::abs(ofX[i] - slope) < 1e-7);
  }
  const double slope = (Chain::simulate(Chain::begin(), 2 + h, steps) -
                        Chain::simulate(Chain::begin(), 2 - h, steps)) /
                       (2 * h);
  CHECK(std::abs(chain.gradient(tape, chain.stiffness)[0] - slope) < 1e-7);
}

TEST_CASE("loops are as recordings of all steps, bit by bit") {
  const int steps = 1000;
  Chain whole;
  Tape full(whole.device);
  for (int i = 0; i < steps; ++i)
    whole.step(full);
  full.launch(whole.product, whole.stream, whole.v, whole.v, whole.loss);
  CHECK(full.keptBytes() == 40 * steps); // x, before each move()
  full.backward(whole.stream, whole.loss);

  const sextant::Checkpoints all[] = {{32, 1}, {1, 100}, {10, 7}, {1000, 1}, {3, 1000}};
  for (const sextant::Checkpoints &checkpoints : all) {
    Chain chain;
    Tape tape(chain.device);
    int64_t runs = 0;
    tape.checkpoint(
        steps,
        [&](int64_t) {
          ++runs;
          chain.step(tape);
        },
        checkpoints);
    CHECK(runs == steps);
    tape.launch(chain.product, chain.stream, chain.v, chain.v, chain.loss);
    for (int again = 0; again < 2; ++again) {
      tape.backward(chain.stream, chain.loss);
      CHECK(chain.gradient(tape, chain.x) == whole.gradient(full, whole.x));
      CHECK(chain.gradient(tape, chain.stiffness) == whole.gradient(full, whole.stiffness));
      CHECK(chain.read(chain.x) == whole.read(whole.x));
      CHECK(chain.read(chain.v) == whole.read(whole.v));
    }
    // x and v of each snapshot, x of each recorded step, x and v at the end; and the gradients of
    // v and of the loss, while product() has v twice.
    CHECK(tape.mostKeptBytes() <= 80 * (std::min<uint64_t>(checkpoints.snapshots, 1000) + 1) +
                                      40 * std::min<uint64_t>(uint64_t(checkpoints.every), 1000) +
                                      48);
  }
}

TEST_CASE("loops run as few steps again as can be") {
  // The least number of steps that are run on the way to others: Griewank and Walther's recursion.
  const size_t most = 60;
  std::vector<Values> least(6, Values(most + 1, 0));
  for (size_t slots = 1; slots < least.size(); ++slots)
    for (size_t steps = 2; steps <= most; ++steps) {
      double best = double(steps * (steps - 1) / 2);
      for (size_t first = 1; slots > 1 && first < steps; ++first)
        best =
            std::min(best, double(first) + least[slots - 1][steps - first] + least[slots][first]);
      least[slots][steps] = best;
    }
  Chain chain;
  for (const size_t slots : {1, 2, 3, 5})
    for (const size_t steps : {1, 2, 3, 10, 37, 60}) {
      Tape tape(chain.device);
      size_t runs = 0;
      tape.checkpoint(int64_t(steps),
                      [&](int64_t) {
                        ++runs;
                        chain.step(tape);
                      },
                      {slots, 1});
      tape.launch(chain.product, chain.stream, chain.v, chain.v, chain.loss);
      tape.backward(chain.stream, chain.loss);
      // On the way forward the steps after the last snapshot are run too, and each is recorded.
      size_t snapshots = slots, left = steps;
      while (snapshots > 1 && left > 1)
        left -= size_t(sextant::recording::stepsToSnapshot(int64_t(left), int64_t(snapshots--)));
      CHECK(runs == size_t(least[slots][steps]) + left + steps);
    }
}

TEST_CASE("loops in loops") {
  const int steps = 24;
  Chain whole;
  Tape full(whole.device);
  for (int i = 0; i < steps; ++i)
    whole.step(full);
  full.launch(whole.product, whole.stream, whole.v, whole.v, whole.loss);
  full.backward(whole.stream, whole.loss);

  Chain chain;
  Tape tape(chain.device);
  tape.checkpoint(
      4, [&](int64_t) { tape.checkpoint(6, [&](int64_t) { chain.step(tape); }, {2, 1}); }, {2, 1});
  tape.launch(chain.product, chain.stream, chain.v, chain.v, chain.loss);
  tape.backward(chain.stream, chain.loss);
  CHECK(chain.gradient(tape, chain.x) == whole.gradient(full, whole.x));
}

TEST_CASE("loops over several streams") {
  const int steps = 50;
  const Values begin(2000, 0.01);
  Chain whole, chain;
  whole.x = whole.array(begin), whole.v = whole.array(Values(begin.size(), 0));
  chain.x = chain.array(begin), chain.v = chain.array(Values(begin.size(), 0));
  Tape full(whole.device), tape(chain.device);
  for (int i = 0; i < steps; ++i)
    whole.step(full);
  full.launch(whole.product, whole.stream, whole.v, whole.v, whole.loss);
  full.backward(whole.stream, whole.loss);

  const sextant::Stream other = chain.device.createStream();
  const sextant::Event pulled(chain.device), moved(chain.device);
  tape.checkpoint(steps,
                  [&](int64_t) {
                    tape.launch(chain.pull, chain.stream, chain.x, chain.v, chain.stiffness,
                                Chain::dt);
                    pulled.record(chain.stream);
                    other.wait(pulled);
                    tape.launch(chain.move, other, chain.x, chain.v, Chain::dt);
                    moved.record(other);
                    chain.stream.wait(moved);
                  },
                  {4, 3});
  tape.launch(chain.product, chain.stream, chain.v, chain.v, chain.loss);
  tape.backward(other, chain.loss);
  moved.record(other);
  chain.stream.wait(moved);
  CHECK(chain.gradient(tape, chain.x) == whole.gradient(full, whole.x));
  CHECK(chain.read(chain.x) == whole.read(whole.x));
}

TEST_CASE("a step that throws leaves a tape that says so") {
  Chain chain;
  Tape tape(chain.device);
  CHECK_THROWS_AS(tape.checkpoint(3,
                                  [&](int64_t i) {
                                    if (i == 2)
                                      throw std::runtime_error("enough");
                                    chain.step(tape);
                                  }),
                  std::runtime_error);
  CHECK(messageOf([&] { tape.backward(chain.stream, chain.loss); }) ==
        "the step of a loop failed: reset the tape");
  tape.reset();
  chain.step(tape);
  CHECK(messageOf([&] { tape.backward(chain.stream, chain.loss); }) ==
        "no recorded launch has a gradient by this array");
}
