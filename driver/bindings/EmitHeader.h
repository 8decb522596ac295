// The typed C++ header of a module (`--emit-header`).
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace sextant {

/// Returns a header with one struct, which is named after the file `path`. Its members launch the
/// module's kernels with checked types. Throws Refusal.
/// \param embedSymbol the symbol of the module's bytes, if the program embeds them (`SYMBOL` to
/// `SYMBOL_end`); else empty
std::string emitHeader(std::span<const std::byte> module, const std::string &path,
                       const std::string &embedSymbol);

} // namespace sextant
