// Each problem that sema knows (frontend/problems/Problems.def) is raised by a test: by a file
// under errors or valid, or by a snippet here, which has no place in a file, or a build of its own.
#include "tests/sema/Corpus.h"
#include "tests/support/Catch.h"

using namespace sextant;

namespace {

struct Snippet {
  Problem problem;
  const char *text;
  std::vector<std::string> builds = {};
  unsigned wave = 32;
  std::vector<std::pair<std::string, std::string>> constants = {};
};

const char *plain = "@qd.kernel\ndef k(n: qd.types.ndarray(qd.i32, 1)):\n    n[0] = 1\n";
const char *constant = "@qd.kernel\ndef k(n: qd.types.ndarray(qd.i32, 1)):\n    n[0] = C\n";

/// A kernel that reads `C`, which is this when kernels are built.
std::string host(const char *value) {
  return "@qd.func\ndef f(x):\n    return x\n\nA = qd.field(qd.i32, shape=(2,))\nC = " +
         std::string(value) + "\n\n" + constant;
}
/// A kernel with these statements in a parallel loop.
std::string body(const char *statements) {
  return "@qd.kernel\ndef k(n: qd.types.ndarray(qd.i32, 1), x: qd.types.ndarray(qd.f32, 1)):\n"
         "    for i in range(4):\n        " +
         std::string(statements) + "\n";
}

struct Owned {
  Problem problem;
  std::string text;
};

const Snippet builds[] = {
    {Problem::ParameterTypedAndGiven, plain, {"k[n=3]"}},
    {Problem::RequestOfAnotherDtype, plain, {"k[n=qd.types.ndarray(qd.f32, 1)]"}},
    {Problem::RequestOfUnknownKernel, plain, {"missing[n=3]"}},
    {Problem::InstanceNameTaken,
     "@qd.kernel\ndef scan(t: qd.template(), n: qd.types.ndarray(qd.i32, 1)):\n    n[0] = 1\n\n"
     "@qd.kernel\ndef scan_i32(n: qd.types.ndarray(qd.i32, 1)):\n    n[0] = 2\n",
     {"scan[t=qd.i32]"}},
    {Problem::InstanceNameTaken,
     "@qd.kernel\ndef k(t: qd.template(), n: qd.types.ndarray(qd.i32, 1)):\n    n[0] = t\n",
     {"k[t=1] as one", "k[t=2] as one"}},
    {Problem::InstanceNameTaken,
     "@qd.data_oriented\nclass C:\n    @qd.kernel\n    def k(self, n: qd.types.ndarray(qd.i32, "
     "1)):\n        n[0] = 1\n",
     {"C.k[self.a=1]", "C.k[self.b=1]"}},
    {Problem::GradientOfFunction,
     "@qd.ad.grad_for(k)\n@qd.func\ndef g(x, w):\n    return w\n\n"
     "@qd.kernel\ndef k(x: qd.types.ndarray(qd.f32, 1)):\n    x[0] = 1.0\n",
     {}},
    {Problem::GradientOfOperation,
     "@qd.kernel\ndef k(x: qd.types.ndarray(qd.f32, 1)):\n    for i in range(4):\n"
     "        qd.atomic_max(x[0], x[i])\n",
     {"k.grad"}},
    {Problem::GradientOfOverwritten,
     "@qd.kernel\ndef k(x: qd.types.ndarray(qd.f32, 1)):\n    for i in range(4):\n"
     "        x[i] = x[i] * x[i]\n",
     {"k.grad"}},
    {Problem::RequestUnreadable, plain, {"k["}},
    {Problem::RequestWrong, plain, {"k[m=3]"}},
    {Problem::TemplateParameterWithoutValue,
     "@qd.kernel\ndef k(t: qd.template(), u: qd.template()):\n    pass\n",
     {"k[t=3]"}},
    {Problem::NdarrayWithoutDimensionsOrElement,
     "@qd.kernel\ndef k(t: qd.template(), n: qd.types.ndarray()):\n    pass\n",
     {"k[t=3]"}},
    {Problem::ConstantGivenMeansNothing,
     "C = 1\n@qd.kernel\ndef k(n: qd.types.ndarray(qd.i32, 1)):\n    n[0] = C\n",
     {},
     32,
     {{"C", "nothing.of.this"}}},
    {Problem::RadixSubgroupTooWide,
     "@qd.kernel\ndef k(n: qd.types.ndarray(qd.i32, 1)):\n"
     "    qd.loop_config(block_dim=256)\n    for i in range(256):\n"
     "        b = block.SharedArray((256,), qd.i32)\n        e = block.SharedArray((256,), "
     "qd.i32)\n"
     "        n[i] = block.radix_rank_match_atomic_or(qd.u32(n[i]), 256, 8, 0, 8, b, e)\n",
     {},
     128},
};

const Owned snippets[] = {
    {Problem::NotComputedOnHost, host("qd.atomic_add(A[0], 1)")},
    {Problem::ArrayReadOnHost, host("A[0]")},
    {Problem::FnsOnHost, host("qd.math.fns(3, 0, 1)")},
    {Problem::FrexpOnHost, host("qd.frexp(qd.f32(2))")},
    {Problem::RandomOnHost, host("qd.random()")},
    {Problem::DeviceFunctionOnHost, host("subgroup.invocation_id()")},
    {Problem::SharedArrayOutsideKernel, host("block.SharedArray((3,), qd.f32)")},
    {Problem::FunctionOnHost, host("f(1)")},
    {Problem::DtypeNeeded, host("qd.field(3, shape=(2,))")},
    {Problem::ArgumentOutOfRange, host("qd.Vector.field(2000, qd.f32, shape=2)")},
    {Problem::MatrixTypeSizeOutOfRange, host("qd.types.matrix(100, 100, qd.f32)")},
    {Problem::DtypeNeeded, host("qd.types.ndarray(3)")},
    {Problem::TypeNotCallable, host("qd.types.ndarray(qd.f32, 1)(3)")},
    {Problem::MethodOfTypeNotSupported, host("qd.types.vector(2, qd.f32).ndarray(3)")},
    {Problem::NameOfHostCode, "with open('x') as C:\n    pass\n\n" + std::string(constant)},
    {Problem::DefinedByItself, "C = C + 1\n" + std::string(constant)},
    {Problem::ClassMarkedAsKernel, "@qd.kernel\nclass A:\n    x = 1\n"},
    {Problem::ParameterTypeNotOfKernels, "@qd.kernel\ndef k(x: None):\n    pass\n"},
    {Problem::OldName, body("subgroup.barrier()")},
    {Problem::LoopSerialUnderIf,
     "@qd.kernel\ndef k(n: qd.types.ndarray(qd.i32, 1)):\n    if True:\n"
     "        for i in range(4):\n            n[i] = 1\n"},
    {Problem::VariableSharedByIterations,
     "@qd.kernel\ndef k(n: qd.types.ndarray(qd.i32, 1)):\n    s = qd.Vector([0, 0])\n"
     "    for i in n:\n        n[i] = s[1]\n        s[1] = i\n"},
    {Problem::LoopConfigWithoutEffect,
     body("qd.loop_config(block_dim=64)\n        for j in range(3):\n            n[j] = 1")},
    {Problem::ConstantBecomesInfinite, body("x[i] = qd.f32(1e300)")},
    {Problem::RealBecomesInteger, body("n[i] = x[i]")},
    {Problem::ListTooLong,
     body("v = [j for j in qd.static(range(60000)) for k in qd.static(range(2))]")},
    {Problem::LogicMixesScalarsAndVectors, body("v = n[i] and qd.Vector([n[i], 1])")},
    {Problem::FormatOfRunTimeValue, body("v = '%d' % n[i]")},
    {Problem::NoArithmetic, body("n[i] = -x")},
    {Problem::NotComparable, body("n[i] = n[i] == 'text'")},
    {Problem::NegativePowerOfInteger, body("n[i] = n[i] ** -1")},
    {Problem::MatrixTooLarge, body("v = qd.Vector([j for j in qd.static(range(1100))])")},
    {Problem::WholeArrayAssigned, body("x += 1.0")},
    {Problem::SwizzleOfNoVector,
     body("m = qd.Matrix([[1.0, 2.0], [3.0, 4.0]])\n        m.xy = m.xy")},
    {Problem::MethodWithKeywords, body("d = {1: 2}\n        n[i] = d.get(key=1)")},
    {Problem::StaticNameAssigned, body("for j in qd.static(range(2)):\n            j = n[i]")},
    {Problem::AtomicOnValue,
     body("for j in qd.static(range(2)):\n            qd.atomic_add(j, 1)")},
    {Problem::ComponentIndexCountWrong,
     "@qd.kernel\ndef k(v: qd.types.ndarray(qd.types.vector(2, qd.f32), 1)):\n"
     "    for i in range(4):\n        v[i][0, 0] = 1.0\n"},
    {Problem::ReturnTypeNotOfKernels,
     "@qd.kernel\ndef k() -> qd.types.ndarray(qd.f32, 1):\n    return 1.0\n"},
    {Problem::ReturnUnderCondition,
     "@qd.func\ndef f(x: qd.template(), n):\n    if n > 0:\n        return x\n    return x\n\n" +
         body("v = f(x, n[i])")},
    {Problem::ParameterUnknown, "@qd.func\ndef f(a):\n    return a\n\n" + body("n[i] = f(b=1)")},
    {Problem::ImportedFileHasErrors, "from broken import there\n\n" + body("n[i] = there")},
    {Problem::ModuleMemberUnknown, "import helper\n\n" + body("n[i] = helper.missing")},
    {Problem::NameNotChangeable,
     "@qd.kernel\ndef k(v: qd.types.vector(2, qd.f32)):\n    v[0] = 1.0\n"},
    {Problem::NotComputedOnHost, host("qd.math.norm(qd.Vector([qd.f32(1), qd.f32(2)]))")},
    {Problem::MinMaxOfNoNumbers, body("n[i] = max('a')")},
    {Problem::AssertionFails, body("assert qd.static(1 > 2), 'no'")},
};

/// Problems that no source raises: a mistake of the compiler or its library, and what an earlier
/// phase finds first. The checks stay, because they cost nothing where a phase before them changes.
bool isOfNoSource(Problem problem) {
  switch (problem) {
  case Problem::InternalLibraryFunction:
  case Problem::InternalLibraryModule:
  case Problem::InternalMissingValue:
  case Problem::InternalBodyUnread:
  case Problem::InternalKernelLost:
    return true;
  // A thing that is written to, or returned, has been looked at by its annotation or its place.
  case Problem::AtomicCasOnValue:
  case Problem::ReturnsDiffer:
    return true;
  // The parser finds it.
  case Problem::ExpressionOutOfPlace:
  case Problem::Other:
    return true;
  default:
    return false;
  }
}

void collect(const Diagnostic &diagnostic, std::vector<bool> &isRaised) {
  isRaised[unsigned(diagnostic.problem)] = true;
  for (const Diagnostic &note : diagnostic.notes)
    if (note.problem != Problem::Other)
      isRaised[unsigned(note.problem)] = true;
}

std::vector<bool> problemsOf(const test::Analysis &analysis) {
  std::vector<bool> isRaised(problemCount());
  for (const Diagnostic &diagnostic : analysis.sink.diagnostics())
    collect(diagnostic, isRaised);
  return isRaised;
}

} // namespace

TEST_CASE("snippets raise the problem that they are for") {
  for (const Snippet &snippet : builds) {
    test::Analysis analysis;
    analysis.options.target.wave = snippet.wave;
    analysis.options.instantiations = snippet.builds;
    analysis.options.constants = snippet.constants;
    analysis.runText(snippet.text);
    INFO(problemName(snippet.problem) << "\n" << analysis.errors());
    CHECK(problemsOf(analysis)[unsigned(snippet.problem)]);
  }
  for (const Owned &snippet : snippets) {
    test::Analysis analysis;
    analysis.options.target.wave = 32;
    analysis.helpers["helper"] = "there = 1\n";
    analysis.helpers["broken"] = "there = 1\ndef f(:\n    pass\n";
    analysis.runText(snippet.text);
    INFO(problemName(snippet.problem) << "\n" << analysis.errors());
    CHECK(problemsOf(analysis)[unsigned(snippet.problem)]);
  }
}

TEST_CASE("each problem that sema knows is raised by a test", "[again]") {
  std::vector<bool> isRaised(problemCount());
  for (const Snippet &snippet : builds)
    isRaised[unsigned(snippet.problem)] = true;
  for (const Owned &snippet : snippets)
    isRaised[unsigned(snippet.problem)] = true;
  for (const char *folder : {SEXTANT_SEMA_TESTS "/errors", SEXTANT_SEMA_TESTS "/valid"})
    for (const std::string &path : test::filesIn(folder)) {
      const test::Directives d = test::directivesOf(test::linesOf(path));
      bool asksForWave = true; // else it is the same at each
      for (unsigned wave : d.waves) {
        if (!std::exchange(asksForWave, false))
          break;
        test::Analysis analysis;
        analysis.options.target.wave = wave;
        analysis.options.onFact = [&](Fact fact) { asksForWave |= fact == Fact::Wave; };
        analysis.options.instantiations = d.builds;
        analysis.options.constants = d.constants;
        analysis.runFile(path);
        for (const Diagnostic &diagnostic : analysis.sink.diagnostics())
          collect(diagnostic, isRaised);
      }
    }
  for (unsigned number = 0; number < problemCount(); ++number) {
    INFO(problemName(Problem(number)));
    if (phaseOf(Problem(number)) == Phase::Sema)
      CHECK(isRaised[number] != isOfNoSource(Problem(number)));
  }
}
