#include "frontend/syntax/Diagnostics.h"

#include "frontend/spelling/NameGuess.h"

#include <algorithm>

namespace sextant {

void DiagnosticSink::report(Diagnostic diagnostic) {
  if (diagnostic.kernels.empty() && !kernel.empty())
    diagnostic.kernels = {kernel};
  if (filter && !filter(diagnostic))
    return;
  if (diagnostic.severity == Severity::Error) {
    ++errors;
    fatal += !diagnostic.isTolerated;
  }
  all.push_back(std::move(diagnostic));
}

void DiagnosticSink::repeated(SourceRange at, const std::string &message) {
  for (Diagnostic &one : all)
    if (!kernel.empty() && one.at.file == at.file && one.at.begin == at.begin &&
        one.message == message &&
        std::find(one.kernels.begin(), one.kernels.end(), kernel) == one.kernels.end())
      one.kernels.push_back(kernel);
}

void DiagnosticSink::error(SourceRange at, Problem problem, std::string message, Fix fix) {
  report({Severity::Error, at, std::move(message), std::move(fix), {}, {}, problem});
}

void DiagnosticSink::warning(SourceRange at, Warning warning, std::string message, Fix fix) {
  report({Severity::Warning, at, std::move(message), std::move(fix), {}, warning});
}

const char *severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  }
  return "error";
}

Fix didYouMean(SourceRange at, std::string_view wanted, const std::string &known) {
  if (known.empty())
    return {};
  Fix fix("did you mean `" + known + "`?");
  const auto size = uint32_t(wanted.size());
  if (!at.file || at.end - std::min(at.begin, at.end) < size)
    return fix;
  for (const uint32_t begin : {at.end - size, at.begin})
    if (at.file->text().substr(begin, size) == wanted)
      return {fix.text, {{{at.file, begin, begin + size}, known}}, true};
  return fix; // the source has it in other words
}

std::vector<Edit> calledWith(const std::string &function, SourceRange at) {
  return {{{at.file, at.begin, at.begin}, function + "("}, {{at.file, at.end, at.end}, ")"}};
}

Fix nearestName(SourceRange at, std::string_view wanted, const std::vector<std::string_view> &known,
                std::string otherwise) {
  NameGuess guess(wanted);
  for (std::string_view name : known)
    guess.consider(name);
  return guess.best().empty() ? Fix(std::move(otherwise)) : didYouMean(at, wanted, guess.best());
}

} // namespace sextant
