// Texts of a module are untrusted. They may have invalid UTF-8, control characters that a terminal
// obeys, or line ends that forge lines of a message. Everything that is shown goes through these
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sextant::module {

/// Returns the length of the UTF-8 sequence (RFC 3629) at the start of `text`, or 0 if there is no
/// valid one.
size_t utf8Length(std::string_view text);
/// Decodes one such sequence.
uint32_t codePoint(std::string_view sequence);

/// Returns true if a terminal obeys the character instead of showing it: control characters,
/// separators of lines and paragraphs, marks that change the direction of writing.
bool isObeyed(uint32_t code);

/// Returns true if a terminal shows `text` on one line, in order, and does nothing else: valid
/// UTF-8 without characters that a terminal obeys.
bool isPrintable(std::string_view text);

/// Escapes the text so that it is printable: `\n`, `\x1b`, `\u202e`; `\xff` for a byte that is not
/// UTF-8.
std::string printable(std::string_view text);
/// The same line by line: line ends and tabs stay.
std::string printableLines(std::string_view text);

/// Makes a message as printf does. What a loader says is rare, and its size counts: such a call is
/// a third of a chain of sums of strings.
[[gnu::format(printf, 1, 2)]] std::string message(const char *format, ...);

} // namespace sextant::module
