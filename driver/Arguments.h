// Prepares the command line for the parser.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace sextant {

/// Decides which arguments are options, their values, the command and its operands, and writes them
/// as words for the parser. The rules, which hold for every command: the first `--` ends the
/// options and is left out; no option is unknown, or without its value; no argument or value is
/// empty. A program that a command runs gets its own arguments as they are. Throws Refusal.
std::vector<std::string> wordsForParser(const CLI::App &app,
                                        const std::vector<std::string> &arguments);

/// Returns an operand among these words as it was written.
std::string operandOf(const std::string &word);
/// Makes the parser give commands their operands as they were written. An option that may be
/// repeated takes one value each time.
void takeOperands(CLI::App &app);

} // namespace sextant
