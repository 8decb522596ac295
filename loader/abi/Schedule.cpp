#include "loader/abi/Schedule.h"

#include <algorithm>
#include <charconv>

namespace sextant::abi {

namespace {
/// Takes a number and the character in front of it off the text.
template <class Number> bool take(std::string_view &text, char before, Number &number) {
  if (text.empty() || text[0] != before)
    return false;
  const auto [end, problem] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (problem != std::errc())
    return false;
  text.remove_prefix(size_t(end - text.data()));
  return true;
}

/// A span that others may lie in, and the end of those that do so far.
struct Around {
  Span::Kind kind;
  uint32_t end, next;

  /// A runner of a fork goes from branch to branch, without a look at what else may be there.
  bool isWhole() const { return kind != Span::Fork || next == end; }
};

/// More than sources can nest. A runner of the spans calls itself for each.
constexpr size_t maxDepth = 256;
} // namespace

std::string textOf(const std::vector<Span> &spans) {
  std::string text;
  for (const Span &span : spans) {
    text += wordOf(span.kind);
    text += " " + std::to_string(span.begin) + " " + std::to_string(span.end);
    if (span.kind == Span::Checkpoint)
      text += " " + std::to_string(span.label);
    text += "\n";
  }
  return text;
}

bool readSchedule(std::string_view text, size_t tasks, std::vector<Span> &spans) {
  spans.clear();
  std::vector<Around> around = {{Span::Kernel, uint32_t(tasks), 0}};
  uint32_t begin = 0;
  while (!text.empty()) {
    Span span;
    const std::string_view word = text.substr(0, text.find(' '));
    const auto kind = fromWord<Span::Kind>(word);
    if (!kind || *kind == Span::Kernel)
      return false;
    span.kind = *kind;
    text.remove_prefix(word.size());
    if (!take(text, ' ', span.begin) || !take(text, ' ', span.end) ||
        (span.kind == Span::Checkpoint && !take(text, ' ', span.label)) || !text.starts_with('\n'))
      return false;
    text.remove_prefix(1);
    for (; around.size() > 1 && span.begin >= around.back().end; around.pop_back())
      if (!around.back().isWhole())
        return false;
    Around &outer = around.back();
    if (span.begin < begin || span.end <= span.begin || span.end > outer.end ||
        around.size() > maxDepth)
      return false;
    if (outer.kind == Span::Fork ? span.kind != Span::Branch || span.begin != outer.next
                                 : span.kind == Span::Branch)
      return false;
    begin = span.begin;
    outer.next = span.end;
    around.push_back({span.kind, span.end, span.begin});
    spans.push_back(span);
  }
  return std::all_of(around.begin(), around.end(), [](const Around &a) { return a.isWhole(); });
}

} // namespace sextant::abi
