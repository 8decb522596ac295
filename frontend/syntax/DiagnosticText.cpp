// Prints diagnostics for people. Under the first line, which editors read, stand the source lines
// with their numbers, with a mark under each place:
//
//   k.py:6:12: error: the name `scal` is not defined here
//    6 |     y[i] = scal * x[i]
//      |            ^^^^
//     help: did you mean `scale`?
//    6 |     y[i] = scale * x[i]
//      |            +++++
#include "frontend/syntax/Diagnostics.h"

#include "loader/format/Text.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace sextant {
namespace {

/// A part of a line, from byte `first` to before `last`, that has a row of signs under it.
struct Mark {
  unsigned line = 0;
  size_t first = 0, last = 0;
  char sign = '^';
  std::string text = {}; ///< after the signs
};

/// The columns of a line that are shown.
struct Window {
  size_t from = 0, to = 0;
};

Window windowAround(std::string_view text, size_t first) {
  constexpr size_t most = 160;
  Window window;
  if (text.size() > most && first > most / 2)
    window.from = std::min(first - most / 2, text.size() - most);
  // Does not cut into the middle of a sequence.
  while (window.from > 0 && (static_cast<unsigned char>(text[window.from]) & 0xC0) == 0x80)
    --window.from;
  window.to = std::min(text.size(), window.from + most);
  return window;
}

/// Returns the line, safe to print: characters that a terminal obeys, and broken UTF-8, become '?'.
/// Tabs stay.
std::string shown(std::string_view text, Window window) {
  std::string out;
  for (size_t i = window.from; i < window.to;) {
    const size_t length = module::utf8Length(text.substr(i));
    if (length == 0 ||
        (text[i] != '\t' && module::isObeyed(module::codePoint(text.substr(i, length)))))
      out += '?';
    else
      out.append(text.substr(i, length));
    i += std::max<size_t>(length, 1);
  }
  return out;
}

/// Returns the row of signs. It has the line's tabs, so that they align.
std::string signsOf(std::string_view text, Window window, const Mark &mark) {
  std::string out;
  for (size_t i = window.from; i < window.to;) {
    // A sequence is one column. The mark may begin at any byte of it.
    const size_t step = std::max<size_t>(module::utf8Length(text.substr(i)), 1);
    const bool begins = mark.first >= i && mark.first < i + step;
    out += begins || (i > mark.first && i < mark.last) ? mark.sign : text[i] == '\t' ? '\t' : ' ';
    i += step;
  }
  if (mark.first >= window.to)
    out += mark.sign;
  return out.erase(out.find_last_not_of(" \t") + 1);
}

/// Puts the signs of a second row over those of a first one.
void overlay(std::string &row, const std::string &signs) {
  row.resize(std::max(row.size(), signs.size()), ' ');
  for (size_t i = 0; i < signs.size(); ++i)
    if (signs[i] != ' ')
      row[i] = signs[i];
}

std::string placeOf(const SourceRange &at) {
  const LineColumn place = at.file->lineColumn(at.begin);
  return at.file->path() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

/// Marks the range, or what of it is in its first line.
Mark markOf(const SourceRange &at, char sign, std::string text = {}) {
  const LineColumn place = at.file->lineColumn(at.begin);
  const size_t first = place.column - 1,
               length = std::max<size_t>(1, at.end - std::min(at.end, at.begin));
  return {place.line, first, std::min(first + length, at.file->line(place.line).size()), sign,
          std::move(text)};
}

/// Prints one diagnostic. All of its rows have the same gutter.
class Printer {
public:
  Printer(std::string &out, bool color) : out(out), color(color) {}

  void print(const Diagnostic &diagnostic) {
    gutter = widthFor(diagnostic);
    printHead(diagnostic);
    std::vector<const SourceFile *> files;
    for (const SourceRange &at : placesOf(diagnostic))
      if (std::find(files.begin(), files.end(), at.file) == files.end())
        files.push_back(at.file);
    for (const SourceFile *file : files)
      printPlaces(diagnostic, *file);
    if (!diagnostic.fix.text.empty())
      out += std::string("  ") + style(bold) + "help: " + style(plain) + diagnostic.fix.text + "\n";
    printEdits(diagnostic.fix.edits);
    for (const Diagnostic &note : diagnostic.notes)
      print(note);
  }

private:
  std::string &out;
  const bool color;
  size_t gutter = 1;

  static constexpr const char *bold = "\033[1m", *plain = "\033[0m", *green = "\033[1;32m",
                              *blue = "\033[1;34m";
  const char *style(const char *escape) const { return color ? escape : ""; }

  static std::vector<SourceRange> placesOf(const Diagnostic &diagnostic) {
    std::vector<SourceRange> places;
    if (diagnostic.at.file)
      places.push_back(diagnostic.at);
    for (const Label &label : diagnostic.labels)
      if (label.at.file)
        places.push_back(label.at);
    return places;
  }

  static size_t widthFor(const Diagnostic &diagnostic) {
    unsigned last = 1;
    for (const SourceRange &at : placesOf(diagnostic))
      last = std::max(last, at.file->lineColumn(at.begin).line);
    for (const Edit &edit : diagnostic.fix.edits)
      last = std::max(last, edit.at.file->lineColumn(edit.at.begin).line);
    return std::to_string(last).size();
  }

  void printHead(const Diagnostic &diagnostic) {
    const char *tint = diagnostic.severity == Severity::Error     ? "\033[1;31m"
                       : diagnostic.severity == Severity::Warning ? "\033[1;35m"
                                                                  : "\033[1;36m";
    out += style(bold);
    if (diagnostic.at.file)
      out += placeOf(diagnostic.at) + ": ";
    out += style(plain);
    out += style(tint) + std::string(severityName(diagnostic.severity)) + ": ";
    out += style(plain);
    out += style(bold) + diagnostic.message + style(plain);
    // The name, as `-W…` takes it.
    if (diagnostic.warning)
      out += (diagnostic.severity == Severity::Error ? " [-Werror=" : " [-W") +
             warningName(*diagnostic.warning) + "]";
    out += "\n";
  }

  void printRow(const std::string &number, const std::string &text, const char *tint) {
    out +=
        style(blue) + std::string(1 + gutter - number.size(), ' ') + number + " |" + style(plain);
    if (!text.empty())
      out += std::string(" ") + (*tint ? style(tint) + text + style(plain) : text);
    out += "\n";
  }

  /// Prints the lines of the marks, which are sorted by line. Each mark has a row of its own.
  void printMarks(const std::vector<Mark> &marks,
                  const std::function<std::string_view(unsigned)> &lineOf) {
    unsigned previous = 0;
    Window window;
    std::string signs; // signs of marks without texts, which share a row
    for (size_t k = 0; k < marks.size(); ++k) {
      const Mark &mark = marks[k];
      const std::string_view text = lineOf(mark.line);
      if (mark.line != previous) {
        if (previous && mark.line > previous + 1)
          out += "...\n";
        window = windowAround(text, mark.first);
        printRow(std::to_string(mark.line), shown(text, window), "");
        previous = mark.line;
      }
      overlay(signs, signsOf(text, window, mark));
      const bool isJoined = mark.text.empty() && k + 1 < marks.size() &&
                            marks[k + 1].text.empty() && marks[k + 1].line == mark.line;
      if (!isJoined)
        printRow("", std::exchange(signs, "") + (mark.text.empty() ? "" : " " + mark.text),
                 mark.sign == '-' ? blue : green);
    }
  }

  void printPlaces(const Diagnostic &diagnostic, const SourceFile &file) {
    std::vector<Mark> marks;
    if (diagnostic.at.file == &file)
      marks.push_back(markOf(diagnostic.at, '^'));
    else // the head names another place
      for (const Label &label : diagnostic.labels)
        if (label.at.file == &file) {
          out += "  " + std::string(style(blue)) + "--> " + style(plain) + placeOf(label.at) + "\n";
          break;
        }
    for (const Label &label : diagnostic.labels)
      if (label.at.file == &file)
        marks.push_back(markOf(label.at, '-', label.text));
    const auto order = [](const Mark &mark) {
      return std::tuple(mark.line, mark.sign != '^', mark.first, mark.text);
    };
    std::sort(marks.begin(), marks.end(),
              [&](const Mark &a, const Mark &b) { return order(a) < order(b); });
    printMarks(marks, [&](unsigned number) { return file.line(number); });
  }

  /// Prints the lines as they are after the edits, which are sorted, and in one file.
  void printEdits(const std::vector<Edit> &edits) {
    std::map<unsigned, std::string> lines;
    std::vector<Mark> marks;
    size_t grown = 0;
    for (const Edit &edit : edits) {
      const SourceFile &file = *edit.at.file;
      const LineColumn place = file.lineColumn(edit.at.begin);
      const auto [line, isNew] = lines.try_emplace(place.line, file.line(place.line));
      if (isNew)
        grown = 0;
      // Earlier edits of the line move it; the sum wraps where they shrink.
      const size_t first = std::min(place.column - 1 + grown, line->second.size());
      line->second.replace(first, edit.at.end - edit.at.begin, edit.text);
      grown += edit.text.size() - (edit.at.end - edit.at.begin);
      marks.push_back({place.line, first, first + edit.text.size(), edit.text.empty() ? '~' : '+'});
    }
    printMarks(marks, [&](unsigned number) -> std::string_view { return lines.at(number); });
  }
};

} // namespace

std::string formatDiagnostic(const Diagnostic &diagnostic, bool color) {
  std::string out;
  Printer(out, color).print(diagnostic);
  return out;
}

} // namespace sextant
