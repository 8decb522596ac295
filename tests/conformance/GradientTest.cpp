// Gradients as memory: `x.grad` of arrays, fields and structs; see kernels/gradients.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Floats = std::vector<float>;

void arguments(Run &run) {
  auto x = run.array(Floats{1, 2, 3}), xGradient = run.array(Floats{100, 100, 100});
  auto unused = run.zeros<float>(3), y = run.zeros<float>(3);
  auto yGradient = run.array(Floats{1, 10, 0.5f});
  // The gradient of an array is the argument after it, where the kernel uses it.
  run.launch("squares", x, xGradient, unused, y, yGradient);
  expectSame("y", y.read(), Floats{1, 4, 9});
  expectSame("x.grad", xGradient.read(), Floats{102, 140, 103});
  expectSame("x", x.read(), Floats{1, 2, 3});
  expectSame("y.grad", yGradient.read(), Floats{1, 10, 0.5f});
}

void fields(Run &run) {
  auto out = run.zeros<float>(4);
  run.launch("of_fields", out);
  Floats wanted;
  for (int i = 0; i < 4; ++i)
    wanted.push_back(10 * float(i + 1) + 150 + (float(i) + 0.25f) + 2.5f * float(i) + 3 * float(i) +
                     1000 * float(i));
  expectSame("out", out.read(), wanted);
  Floats line(4), gradient(4);
  run.program.read("line", line);
  run.program.read("line.grad", gradient);
  expectSame("line", line, Floats{1, 2, 3, 4});
  expectSame("line.grad", gradient, Floats{10, 20, 30, 40});
}

void members(Run &run) {
  auto x = run.array(Floats{1, 2, 3, 4}), gradient = run.zeros<float>(4);
  Floats positions(8), loss{2};
  for (size_t i = 0; i < 8; ++i)
    positions[i] = float(i);
  run.program.write("Solver.particles.pos", positions);
  run.program.write("Solver.particles.grad.pos", Floats(8, 0));
  run.program.write("Solver.loss.grad", loss);
  run.launch("Solver_step", x, gradient);
  expectSame("x.grad", gradient.read(), Floats{12, 18, 0, 0}); // 3 (1 + 3), 3 (2 + 4)
  Floats wanted;
  for (const float position : positions)
    wanted.push_back(2 * position);
  run.program.read("Solver.particles.grad.pos", positions);
  expectSame("particles.grad.pos", positions, wanted);
}

} // namespace

void addGradientCases(std::vector<Case> &cases) {
  cases.push_back({"gradients", "gradients of arrays", arguments});
  cases.push_back({"gradients", "gradients of fields", fields});
  cases.push_back({"gradients", "gradients of members of an object", members});
}

} // namespace conformance
