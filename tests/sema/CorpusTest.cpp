// The corpora: valid files have to analyse at every wave that they name, and the
// files under errors/ have to give exactly the errors that their comments name: by a part of
// the message, or where the file says `# exact`, by the whole of it and the fix after a `|`.
#include "tests/sema/Corpus.h"
#include "tests/support/Catch.h"

#include <algorithm>
#include <map>
#include <set>

using namespace sextant;
using namespace sextant::test;

namespace {

void analyseAll(const std::string &path, const Directives &d) {
  for (unsigned wave : d.waves) {
    test::Analysis analysis;
    analysis.options.target.wave = wave;
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

/// Kernels and diagnostics as text, and what was asked about the target.
struct Outcome {
  std::string text;
  std::set<Fact> asked;
};

Outcome outcomeFor(const TargetFacts &target, const std::string &path, const Directives &d) {
  Outcome outcome;
  test::Analysis analysis;
  analysis.options.target = target;
  analysis.options.onFact = [&outcome](Fact fact) { outcome.asked.insert(fact); };
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

// Analyses what other cases do, again and again: sanitizers skip [again].
TEST_CASE("what never asks for a fact of the target is the same whatever the fact is", "[again]") {
  const TargetFacts usual{4, "cpu", 64 << 10};
  const std::pair<Fact, TargetFacts> others[] = {{Fact::Wave, {64, "cpu", 64 << 10}},
                                                 {Fact::Backend, {4, "cuda", 64 << 10}},
                                                 {Fact::SharedLimit, {4, "cpu", 227 << 10}}};
  std::map<Fact, unsigned> asking, silent;
  for (const char *folder : {"/valid", "/errors"})
    for (auto &path : filesIn(std::string(SEXTANT_SEMA_TESTS) + folder)) {
      const Directives d = directivesOf(linesOf(path));
      const Outcome first = outcomeFor(usual, path, d);
      for (const auto &[fact, target] : others) {
        const Outcome second = outcomeFor(target, path, d);
        INFO(path << ", fact " << int(fact));
        CHECK((first.asked.contains(fact) || first.text == second.text));
        CHECK((second.asked.contains(fact) || first.text == second.text));
        ++(first.asked.contains(fact) ? asking : silent)[fact];
      }
    }
  for (const auto &[fact, target] : others) {
    INFO("fact " << int(fact));
    CHECK(asking[fact] > (fact == Fact::Wave ? 4u : 0u));
    CHECK(silent[fact] > 4);
  }
}

TEST_CASE("misuse is refused at its line") {
  auto files = filesIn(SEXTANT_SEMA_TESTS "/errors");
  REQUIRE(files.size() > 2);
  for (auto &path : files) {
    auto lines = linesOf(path);
    const Directives d = directivesOf(lines);
    test::Analysis analysis;
    const std::vector<NamedError> errors = errorsIn(analysis, path, d);
    // The errors that the comments name, by line.
    std::multimap<unsigned, std::string> wanted;
    for (unsigned i = 0; i < lines.size(); ++i)
      if (size_t at = lines[i].find("# error: "); at != std::string::npos)
        wanted.emplace(i + 1, lines[i].substr(at + 9));
    INFO(path << "\n" << analysis.errors());
    CHECK(!wanted.empty());
    for (const auto &[line, text] : errors) {
      REQUIRE(line);
      auto [begin, end] = wanted.equal_range(line);
      auto it = std::find_if(begin, end, [&, &text = text](auto &w) {
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
