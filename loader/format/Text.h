// Texts of a module are anybody's: bytes that are no UTF-8, control characters that a
// terminal obeys, line ends that forge lines of a message. What is shown goes through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sextant::module {

/// Bytes of the UTF-8 sequence (RFC 3629) that `text` begins with; 0: it begins with none.
size_t utf8Length(std::string_view text);
/// Of one such sequence.
uint32_t codePoint(std::string_view sequence);

/// Whether a terminal obeys the character instead of showing it: control characters, separators of
/// lines and paragraphs, marks that change the direction of writing.
bool isObeyed(uint32_t code);

/// Whether a terminal shows `text` on one line, in order, and does nothing else: UTF-8 of
/// which nothing is obeyed.
bool isPrintable(std::string_view text);

/// The same text in such a form: `\n`, `\x1b`, `\u202e`; `\xff` for a byte that is no UTF-8.
std::string printable(std::string_view text);
/// Line by line: line ends and tabs stay.
std::string printableLines(std::string_view text);

} // namespace sextant::module
