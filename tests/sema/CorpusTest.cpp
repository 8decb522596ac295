// The corpora: valid files have to analyse at every wave that they name, and the
// files under errors/ have to give exactly the errors that their comments name: by a part of
// the message, or where the file says `# exact`, by the whole of it and the fix behind a `|`.
#include "tests/sema/Corpus.h"
#include "tests/support/Catch.h"

#include <algorithm>

using namespace sextant;
using namespace sextant::test;

namespace {

void analyseAll(const std::string &path, const Directives &d) {
  for (unsigned wave : d.waves) {
    test::Analysis analysis;
    analysis.options.wave = wave;
    analysis.options.instantiations = d.builds;
    analysis.options.constants = d.constants;
    analysis.runFile(path);
    INFO(path << " at wave " << wave << "\n" << analysis.errors());
    CHECK(!analysis.sink.hasErrors());
    CHECK(!analysis.kernels.empty());
  }
}

} // namespace

TEST_CASE("valid kernels analyse at every wave") {
  auto files = filesIn(SEXTANT_SEMA_TESTS "/valid");
  REQUIRE(files.size() > 4);
  for (auto &path : files)
    analyseAll(path, directivesOf(linesOf(path)));
}

namespace {

/// Kernels and diagnostics as text, and whether something asked for the wave size.
struct Outcome {
  std::string text;
  bool asked = false;
};

Outcome outcomeAt(unsigned wave, const std::string &path, const Directives &d) {
  Outcome outcome;
  test::Analysis analysis;
  analysis.options.wave = wave;
  analysis.options.onWave = [&outcome] { outcome.asked = true; };
  analysis.options.instantiations = d.builds;
  analysis.options.constants = d.constants;
  analysis.runFile(path);
  for (hir::Kernel &kernel : analysis.kernels) {
    kernel.wave = 0; // the one thing that may differ
    outcome.text += hir::dump(kernel);
  }
  outcome.text += analysis.errors();
  return outcome;
}

} // namespace

TEST_CASE("what never asks for the wave size is the same for all of them") {
  unsigned asking = 0, others = 0;
  for (const char *folder : {"/valid", "/errors"})
    for (auto &path : filesIn(std::string(SEXTANT_SEMA_TESTS) + folder)) {
      const Directives d = directivesOf(linesOf(path));
      const Outcome narrow = outcomeAt(4, path, d), wide = outcomeAt(64, path, d);
      INFO(path);
      CHECK((narrow.asked || narrow.text == wide.text));
      CHECK((wide.asked || narrow.text == wide.text));
      ++(narrow.asked ? asking : others);
    }
  CHECK(asking > 4);
  CHECK(others > 4);
}

TEST_CASE("misuse is refused at its line") {
  auto files = filesIn(SEXTANT_SEMA_TESTS "/errors");
  REQUIRE(files.size() > 2);
  for (auto &path : files) {
    auto lines = linesOf(path);
    Directives d = directivesOf(lines);
    if (d.waves.size() > 1)
      d.waves = {32};
    test::Analysis analysis;
    analysis.options.wave = d.waves[0];
    analysis.options.instantiations = d.builds;
    analysis.options.constants = d.constants;
    analysis.runFile(path);
    // What the comments say, by line.
    std::multimap<unsigned, std::string> wanted;
    for (unsigned i = 0; i < lines.size(); ++i)
      if (size_t at = lines[i].find("# error: "); at != std::string::npos)
        wanted.emplace(i + 1, lines[i].substr(at + 9));
    INFO(path << "\n" << analysis.errors());
    CHECK(!wanted.empty());
    for (auto &diagnostic : analysis.sink.diagnostics()) {
      if (diagnostic.severity != Severity::Error)
        continue;
      REQUIRE(diagnostic.at.file);
      unsigned line = diagnostic.at.file->lineColumn(diagnostic.at.begin).line;
      auto [begin, end] = wanted.equal_range(line);
      std::string text = diagnostic.message;
      if (d.exact && !diagnostic.fix.empty())
        text += " | " + diagnostic.fix;
      auto it = std::find_if(begin, end, [&](auto &w) {
        return d.exact ? text == w.second : text.find(w.second) != std::string::npos;
      });
      INFO("unexpected at line " << line << ": " << text);
      CHECK(it != end);
      if (it != end)
        wanted.erase(it);
    }
    for (auto &[line, message] : wanted) {
      INFO("missing at line " << line << ": " << message);
      CHECK(false);
    }
    CHECK(analysis.kernels.empty() ==
          (std::find(lines.begin(), lines.end(), "# some build") == lines.end()));
  }
}
