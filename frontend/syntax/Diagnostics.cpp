#include "frontend/syntax/Diagnostics.h"

#include "frontend/spelling/NameGuess.h"

#include <algorithm>
#include <cctype>
#include <optional>

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

/// Returns where `wanted` stands as a word in a range; nullopt if it does not, or not only once.
static std::optional<uint32_t> onlyPlaceOf(std::string_view wanted, SourceRange at) {
  const auto isWord = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c));
  };
  const std::string_view text = at.file->text().substr(0, at.end);
  std::optional<uint32_t> only;
  for (size_t begin = text.find(wanted, at.begin); begin != text.npos;
       begin = text.find(wanted, begin + 1)) {
    const size_t end = begin + wanted.size();
    if ((begin > at.begin && isWord(text[begin - 1])) || (end < at.end && isWord(text[end])))
      continue;
    if (only)
      return std::nullopt;
    only = uint32_t(begin);
  }
  return only;
}

/// Returns where a range has the name that it is about; nullopt if it has it in other words.
static std::optional<uint32_t> placeOf(std::string_view wanted, SourceRange at) {
  const auto size = uint32_t(wanted.size());
  if (!at.file || size == 0 || at.end - std::min(at.begin, at.end) < size)
    return std::nullopt;
  const std::string_view text = at.file->text();
  const size_t next = text.find_first_not_of(' ', at.begin + size);
  const bool isKeyword = next != text.npos && next < at.end && text[next] == '=';
  for (const uint32_t begin : {isKeyword ? at.begin : at.end - size, at.begin})
    if (text.substr(begin, size) == wanted)
      return begin;
  return onlyPlaceOf(wanted, at);
}

Fix didYouMean(SourceRange at, std::string_view wanted, const std::string &known) {
  if (known.empty())
    return {};
  Fix fix("did you mean `" + known + "`?");
  const bool isPlain = known.find_first_of("'\"\\{}\r\n") == known.npos; // in quotes, too
  const std::optional<uint32_t> begin = isPlain ? placeOf(wanted, at) : std::nullopt;
  if (begin)
    fix = {fix.text, {{{at.file, *begin, *begin + uint32_t(wanted.size())}, known}}, true};
  return fix;
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
