// Manual pages.
#pragma once

#include "driver/CommandTable.h"

namespace sextant {

/// Returns the page of a command of the table, or of the program, as `man` reads it (man(7)).
/// \param version of the program
std::string manPage(const std::vector<CommandRow> &table, const CommandRow &command,
                    const std::string &version);

} // namespace sextant
