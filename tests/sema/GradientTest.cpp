// Gradients as memory: which arguments and fields `x.grad` makes, and where there is none.
#include "tests/sema/Dumps.h"
#include "tests/support/Catch.h"

using namespace sextant;
using test::has;

namespace {

const std::string types = "F = qd.types.ndarray(qd.f32, 1)\nI = qd.types.ndarray(qd.i32, 1)\n"
                          "P = qd.types.struct(pos=qd.types.vector(3, qd.f32), tag=qd.i32)\n";

/// The names of the only kernel's arguments and fields.
struct Named {
  explicit Named(const std::string &text, std::vector<std::string> builds = {}) {
    analysis.options.instantiations = std::move(builds);
    analysis.runText(types + text);
    INFO(analysis.errors());
    REQUIRE(analysis.kernels.size() == 1);
    for (const hir::Argument &argument : analysis.kernels[0].arguments)
      arguments.push_back(argument.name);
    for (const hir::HiddenBuffer &hidden : analysis.kernels[0].hidden)
      if (hidden.role == hir::HiddenBuffer::Field)
        fields.push_back(hidden.name);
  }
  const hir::Argument &argument(size_t k) const { return analysis.kernels[0].arguments[k]; }
  test::Analysis analysis;
  std::vector<std::string> arguments, fields;
};
using Names = std::vector<std::string>;

std::string errorsOf(const std::string &text, std::vector<std::string> builds = {}) {
  test::Analysis analysis;
  analysis.options.instantiations = std::move(builds);
  analysis.runText(types + text);
  return analysis.errors();
}

} // namespace

TEST_CASE("the gradient of an array is an argument after it, where it is used") {
  const Named used("@qd.kernel\ndef k(x: F, y: F, n: I):\n    for i in x:\n"
                   "        y.grad[i] = x[i] + n[i]\n");
  CHECK(used.arguments == Names{"x", "y", "y.grad", "n"});
  CHECK(used.argument(2).dtype == hir::Type::F32);
  CHECK(used.argument(2).ndim == 1);
  const Named unused("@qd.kernel\ndef k(x: F):\n    for i in x:\n        x[i] = 1\n");
  CHECK(unused.arguments == Names{"x"});
  // A use of only its extents is a use.
  const Named shape("@qd.kernel\ndef k(x: F, n: I):\n    n[0] = x.grad.shape[0]\n");
  CHECK(shape.arguments == Names{"x", "x.grad", "n"});
}

TEST_CASE("functions take arrays with their gradients") {
  const Named named("@qd.func\ndef f(a, i):\n    a.grad[i] += a[i]\n\n"
                    "@qd.kernel\ndef k(x: F, y: F):\n    for i in x:\n        f(y, i)\n");
  CHECK(named.arguments == Names{"x", "y", "y.grad"});
}

TEST_CASE("an instance may name gradients, of parameters and of members") {
  const std::string text = "@qd.kernel\ndef k(x: qd.template()):\n    for i in x:\n"
                           "        x.grad[i] = x[i]\n";
  for (const char *build : {"k[x=ndarray(f32, 1)]", "k[x=ndarray(f32, 1), x.grad=ndarray(f32, 1)]",
                            "k[x.grad=ndarray(f32, 1)]"}) {
    INFO(build);
    CHECK(Named(text, {build}).arguments == Names{"x", "x.grad"});
  }
  const std::string object = "@qd.data_oriented\nclass S:\n    @qd.kernel\n    def k(self):\n"
                             "        for I in qd.grouped(self.x.grad):\n"
                             "            self.x.grad[I] = self.x[I]\n";
  CHECK(Named(object, {"S.k[self.x=ndarray(f32, 2), self.x.grad=ndarray(f32, 2)]"}).arguments ==
        Names{"self.x", "self.x.grad"});
  const Named fields(object, {"S.k[self.x=field(f32, (2, 3), needs_grad=True)]"});
  CHECK(fields.fields == Names{"S.x", "S.x.grad"});
  const Named given(object, {"S.k[self.x=field(f32, (2, 3)), self.x.grad=field(f32, (2, 3))]"});
  CHECK(given.fields == Names{"S.x", "S.x.grad"});
}

TEST_CASE("containers and arrays of structs have gradients") {
  const Named container("import dataclasses\n@dataclasses.dataclass\nclass State:\n    mass: F\n"
                        "    vel: F\n\n@qd.kernel\ndef k(s: State):\n    for i in s.mass:\n"
                        "        s.mass.grad[i] = 1\n");
  CHECK(container.arguments == Names{"s.mass", "s.mass.grad"});
  const Named structs("@qd.kernel\ndef k(p: qd.types.ndarray(P, 2)):\n    for i, j in p:\n"
                      "        p.grad[i, j].pos = p[i, j].pos\n");
  CHECK(structs.arguments == Names{"p.pos", "p.tag", "p.grad.pos"});
  CHECK(structs.argument(2).rows == 3);
  const Named member("@qd.kernel\ndef k(p: qd.types.ndarray(P, 1)):\n    for i in p:\n"
                     "        p.pos.grad[i] = p[i].pos\n");
  CHECK(member.arguments == Names{"p.pos", "p.tag", "p.grad.pos"});
  const Named pieces("@qd.kernel\ndef k(p: qd.types.ndarray(P, 1, layout=qd.Layout.AOS)):\n"
                     "    for i in p:\n        p.grad[i].pos.x = 1\n");
  CHECK(pieces.arguments == Names{"p", "p.grad"});
  CHECK(!pieces.argument(1).structure.empty());
}

TEST_CASE("a field with needs_grad has a field for its gradient") {
  const std::string kernel = "\n@qd.kernel\ndef k():\n    for i in range(4):\n";
  const Named plain("x = qd.field(qd.f32, shape=4, needs_grad=True)\n" + kernel +
                    "        x.grad[i] = x[i]\n");
  CHECK(plain.fields == Names{"x", "x.grad"});
  const Named structs("p = P.field(shape=4, needs_grad=True)\n" + kernel +
                      "        p.grad[i].pos = p.pos[i] + p.pos.grad[i]\n");
  CHECK(structs.fields == Names{"p.pos", "p.grad.pos", "p.grad.tag"}); // as of elements of `p`
  const Named vector("v = qd.Vector.field(3, qd.f32, shape=4, needs_grad=True)\n" + kernel +
                     "        v.grad[i] = v[i]\n");
  CHECK(vector.fields == Names{"v", "v.grad"});
  const Named placed("x = qd.field(qd.f32, needs_grad=True)\n"
                     "qd.root.dense(qd.i, 4).place(x, x.grad)\n" +
                     kernel + "        x.grad[i] = 1\n");
  CHECK(placed.fields == Names{"x.grad"});
}

TEST_CASE("where there is no gradient, that is said") {
  const std::string kernel = "\n@qd.kernel\ndef k():\n    for i in range(4):\n";
  const std::string field =
      errorsOf("x = qd.field(qd.f32, shape=4)\n" + kernel + "        x.grad[i] = 1\n");
  CHECK(has(field, "has no gradient"));
  CHECK(has(field, "`needs_grad=True`"));
  CHECK(has(errorsOf("@qd.kernel\ndef k(n: I):\n    n.grad[0] = 1\n"), "has no `grad`"));
  CHECK(has(errorsOf("@qd.kernel\ndef k(x: F):\n    x.dual[0] = 1\n"), "has no `dual`"));
  CHECK(has(errorsOf("@qd.kernel\ndef k(x: F):\n    x.grad.grad[0] = 1\n"), "has no `grad`"));
  CHECK(has(errorsOf("@qd.kernel\ndef k(x: qd.template()):\n    x[0] = 1\n",
                     {"k[x=ndarray(f32, 1), x.grad=ndarray(f64, 1)]"}),
            "`x.grad` is to be an array of the same type and shape as `x`"));
}

TEST_CASE("a kernel that uses gradients of arguments has no derivative") {
  const std::string text = "@qd.kernel\ndef k(x: F, y: F):\n    for i in x:\n"
                           "        y[i] = x[i] * x.grad[i]\n";
  for (const char *build : {"k.grad", "k.dual"})
    CHECK(has(errorsOf(text, {build}), "uses gradients itself has no derivative"));
  CHECK(errorsOf(text).empty());
}
