// Prints the HIR of a kernel file: sextant-sema-dump file.py [wave] [kernel[p=v]] [NAME=value …]
// Or the errors that its comments should name, each after its line: sextant-sema-dump --errors
// file.py
#include "tests/hir/text/Dump.h"
#include "tests/sema/Corpus.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  sextant::test::Analysis analysis;
  if (argc == 3 && std::string(argv[1]) == "--errors") {
    const auto directives = sextant::test::directivesOf(sextant::test::linesOf(argv[2]));
    for (const auto &[line, text] : sextant::test::errorsIn(analysis, argv[2], directives))
      std::printf("%u\t%s\n", line, text.c_str());
    return 0;
  }
  for (int i = 3; i < argc; ++i) {
    std::string text = argv[i];
    size_t bracket = text.find('['), equals = text.find('=');
    if (bracket != std::string::npos && (equals == std::string::npos || bracket < equals))
      analysis.options.instantiations.push_back(text);
    else if (equals != std::string::npos)
      analysis.options.constants.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  if (argc > 2)
    analysis.options.target.wave = unsigned(std::atoi(argv[2]));
  analysis.runFile(argv[1]);
  for (auto &diagnostic : analysis.sink.diagnostics())
    std::fputs(sextant::formatDiagnostic(diagnostic).c_str(), stderr);
  for (auto &kernel : analysis.kernels)
    std::fputs(sextant::hir::dump(kernel).c_str(), stdout);
  return analysis.sink.hasErrors() ? 1 : 0;
}
