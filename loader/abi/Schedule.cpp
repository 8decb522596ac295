#include "loader/abi/Schedule.h"

#include <charconv>
#include <iterator>

namespace sextant::abi {

namespace {
constexpr std::string_view words[] = {"", "loop", "checkpoint", "fork", "branch"};

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
} // namespace

std::string textOf(const std::vector<Span> &spans) {
  std::string text;
  for (const Span &span : spans) {
    text += words[span.kind];
    text += " " + std::to_string(span.begin) + " " + std::to_string(span.end);
    if (span.kind == Span::Checkpoint)
      text += " " + std::to_string(span.label);
    text += "\n";
  }
  return text;
}

bool readSchedule(std::string_view text, size_t tasks, std::vector<Span> &spans) {
  spans.clear();
  std::vector<uint32_t> ends = {uint32_t(tasks)}; // of the spans around
  uint32_t begin = 0;
  while (!text.empty()) {
    Span span;
    size_t kind = 1;
    while (kind < std::size(words) && !text.starts_with(words[kind]))
      ++kind;
    if (kind == std::size(words))
      return false;
    span.kind = Span::Kind(kind);
    text.remove_prefix(words[kind].size());
    if (!take(text, ' ', span.begin) || !take(text, ' ', span.end) ||
        (span.kind == Span::Checkpoint && !take(text, ' ', span.label)) || !text.starts_with('\n'))
      return false;
    text.remove_prefix(1);
    while (ends.size() > 1 && span.begin >= ends.back())
      ends.pop_back();
    if (span.begin < begin || span.end <= span.begin || span.end > ends.back())
      return false;
    begin = span.begin;
    ends.push_back(span.end);
    spans.push_back(span);
  }
  return true;
}

} // namespace sextant::abi
