// The corpora: valid files have to analyse at every wave that they name, and the
// files under errors/ have to give exactly the errors that their comments name: by a part of
// the message, or where the file says `# exact`, by the whole of it and the fix behind a `|`.
#include "tests/sema/Support.h"
#include "tests/support/Catch.h"

#include <algorithm>
#include <filesystem>

using namespace sextant;

namespace {

struct Directives {
  std::vector<unsigned> waves = {4, 8, 16, 32, 64};
  bool exact = false;
  std::vector<std::string> builds;
  std::vector<std::pair<std::string, std::string>> constants;
};

std::vector<std::string> linesOf(const std::string &path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

Directives directivesOf(const std::vector<std::string> &lines) {
  Directives d;
  for (auto &line : lines) {
    if (line.rfind("# waves: ", 0) == 0) {
      d.waves.clear();
      std::istringstream in(line.substr(9));
      for (unsigned w; in >> w;)
        d.waves.push_back(w);
    } else if (line == "# exact") {
      d.exact = true;
    } else if (line.rfind("# build: ", 0) == 0) {
      d.builds.push_back(line.substr(9));
    } else if (line.rfind("# define: ", 0) == 0) {
      size_t equals = line.find('=');
      d.constants.emplace_back(line.substr(10, equals - 10), line.substr(equals + 1));
    }
  }
  return d;
}

std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> files;
  for (auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".py")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

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
