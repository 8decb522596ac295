// Environment variables that name tools and files of vendors' toolkits.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>

namespace sextant {

/// Returns an environment variable. An empty variable counts as unset.
std::optional<std::string> environmentVariable(llvm::StringRef name);

/// Returns the bytes of a toolkit's file, or null: it cannot be read, or is a pipe or a device,
/// which may have no end.
std::unique_ptr<llvm::MemoryBuffer> readToolFile(const llvm::Twine &path);

/// Explains why a tool was not found although a variable names the only one to use: "$SEXTANT_PTXAS
/// is '/nope', which does not exist". "" if the variable is not set.
/// \param use what fails if the file exists: "run" or "read"
std::string chosenInVain(llvm::StringRef variable, llvm::StringRef use);

} // namespace sextant
