// Texts spelled in ASCII, for readers that are sure only of that. `~` and two hexadecimal digits
// stand for each byte beyond ASCII, and for each `~`.
#pragma once

#include <string>
#include <string_view>

namespace sextant {

std::string asciiSpelling(std::string_view text);

/// Returns the text that is spelled so. A `~` without digits stays.
std::string fromAsciiSpelling(std::string_view spelling);

/// Returns the place (in bytes) of the character of `line` that has the column of its spelling.
/// Columns begin at 1. The line is valid UTF-8.
size_t placeOfAsciiColumn(std::string_view line, size_t column);

} // namespace sextant
