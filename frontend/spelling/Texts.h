// Lists, counts and capitals in texts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sextant {

/// "a, b, c"
std::string joined(std::span<const std::string> words, std::string_view between = ", ");
/// The parts between separators; one of an empty text.
std::vector<std::string> split(std::string_view text, char separator);
/// "1 task", "2 tasks"
std::string countText(uint64_t count, std::string_view noun);
/// Letters of ASCII as capitals.
std::string upper(std::string text);

} // namespace sextant
