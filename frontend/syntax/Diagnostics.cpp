// Prints diagnostics for people: a caret under the source line.
#include "frontend/syntax/Diagnostics.h"

#include "loader/format/Text.h"

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

void DiagnosticSink::error(SourceRange at, Problem problem, std::string message, std::string fix) {
  report({Severity::Error, at, std::move(message), std::move(fix), {}, {}, problem});
}

void DiagnosticSink::warning(SourceRange at, std::string message, std::string fix,
                             std::string name) {
  report({Severity::Warning, at, std::move(message), std::move(fix), {}, std::move(name)});
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

namespace {

/// The source line and the line with the caret, both safe to print. Characters that a terminal
/// obeys, and broken UTF-8, become '?'. Tabs are kept in both, so that they align.
struct Excerpt {
  std::string line, caret;
};

Excerpt excerpt(std::string_view text, size_t first, size_t last) {
  constexpr size_t window = 160; // columns shown of a very long line
  size_t from = 0;
  if (text.size() > window && first > window / 2)
    from = std::min(first - window / 2, text.size() - window);
  // Does not cut into the middle of a sequence.
  while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80)
    --from;
  size_t to = std::min(text.size(), from + window);
  Excerpt out;
  for (size_t i = from; i < to;) {
    size_t length = module::utf8Length(text.substr(i));
    unsigned char c = text[i];
    if (length == 0 || (c != '\t' && module::isObeyed(module::codePoint(text.substr(i, length)))))
      out.line += '?';
    else
      out.line.append(text.substr(i, length));
    char mark = i == first ? '^' : i > first && i < last ? '~' : c == '\t' ? '\t' : ' ';
    // A sequence is one column. The caret may point at any byte of it.
    size_t step = std::max<size_t>(length, 1);
    if (first > i && first < i + step)
      mark = '^';
    out.caret += mark;
    i += step;
  }
  if (first >= to)
    out.caret += '^';
  out.caret.erase(out.caret.find_last_not_of(" \t") + 1);
  return out;
}

void appendText(std::string &out, const Diagnostic &diagnostic, bool color) {
  const char *bold = color ? "\033[1m" : "", *reset = color ? "\033[0m" : "";
  const char *tint = !color                                     ? ""
                     : diagnostic.severity == Severity::Error   ? "\033[1;31m"
                     : diagnostic.severity == Severity::Warning ? "\033[1;35m"
                                                                : "\033[1;36m";
  out += bold;
  const SourceFile *file = diagnostic.at.file;
  LineColumn place;
  if (file) {
    place = file->lineColumn(diagnostic.at.begin);
    out +=
        file->path() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
  }
  out += std::string(reset) + tint + severityName(diagnostic.severity) + ": " + reset + bold +
         diagnostic.message + reset;
  // The name, as `-W…` takes it.
  if (!diagnostic.name.empty())
    out += diagnostic.severity == Severity::Error ? " [-Werror=" + diagnostic.name + "]"
                                                  : " [-W" + diagnostic.name + "]";
  out += "\n";
  if (file) {
    std::string_view text = file->line(place.line);
    size_t first = place.column - 1;
    size_t length =
        diagnostic.at.end > diagnostic.at.begin ? diagnostic.at.end - diagnostic.at.begin : 1;
    Excerpt shown = excerpt(text, first, std::min(first + length, text.size()));
    out += "  " + shown.line + "\n  " + (color ? "\033[1;32m" : "") + shown.caret + reset + "\n";
  }
  if (!diagnostic.fix.empty())
    out += std::string("  ") + bold + "help: " + reset + diagnostic.fix + "\n";
  for (const Diagnostic &note : diagnostic.notes)
    appendText(out, note, color);
}

} // namespace

std::string formatDiagnostic(const Diagnostic &diagnostic, bool color) {
  std::string out;
  appendText(out, diagnostic, color);
  return out;
}

} // namespace sextant
