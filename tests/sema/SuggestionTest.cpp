// "Did you mean …?": the edits of an error, written to the files that they name, remove it. They
// replace the misspelt word where it stands, and nothing else.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

namespace {

const std::string imports = "import dataclasses\nimport math\nimport quadrants as qd\n"
                            "F = qd.types.ndarray(dtype=qd.f32, ndim=1)\n";
const std::string helper = "import quadrants as qd\n@qd.func\ndef helper(a):\n    return a\n";

/// A kernel of these lines, after definitions.
std::string kernelWith(const std::string &lines, const std::string &definitions = "") {
  std::string text = imports + definitions + "@qd.kernel\ndef k(x: F, m: qd.i32):\n    ";
  for (char c : lines)
    text += c == ';' ? "\n    " : std::string(1, c);
  return text + "\n";
}

std::string used(const std::string &import, const std::string &value) {
  return kernelWith("for i in x:;    x[i] = " + value, import + "\n");
}

struct Sources {
  std::string main, helper = ::helper;
};

/// Applies the edits of all errors, each of which replaces a whole word of the file.
Sources corrected(const test::Analysis &analysis, const Sources &sources, const std::string &word) {
  std::map<std::string, std::map<uint32_t, std::pair<uint32_t, std::string>>> edits;
  for (const Diagnostic &each : analysis.sink.diagnostics())
    for (const Edit &edit : each.fix.edits) {
      CHECK(edit.at.file->text().substr(edit.at.begin, edit.at.end - edit.at.begin) == word);
      edits[edit.at.file->path()][edit.at.begin] = {edit.at.end, edit.text};
    }
  CHECK(!edits.empty());
  Sources result = sources;
  for (auto &[path, ofFile] : edits) {
    std::string &text = path == "test.py" ? result.main : result.helper;
    for (auto edit = ofFile.rbegin(); edit != ofFile.rend(); ++edit)
      text.replace(edit->first, edit->second.first - edit->first, edit->second.second);
  }
  return result;
}

std::string analysed(test::Analysis &analysis, const Sources &sources) {
  analysis.helpers = {{"h", sources.helper}, {"other", "from h import *\n"}};
  analysis.run("test.py", sources.main);
  return analysis.errors();
}

struct Suggested {
  const char *word; ///< the misspelt one
  std::string main, helper = ::helper;
};

const Suggested suggestedCases[] = {
    // Imports.
    {"subgrop", used("from quadrants.lang.simt import subgrop", "subgrop.shuffle(x[i], 0)")},
    {"subgrop", used("from quadrants.lang.simt import subgrop as s", "s.shuffle(x[i], 0)")},
    {"subgrop", used("from quadrants.lang.simt import (\n    block,\n    subgrop,\n)",
                     "subgrop.shuffle(x[i], 0) + subgrop.invocation_id()")},
    {"sqr", used("from math import sqr", "sqr(2.0)")},
    {"helpr", used("from h import helpr", "helpr(helpr(1.0))")},
    {"helpr", used("from h import helpr as helper", "helper(1.0)")},
    {"helpr", kernelWith("print(f'{helpr(2)} helpr')", "from h import helpr\n")},
    {"helpr", used("import h", "h.helpr(1.0)")},
    {"helpr", used("from other import *\nfrom h import *", "helpr(1.0)")},
    {"quadrant", "import quadrants as qd\nfrom quadrant.lang.simt import subgroup\n@qd.kernel\n"
                 "def k(x: qd.types.ndarray(qd.f32, 1)):\n    x[0] = subgroup.group_size()\n"},
    {"sqr", used("from h import helper", "helper(1.0)"),
     "import quadrants as qd\n@qd.func\ndef helper(a):\n    return qd.sqr(a)\n"},
    // At module level.
    {"ndaray", imports + "U = qd.types.ndaray(dtype=qd.f32, ndim=1)\n"
                         "@qd.kernel\ndef k(x: U):\n    x[0] = 1\n"},
    {"dtyp", imports + "U = qd.types.ndarray(dtyp=qd.f32, ndim=1)\n"
                       "@qd.kernel\ndef k(x: U):\n    x[0] = 1\n"},
    {"SIZ", kernelWith("x[0] = B", "SIZE = 4\nB = SIZ + 1\n")},
    {"SIZ", kernelWith("x[0] = C", "SIZE = 4\nA, B = SIZ, 2\nC = A * 2\n")},
    {"subgrop", used("s = qd.simt.subgrop", "s.shuffle(x[i], 0)")},
    {"shpe", kernelWith("g[0] = 1", "g = qd.field(qd.f32, shpe=4)\n")},
    // Marks, their options, annotations.
    {"kernl", imports + "@qd.kernl\ndef k(x: F):\n    x[0] = 1\n"},
    {"kernl", "from quadrants import kernl, f32, types\n@kernl\n"
              "def k(x: types.ndarray(f32, 1)):\n    x[0] = 1\n"},
    {"kernl", "from quadrants import kernl as make, f32, types\n@make\n"
              "def k(x: types.ndarray(f32, 1)):\n    x[0] = 1\n"},
    {"fastcach", imports + "@qd.kernel(fastcach=True)\ndef k(x: F):\n    x[0] = 1\n"},
    {"f23", imports + "@qd.kernel\ndef k(x: qd.types.ndarray(qd.f23, 1)):\n    x[0] = 1\n"},
    {"f23", kernelWith("x[0] = P(1.0).a", "@qd.dataclass\nclass P:\n    a: qd.f23\n")},
    {"f23",
     kernelWith("g[0].a = 1.0", "@qd.dataclass\nclass P:\n    a: qd.f23\ng = P.field(shape=2)\n")},
    // Names, members, keywords, keys.
    {"valu", kernelWith("value = m;x[0] = valu + valu")},
    {"sqr", kernelWith("x[0] = (qd.;     sqr)(x[1])")},
    {"valu",
     kernelWith("valu = m;x[0] = g(valu=valu)", "@qd.func\ndef g(value):\n    return value\n")},
    {"valu", kernelWith("print('{valu}'.format(value=m))")},
    {"true", kernelWith("x[0] = 1 if true else 2")},
    {"alpa", kernelWith("d = {'alpha': 1};x[0] = d['alpa']")},
    {"alpa", kernelWith("d = {'alpha': 1};x[0] = d[r'''alpa''']")},
    {"alpa", kernelWith("d = {'alpha': 1};x[0] = d[('alpa')]")},
};

} // namespace

TEST_CASE("the edits of a suggestion replace the misspelt word at its own place") {
  for (const Suggested &each : suggestedCases) {
    INFO(each.main);
    test::Analysis wrong, right;
    const Sources sources{each.main, each.helper};
    const std::string errors = analysed(wrong, sources);
    CHECK(has(errors, "did you mean `"));
    CHECK(analysed(right, corrected(wrong, sources, each.word)) == "");
    CHECK(!right.kernels.empty());
  }
}

TEST_CASE("a suggestion that quotes would end has no edits") {
  test::Analysis analysis;
  CHECK(has(analysed(analysis, {kernelWith("d = {'al\\'pha': 1};x[0] = d['al\\'pa']")}),
            "did you mean `al'pha`?"));
  CHECK(analysis.sink.diagnostics()[0].fix.edits.empty());
}
