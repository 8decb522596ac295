// Errors about values that do not fit each other have labels where their variables are declared.
#include "tests/sema/Dumps.h"
#include "tests/support/Catch.h"

using namespace sextant;

namespace {

const char *const before = "W = qd.Vector([1.0, 2.0])\n"
                           "f = qd.field(qd.f32, shape=(2, 3))\n"
                           "@qd.kernel\n"
                           "def k(n: qd.i32, x: qd.types.ndarray(dtype=qd.f32, ndim=2), "
                           "y: qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=1)):\n"
                           "    v = qd.Vector([1.0, 2.0, 3.0])\n"
                           "    m = qd.Matrix([[1.0, 2.0], [3.0, 4.0]])\n"
                           "    s = 1.0\n";

/// Returns "line: text" of each label of the error that a statement has.
std::vector<std::string> labelsOf(const std::string &statement) {
  test::Analysis analysis;
  analysis.runText(before + ("    " + statement) + "\n");
  INFO(analysis.errors());
  std::vector<std::string> labels;
  REQUIRE(analysis.sink.diagnostics().size() == 1);
  for (const Label &label : analysis.sink.diagnostics()[0].labels)
    labels.push_back(std::to_string(label.at.file->lineColumn(label.at.begin).line - 2) + ": " +
                     label.text);
  return labels;
}

using Labels = std::vector<std::string>;

} // namespace

TEST_CASE("shapes that differ say where both come from") {
  CHECK(labelsOf("r = v + W") ==
        Labels{"5: `v` is declared here: 3x1", "1: `W` is declared here: 2x1"});
  CHECK(labelsOf("r = m @ v") ==
        Labels{"6: `m` is declared here: 2x2", "5: `v` is declared here: 3x1"});
  CHECK(labelsOf("r = y[n] + W") ==
        Labels{"4: `y` is declared here: 1 dimension of 3x1", "1: `W` is declared here: 2x1"});
  CHECK(labelsOf("v += m") ==
        Labels{"5: `v` is declared here: 3x1", "6: `m` is declared here: 2x2"});
  CHECK(labelsOf("v = m") ==
        Labels{"5: `v` is declared here: 3x1", "6: `m` is declared here: 2x2"});
  CHECK(labelsOf("r = qd.select(v > 1.0, v, m)") ==
        Labels{"5: `v` is declared here: 3x1", "6: `m` is declared here: 2x2"});
}

TEST_CASE("so do types, and counts of indices") {
  CHECK(labelsOf("r = x + 1.0") == Labels{"4: `x` is declared here: 2 dimensions"});
  CHECK(labelsOf("r = x[n]") == Labels{"4: `x` is declared here"});
  CHECK(labelsOf("r = f[n]") == Labels{"2: `f` is declared here"});
  CHECK(labelsOf("r = s & n") ==
        Labels{"7: `s` is declared here: f32", "4: `n` is declared here: i32"});
  CHECK(labelsOf("x[0, 0] = y") == Labels{"4: `x` is declared here: 2 dimensions",
                                          "4: `y` is declared here: 1 dimension of 3x1"});
  CHECK(labelsOf("r = s[0]") == Labels{"7: `s` is declared here: f32"});
  CHECK(labelsOf("a, b = v") == Labels{"5: `v` is declared here: 3x1"});
}

TEST_CASE("what is not an operand has no label") {
  // Indices, members, calls, texts and comments name nothing that does not fit.
  CHECK(labelsOf("r = m[n, 0] + v + W  # s") == Labels{"6: `m` is declared here: 2x2",
                                                       "5: `v` is declared here: 3x1",
                                                       "1: `W` is declared here: 2x1"});
  CHECK(labelsOf("r = m.norm() * v + qd.Vector([n, s])") == Labels{"5: `v` is declared here: 3x1",
                                                                   "4: `n` is declared here: i32",
                                                                   "7: `s` is declared here: f32"});
  CHECK(labelsOf("r = s + 'v'") == Labels{"7: `s` is declared here: f32"});
}
