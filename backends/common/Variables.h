// Environment variables that name tools and files of vendors' toolkits.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace sextant {

/// An environment variable; an empty one is an unset one.
std::optional<std::string> environmentVariable(llvm::StringRef name);

/// "$SEXTANT_PTXAS is '/nope', which does not exist", for a tool that was not found though
/// the variable names the only one to use; "" where it is not set. \param use what cannot be done
/// with a file that is there: "run" or "read"
std::string chosenInVain(llvm::StringRef variable, llvm::StringRef use);

} // namespace sextant
