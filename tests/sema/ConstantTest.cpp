// The values that an instance may give members and parameters beside numbers: types, functions,
// dictionaries.
#include "tests/sema/Support.h"
#include "tests/support/Catch.h"

using namespace sextant;

namespace {

const std::string constantKernels = R"(F = qd.types.ndarray(qd.f64, 1)

@qd.func
def twice(x):
    return x + x

@qd.data_oriented
class S:
    @qd.kernel
    def cast(self, x: F, n: qd.i32):
        for i in x:
            x[i] = qd.cast(n, self.dtype)

    @qd.kernel
    def zeros(self, x: F):
        for i in x:
            v = qd.Vector.zero(self.dtype, 3)
            x[i] = v[0] + qd.types.vector(2, self.dtype)(i, i)[1]

    @qd.kernel
    def options(self, x: F):
        for i in x:
            x[i] = self.options["scale"] if qd.static(self.options["on"]) else 5

    @qd.kernel
    def calls(self, x: F):
        for i in x:
            x[i] = self.rule(x[i])

    @qd.kernel
    def lists(self, x: F):
        for i in x:
            x[i] = self.items[0][i] + self.items[1][0] + self.items[2](x[i])
            x[i] += self.items[1][1][0][i, i] * self.items[1][1][1]

    @qd.kernel
    def push(self, x: F):
        for i in x:
            for force in qd.static(self.forces):
                x[i] += force.at(i)
            self.forces[1].seen[i] = self.forces[0].strength

@qd.data_oriented
class Wind:
    @qd.func
    def linear(self, i):
        return self.strength * i

    @qd.func
    def at(self, i):
        return self.linear(i)

@qd.data_oriented
class Pull(Wind):
    @qd.func
    def at(self, i):
        self.seen[i] += 1
        return self.seen[i] * self.law(self.gain)

@qd.data_oriented
class Own(Wind):
    @qd.func
    def at(self, i):
        return self.law(i)

@qd.kernel
def bundled(x: F, items: qd.template()):
    for i in x:
        for item in qd.static(items[0]):
            x[i] += item[i]
        x[i] += qd.cast(x[i], items[1]) + items[2](x[i])

@qd.kernel
def pushed(x: F, forces: qd.template()):
    for i in x:
        x[i] = forces[1].at(i) + forces[-2].strength

@qd.kernel
def parameter(x: F, n: qd.i32, real: qd.template()):
    for i in x:
        x[i] = qd.cast(n, real)
)";

struct Built {
  explicit Built(const std::string &request) {
    analysis.options.instantiations = {request};
    analysis.runText(constantKernels);
    INFO(analysis.errors());
    REQUIRE(analysis.kernels.size() == 1);
  }
  bool has(const std::string &part) const {
    return analysis.dump().find(part) != std::string::npos;
  }
  std::string names() const {
    std::string all;
    for (const hir::Argument &argument : analysis.kernels[0].arguments)
      all += (all.empty() ? "" : " ") + argument.name;
    return all;
  }
  size_t arguments() const { return analysis.kernels[0].arguments.size(); }
  test::Analysis analysis;
};

} // namespace

TEST_CASE("a type is a constant of an object, which dtype(...) says") {
  const Built narrow("S.cast[self.dtype=dtype(qd.f32)]"), wide("S.cast[self.dtype=dtype(f64)]");
  CHECK(narrow.arguments() == 2);
  CHECK(narrow.has("f32(n)"));
  CHECK(!wide.has("f32(n)"));
  CHECK(wide.has("f64(n)"));
  CHECK(narrow.analysis.kernels[0].instance == "S_cast_dtype_f32");
  CHECK(Built("S.zeros[self.dtype=dtype(f32)]").arguments() == 1);
  CHECK(Built("parameter[real=dtype(qd.f32)]").has("f32(n)"));
  CHECK(Built("parameter[real=qd.f32]")
            .has("f32(n)")); // a template parameter takes types as they are
}

TEST_CASE("objects stand in lists, each with members of its own") {
  const std::string forces =
      "[self.forces=[Wind, Pull], self.forces.0.strength=2.5, self.forces.1.seen=ndarray(f64, 1), "
      "self.forces.1.law=twice, self.forces.1.gain=f64]";
  const Built built("S.push" + forces);
  CHECK(built.arguments() == 3); // those that launches pass of the second one, and x
  const auto &arguments = built.analysis.kernels[0].arguments;
  CHECK(arguments[0].name == "self.forces.1.seen");
  CHECK(arguments[1].name == "self.forces.1.gain");
  CHECK(built.has("2.5"));
  const Built parameter("pushed[forces=(Wind, Pull), forces.0.strength=-4.5, "
                        "forces.1.seen=ndarray(f64, 1), forces.1.law=twice, forces.1.gain=8.0]");
  CHECK(parameter.arguments() == 2);
  CHECK(parameter.has("4.5"));
  CHECK(parameter.has("8"));
}

TEST_CASE("items of lists are arguments where members would be") {
  const Built list("S.lists[self.items=[ndarray(f32, 1), [f64, (ndarray(i32, 2), 3)], twice]]");
  CHECK(list.names() == "self.items.0 self.items.1.0 self.items.1.1.0 x");
  const Built parameter("bundled[items=([ndarray(f32, 1), ndarray(f64, 1)], i32, twice)]");
  CHECK(parameter.names() == "x items.0.0 items.0.1"); // a template parameter's type is a constant
  CHECK(parameter.has("i32("));
}

TEST_CASE("items of lists are read like other values of requests") {
  const Built built("bundled[items=[[field(f32, (4,)), field(f32, (4,))], dtype(f64), twice]]");
  CHECK(built.names() == "x");
  const auto &fields = built.analysis.kernels[0].hidden;
  REQUIRE(fields.size() == 2);
  CHECK(fields[0].name == "items.0.0");
  CHECK(fields[1].name == "items.0.1");
}

TEST_CASE("a member may be a method of the object's own class, under another name") {
  const Built built("pushed[forces=[Wind, Own], forces.0.strength=1.5, forces.1.strength=3.25, "
                    "forces.1.law=Own.linear]");
  CHECK(built.has("3.25"));
}

TEST_CASE("lists of objects with other members are other instances") {
  const auto instance = [](const std::string &strength) {
    return Built("S.push[self.forces=[Wind, Wind], self.forces.0.strength=1.0, "
                 "self.forces.1.strength=" +
                 strength + ", self.forces.1.seen=ndarray(f64, 1)]")
        .analysis.kernels[0]
        .instance;
  };
  CHECK(instance("2.0") != instance("3.0"));
}

TEST_CASE("an item that a list does not have is named by nothing") {
  test::Analysis analysis;
  analysis.options.instantiations = {"S.push[self.forces=[Wind, Pull], self.forces.2.gain=1.0]"};
  analysis.runText(constantKernels);
  CHECK(analysis.errors().find("`self.forces` has 2 items, and `self.forces.2` names none of "
                               "them") != std::string::npos);
}

TEST_CASE("dtype(...) takes a type") {
  test::Analysis analysis;
  analysis.options.instantiations = {"S.cast[self.dtype=dtype(3)]"};
  analysis.runText(constantKernels);
  CHECK(analysis.errors().find("`dtype(...)` takes a type of numbers") != std::string::npos);
}

TEST_CASE("dictionaries and functions are constants of an object") {
  CHECK(Built("S.options[self.options={\"scale\": 3, \"on\": True}]").has("3:f64"));
  CHECK(Built("S.options[self.options={\"scale\": 3, \"on\": False}]").has("5:f64"));
  CHECK(Built("S.calls[self.rule=twice]").has(" + "));
}
