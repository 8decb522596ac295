// The sections of docs/messages, one for each message that has a name, for the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sextant {

/// The section of a message, code indented by four: its cause, an example that raises it, and the
/// example cured. Empty if docs/messages has none of that name.
std::string messageSection(std::string_view name);

/// The names that have a section, in the order of the pages.
std::vector<std::string> messageNames();

} // namespace sextant
