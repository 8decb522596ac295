#include "frontend/syntax/Docstring.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace sextant {

namespace {

/// The lines, with tabs as spaces up to the next multiple of 8, and without blanks at their ends.
std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines(1);
  for (char letter : text) {
    if (letter == '\n')
      lines.emplace_back();
    else if (letter == '\t')
      lines.back().append(8 - lines.back().size() % 8, ' ');
    else if (letter != '\0')
      lines.back() += letter;
  }
  for (std::string &line : lines)
    line.erase(line.find_last_not_of(" \r\f\v") + 1);
  return lines;
}

} // namespace

std::string docstringOf(const ast::FunctionDef &function) {
  if (function.body.empty())
    return {};
  auto *first = std::get_if<ast::ExprStmt>(&function.body[0]->node);
  auto *text = first ? std::get_if<ast::StringLit>(&first->value->node) : nullptr;
  if (!text || !text->unread.empty())
    return {};
  std::vector<std::string> lines = linesOf(text->value);
  size_t margin = std::string::npos;
  for (size_t i = 1; i < lines.size(); ++i)
    margin = std::min(margin, lines[i].find_first_not_of(' '));
  lines[0].erase(0, std::min(lines[0].find_first_not_of(' '), lines[0].size()));
  for (size_t i = 1; i < lines.size(); ++i)
    lines[i].erase(0, std::min(margin, lines[i].size()));
  auto isEmpty = [](const std::string &line) { return line.empty(); };
  lines.erase(lines.begin(), std::find_if_not(lines.begin(), lines.end(), isEmpty));
  lines.erase(std::find_if_not(lines.rbegin(), lines.rend(), isEmpty).base(), lines.end());
  std::string out;
  for (const std::string &line : lines)
    out += (out.empty() ? "" : "\n") + line;
  return out;
}

} // namespace sextant
