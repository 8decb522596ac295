// Finds sections in the pages of docs/messages, which are part of the program.
#include "driver/commands/MessageSections.h"

#include <algorithm>

namespace sextant {
namespace {

constexpr std::string_view pages[] = {
#include "MessagePages.inc"
};

struct Section {
  std::string_view name, text;
};

std::vector<Section> sections() {
  constexpr std::string_view mark = "\n## ";
  std::vector<Section> all;
  for (std::string_view page : pages)
    for (size_t at = page.find(mark); at != page.npos;) {
      at += mark.size();
      const size_t line = page.find('\n', at), next = page.find(mark, line);
      all.push_back({page.substr(at, line - at), page.substr(line + 1, next - line - 1)});
      at = next;
    }
  return all;
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
  for (const Section &section : sections())
    if (section.name == name)
      return std::string(name) + "\n" + plain(section.text);
  return "";
}

std::vector<std::string> messageNames() {
  std::vector<std::string> names;
  for (const Section &section : sections())
    names.emplace_back(section.name);
  return names;
}

} // namespace sextant
