// Scripts by which shells complete the command line.
#pragma once

#include "driver/CommandTable.h"

namespace sextant {

/// Returns the script for "bash", "zsh" or "fish". Options, commands, the values of options that
/// have only some, and the names of targets are completed; all else is files.
/// \param targets what a list of targets may name
std::string completionsFor(const std::string &shell, const std::vector<CommandRow> &table,
                           const std::vector<std::string> &targets);

} // namespace sextant
