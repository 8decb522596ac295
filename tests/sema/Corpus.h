// The files of the corpora, and what their comments ask for.
#pragma once

#include "tests/sema/Support.h"

#include <algorithm>
#include <filesystem>

namespace sextant::test {

struct Directives {
  std::vector<unsigned> waves = {4, 8, 16, 32, 64};
  bool exact = false;
  std::vector<std::string> builds;
  std::vector<std::pair<std::string, std::string>> constants;
};

inline std::vector<std::string> linesOf(const std::string &path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

inline Directives directivesOf(const std::vector<std::string> &lines) {
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

/// An error as the comments of a file name it.
struct NamedError {
  unsigned line = 0;
  std::string text; ///< in exact files with the fix after a `|`
};

/// Analyses a file as its directives say, and names its errors.
inline std::vector<NamedError> errorsIn(Analysis &analysis, const std::string &path,
                                        const Directives &d) {
  analysis.options.target.wave = d.waves.size() > 1 ? 32 : d.waves[0];
  analysis.options.instantiations = d.builds;
  analysis.options.constants = d.constants;
  analysis.runFile(path);
  std::vector<NamedError> errors;
  for (const Diagnostic &diagnostic : analysis.sink.diagnostics()) {
    if (diagnostic.severity != Severity::Error)
      continue;
    const SourceRange at = diagnostic.at;
    std::string text = diagnostic.message;
    if (d.exact && !diagnostic.fix.text.empty())
      text += " | " + diagnostic.fix.text;
    errors.push_back({at.file ? at.file->lineColumn(at.begin).line : 0, std::move(text)});
  }
  return errors;
}

inline std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> files;
  for (auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".py")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace sextant::test
