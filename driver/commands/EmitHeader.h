// The typed C++ header of a module (`--emit-header`).
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace sextant {

/// A header with one struct, named after the file `path`, whose members launch the
/// module's kernels with checked types.
/// \param embedSymbol where the program embeds the module's bytes (`SYMBOL` to
///        `SYMBOL_end`), or empty
/// Throws Refusal.
std::string emitHeader(std::span<const std::byte> module, const std::string &path,
                       const std::string &embedSymbol);

} // namespace sextant
