// Requests of instances: those that differ are kernels of their own, or an error names both. The
// values decide, not the names that are made of them.
#include "tests/sema/Dumps.h"
#include "tests/support/Catch.h"

using namespace sextant;

namespace {

const char *const kernels =
    "import math\n"
    "a = qd.field(qd.f32, shape=4)\n"
    "b = qd.field(qd.i32, shape=8)\n"
    "@qd.func\ndef f(x):\n    return x\n\n"
    "@qd.func\ndef g(x):\n    return x\n\n"
    "@qd.kernel\ndef k(t: qd.template(), n: qd.types.ndarray(qd.i32, 1)):\n    n[0] = 1\n";

struct Built {
  size_t kernels = 0;
  std::string errors;
};

Built build(std::vector<std::string> requests) {
  test::Analysis analysis;
  analysis.options.instantiations = std::move(requests);
  analysis.runText(kernels);
  return {analysis.kernels.size(), analysis.errors()};
}

} // namespace

TEST_CASE("requests that differ are not built as one") {
  const std::pair<const char *, const char *> pairs[] = {
      {"a", "b"},
      {"[a]", "[b]"},
      {"f", "g"},
      {"1", "True"},
      {"1", "1.0"},
      {"1e-7", "2e-7"},
      {"0.0", "-0.0"},
      {"math.nan", "0.0"},
      {"-1", "'m1'"},
      {"'a-b'", "'amb'"},
      {"'a.b'", "'apb'"},
      {"'a,b'", "'a b'"},
      {"''", "'_'"},
      {"None", "'none'"},
      {"[1, [2, 3]]", "[[1, 2], 3]"},
      {"[1, 2]", "[12]"},
      {"[]", "[[]]"},
      {"(1, 2)", "'1_2'"},
      {"dtype(qd.f32)", "'dtype_f32'"},
      {"qd.types.ndarray(qd.types.vector(2, qd.f32), 1)", "'vector_2_f32_1d'"},
      {"qd.types.struct(a=qd.f32)", "qd.types.struct(b=qd.f32)"},
      {"qd.types.struct(a=qd.f32)", "qd.types.struct(a=qd.i32)"},
      {"{1: 2}", "{1: 3}"},
      {"range(3)", "range(4)"},
      {"f", "'f'"},
      {"qd.sin", "'sin'"}};
  for (const auto &[one, other] : pairs) {
    const std::string first = std::string("k[t=") + one + "]",
                      second = std::string("k[t=") + other + "]";
    const Built built = build({first, second});
    INFO(first << " and " << second << "\n" << built.errors);
    CHECK(build({first}).errors.empty());
    CHECK(build({second}).errors.empty());
    if (built.kernels == 2) {
      CHECK(built.errors.empty());
      continue;
    }
    CHECK(test::has(built.errors, "`" + first + "`"));
    CHECK(test::has(built.errors, "`" + second + "`"));
    // A name of its own makes two kernels of them.
    CHECK(build({first, second + " as other"}).kernels == 2);
  }
}

TEST_CASE("one request written twice is one kernel") {
  for (const char *text : {"1", "0.1", "'a, b'", "[1, a]", "f", "qd.types.struct(a=qd.f32)",
                           "{1: 2}", "qd.types.ndarray(qd.f32, 2)"}) {
    const Built built =
        build({std::string("k[t=") + text + "]", std::string("k[ t = ") + text + " ]"});
    INFO(text << "\n" << built.errors);
    CHECK(built.errors.empty());
    CHECK(built.kernels == 1);
  }
}

TEST_CASE("a request gives a parameter one value") {
  CHECK(test::has(build({"k[t=1, t=2]"}).errors, "`t` has two values"));
}

//===--- Lists of methods ----------------------------------------------------===//

static Built buildOwner(const std::string &members) {
  test::Analysis analysis;
  analysis.options.instantiations = {"Owner.run[" + members + "]"};
  analysis.runText("@qd.data_oriented\nclass Other:\n"
                   "    @qd.func\n    def step(self):\n        return self.n\n\n"
                   "@qd.data_oriented\nclass Owner(Other):\n"
                   "    @qd.func\n    def step(self):\n        return 2\n\n"
                   "    @qd.kernel\n    def run(self, out: qd.types.ndarray(qd.i32, 1)):\n"
                   "        for i in out:\n"
                   "            out[i] = self.steps[0]() + 10 * self.steps[1]()\n");
  return {analysis.kernels.size(),
          analysis.kernels.size() == 1 ? analysis.dump() : analysis.errors()};
}

TEST_CASE("a method in a list belongs to the object that holds the list, or to that of its path") {
  CHECK(buildOwner("self.steps=[Owner.step, Owner.step]").errors.find("22") != std::string::npos);
  CHECK(buildOwner("self.n=3, self.steps=[Other.step, Owner.step]").errors.find("23") !=
        std::string::npos);
  CHECK(buildOwner("self.a=Other, self.a.n=4, self.b=Other, self.b.n=5, "
                   "self.steps=[self.a.step, self.b.step]")
            .errors.find("54") != std::string::npos);
}

TEST_CASE("a path in a list leads to an object or a method") {
  const Built built = buildOwner("self.a=Other, self.a.n=4, self.steps=[self.a.hop, self.a.step]");
  CHECK(built.kernels == 0);
  CHECK(built.errors.find("names no object there, and no method of one") != std::string::npos);
}

TEST_CASE("numbers of a request have one form") {
  const auto canonical = [](const std::string &value) {
    return canonicalText(parseRequest("k[t=" + value + "]"));
  };
  const std::vector<std::string> groups[] = {
      {"1000", "1_000", "+1000", "0x3e8", "0X3_E8", "0b11_1110_1000", "0o1750", " 1000 "},
      {"-3", "- 3", "-0x3"},
      {"0", "-0", "0x0"},
      {"18446744073709551615", "0xffff_ffff_ffff_ffff"},
      {"1000.0", "1e3", "1_000.", "1E+3", "+1.0e0_3", "1000.00"},
      {"-0.5", "-.5", "-5e-1"},
      {"(10, -2.5)", "(1_0,-2.50)", "(0xa, -25e-1)"},
      {"N + 16", "N+0x10"},
      {"f(x1, 2)", "qd.f(x1,0b10)"}};
  std::vector<std::string> seen;
  for (const std::vector<std::string> &group : groups) {
    for (const std::string &value : group) {
      INFO(value);
      CHECK(canonical(value) == canonical(group.front()));
    }
    seen.push_back(canonical(group.front()));
  }
  CHECK(canonical("1_000") == "k[t=1000]");
  CHECK(canonical("1e3") == "k[t=1000.0]");
  CHECK(canonical("-0.0") == "k[t=-0.0]");
  // These are names, texts and numbers of more bits.
  for (const std::string value : {"x1_0", "M.A", "_1", "\"1_0\"", "\"a 0x10\"", "a.b1", "i32",
                                  "99999999999999999999", "1e999"}) {
    CHECK(canonical(value) == "k[t=" + value + "]");
    seen.push_back(canonical(value));
  }
  std::sort(seen.begin(), seen.end());
  CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}
