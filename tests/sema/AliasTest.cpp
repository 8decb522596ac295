// Members of an instance that are the objects of other paths: `self.wall.solver=self`.
#include "tests/sema/Support.h"
#include "tests/support/Catch.h"

using namespace sextant;

namespace {

const std::string aliasKernels = R"(F = qd.types.ndarray(qd.f64, 1)

@qd.data_oriented
class Wall:
    @qd.func
    def push(self, i):
        self.solver.x[i] += self.solver.gain * self.stiffness
        return self.solver.walls[1].stiffness

@qd.data_oriented
class Solver:
    @qd.func
    def first(self, i):
        return self.body.first_wall.push(i)

    @qd.kernel
    def run(self, y: F):
        for i in y:
            y[i] = self.first(i)
            for k in qd.static(range(2)):
                y[i] += self.walls[k].push(i)

@dataclasses.dataclass
class State:
    x: F

@qd.kernel
def of_state(model: qd.template(), y: F):
    for i in y:
        y[i] = model.part.state.x[i]
)";

const std::string solver = "Solver.run[self.gain=3.5, self.x=ndarray(f64, 1), "
                           "self.walls=[Wall, Wall], self.walls.0.stiffness=1.25, "
                           "self.walls.1.stiffness=7.75, self.walls.0.solver=self, "
                           "self.walls.1.solver=self, self.body.first_wall=self.walls.0";

struct Run {
  explicit Run(const std::string &request) {
    analysis.options.instantiations = {request};
    analysis.runText("import dataclasses\n" + aliasKernels);
  }
  bool fails(const std::string &message) const {
    INFO(analysis.errors());
    return analysis.kernels.empty() && analysis.errors().find(message) != std::string::npos;
  }
  size_t count(const std::string &part) const {
    const std::string dump = analysis.dump();
    size_t found = 0;
    for (size_t at = dump.find(part); at != std::string::npos; at = dump.find(part, at + 1))
      ++found;
    return found;
  }
  test::Analysis analysis;
};

} // namespace

TEST_CASE("an object that several paths lead to is one, with one set of arguments") {
  const Run run(solver + "] as run");
  INFO(run.analysis.errors() << run.analysis.dump());
  REQUIRE(run.analysis.kernels.size() == 1);
  const auto &arguments = run.analysis.kernels[0].arguments;
  REQUIRE(arguments.size() == 2); // not one array a path
  CHECK(arguments[0].name == "self.x");
  CHECK(arguments[1].name == "y");
  CHECK(run.count("4.375") == 2);  // 3.5 · 1.25, through the body and as the list's first
  CHECK(run.count("27.125") == 1); // 3.5 · 7.75
}

TEST_CASE("members of a dataclass' value may be reached by an alias") {
  const Run run("of_state[model=Solver, model.state=State, model.state.x=ndarray(f64, 1), "
                "model.part=Wall, model.part.state=model.state] as run");
  INFO(run.analysis.errors());
  REQUIRE(run.analysis.kernels.size() == 1);
  CHECK(run.analysis.kernels[0].arguments[0].name == "model.state.x");
  CHECK(run.analysis.kernels[0].arguments.size() == 2);
}

TEST_CASE("instances with other aliases are others") {
  const auto name = [](const std::string &wall) {
    const Run run(
        "Solver.run[self.gain=3.5, self.x=ndarray(f64, 1), self.walls=[Wall, Wall], "
        "self.walls.0.stiffness=1.0, self.walls.1.stiffness=2.0, self.walls.0.solver=self, "
        "self.walls.1.solver=self, self.body.first_wall=" +
        wall + "]");
    INFO(run.analysis.errors());
    REQUIRE(run.analysis.kernels.size() == 1);
    return run.analysis.kernels[0].instance;
  };
  CHECK(name("self.walls.0") != name("self.walls.1"));
}

TEST_CASE("what an alias cannot be") {
  CHECK(Run(solver + ", self.body.other=self.nothing]")
            .fails("`self.body.other` is to be the object of `self.nothing`, and an instantiation "
                   "of `Solver.run` names no object there"));
  CHECK(Run(solver + ", self.body.other=self.gain]").fails("names no object there"));
  CHECK(Run(solver + ", self.body.other=self.walls.2]").fails("names no object there"));
  // Aliases of aliases could go in circles.
  CHECK(Run(solver + ", self.body.other=self.body.first_wall]").fails("names no object there"));
  CHECK(Run(solver + ", self.a=self.b, self.b=self.a]").fails("names no object there"));
  CHECK(Run(solver + ", self.body.first_wall.stiffness=2.0]")
            .fails("`self.body.first_wall` is the object of `self.walls.0`, so "
                   "`self.body.first_wall.stiffness` is named there, as `self.walls.0.stiffness`"));
  CHECK(Run(solver + ", self.walls.1=self.walls.0]")
            .fails("`self.walls.1` is an item of `self.walls`, which an instantiation names as a "
                   "whole"));
}
