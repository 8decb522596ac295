// Where code is shown: each node has the place where it was written and the call that it was
// written for, and the library's code is shown at the user's call.
#include "frontend/hir/Builder.h"
#include "tests/sema/Support.h"
#include "tests/support/Catch.h"

using namespace sextant;

namespace {

/// Calls `visit` for each statement and each operation of a block, those inside of others too.
/// Names and constants are left out: a function may have them from its caller.
void forEachOperation(hir::Block &block, const std::function<void(const hir::Loc &)> &visit) {
  const std::function<void(hir::Block &)> visitBlock = [&](hir::Block &inner) {
    forEachOperation(inner, visit);
  };
  const std::function<void(hir::Expr &)> visitExpr = [&](hir::Expr &expr) {
    if (!isTrivial(expr))
      visit(expr.at);
    forEachOperand(expr, visitExpr, visitBlock);
  };
  for (hir::Stmt &stmt : block) {
    visit(stmt.at);
    forEachOperand(stmt, visitExpr, visitBlock);
  }
}

/// Checks that each operation stands in the function of its call, and returns how many the function
/// has of each name.
std::map<std::string, unsigned> operationsByFunction(const std::string &text) {
  test::Analysis analysis;
  analysis.options.calls = true;
  analysis.runText(text);
  CHECK(analysis.errors() == "");
  REQUIRE(analysis.kernels.size() == 1);
  hir::Kernel &kernel = analysis.kernels[0];
  std::map<std::string, unsigned> counts;
  auto visit = [&](const hir::Loc &at) {
    REQUIRE(at.file);
    CHECK(at.file->path() == "test.py");
    const std::string_view text = at.file->text();
    const size_t def = text.rfind("\ndef ", at.begin) + 5;
    const std::string name(text.substr(def, text.find('(', def) - def));
    REQUIRE(at.call < kernel.calls.size());
    CHECK(kernel.calls[at.call].function == name);
    ++counts[name];
  };
  for (hir::Task &task : kernel.tasks)
    forEachOperation(task.body, visit);
  return counts;
}

} // namespace

TEST_CASE("code of nested calls belongs to the function that it stands in") {
  auto counts = operationsByFunction(R"(
@qd.func
def inner(v: qd.f32) -> qd.f32:
    w = v * 2.0
    if w > 3.0:
        w = w - 1.0
    return w + 0.5
@qd.func
def outer(v: qd.f32) -> qd.f32:
    total = inner(v / 3.0)
    total += inner(total * v)
    return total
@qd.kernel
def k(x: qd.types.ndarray(qd.f32, 1)):
    for i in range(8):
        x[i] = outer(x[i] + 7.0) - 4.0
)");
  CHECK(counts["inner"] > 8);
  CHECK(counts["outer"] > 4);
  CHECK(counts["k"] > 2);
}

TEST_CASE("so does code of functions whose loops are tasks") {
  auto counts = operationsByFunction(R"(
@qd.func
def each(x: qd.template()):
    for i in range(8):
        x[i] = x[i] * 3.0
    x[0] = x[1] + x[2]
    for i in range(8):
        if i > 2:
            x[i] = x[i] + qd.random(qd.f32)
@qd.kernel
def k(x: qd.types.ndarray(qd.f32, 1)):
    each(x)
    x[3] = x[4] * 2.0
)");
  CHECK(counts["each"] > 20);
  CHECK(counts["k"] > 1);
}

TEST_CASE("so do the updates of components that each iteration owns") {
  auto counts = operationsByFunction(R"(
@qd.func
def sums(t: qd.template(), v: qd.f32) -> qd.f32:
    t[0] = v * 2.0
    qd.atomic_add(t[0], v + 1.0)
    return t[0] * 3.0
@qd.kernel
def k(x: qd.types.ndarray(qd.f32, 1)):
    t = qd.Vector([0.0, 0.0])
    for i in range(8):
        x[i] = sums(t, x[i])
)");
  CHECK(counts["sums"] > 6);
  CHECK(counts["k"] > 1);
}

TEST_CASE("the library's code is shown where the user calls it, from whatever function") {
  auto counts = operationsByFunction(R"(
@qd.func
def largest(v: qd.f32) -> qd.f32:
    return block.reduce_max(v, 128, qd.f32) if qd.static(True) else v
@qd.kernel
def k(x: qd.types.ndarray(qd.f32, 1)):
    qd.loop_config(block_dim=128)
    for i in range(1024):
        x[i] = largest(x[i] * 2.0) + subgroup.reduce_add(x[i])
)");
  CHECK(counts["largest"] > 8);
  CHECK(counts["k"] > 4);
}
