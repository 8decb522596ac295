// Finds sections in the pages of docs/messages, which are part of the program.
#include "driver/commands/MessageSections.h"

#include <algorithm>

namespace sextant {
namespace {

constexpr std::string_view pages[] = {
#include "MessagePages.inc"
};

/// Calls `visit(name, text)` for each section of a page until it returns true.
template <class Visit> bool eachSection(std::string_view page, Visit visit) {
  constexpr std::string_view mark = "\n## ";
  for (size_t at = page.find(mark); at != page.npos;) {
    at += mark.size();
    const size_t line = page.find('\n', at), next = page.find(mark, line);
    if (visit(page.substr(at, line - at), page.substr(line + 1, next - line - 1)))
      return true;
    at = next;
  }
  return false;
}

/// Markdown for a terminal: fences go, and what is between them is indented.
std::string plain(std::string_view text) {
  std::string out;
  bool isCode = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("```"))
      isCode = !isCode;
    else
      out.append(isCode && !line.empty() ? "    " : "").append(line).append("\n");
  }
  while (out.ends_with("\n\n"))
    out.pop_back();
  return out;
}

} // namespace

std::string messageSection(std::string_view name) {
  std::string found;
  for (std::string_view page : pages)
    if (eachSection(page, [&](std::string_view title, std::string_view text) {
          if (title == name)
            found = std::string(name) + "\n" + plain(text);
          return title == name;
        }))
      break;
  return found;
}

std::vector<std::string> messageNames() {
  std::vector<std::string> names;
  for (std::string_view page : pages)
    eachSection(page, [&](std::string_view title, std::string_view) {
      names.emplace_back(title);
      return false;
    });
  return names;
}

} // namespace sextant
