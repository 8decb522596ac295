// The library: what is written in the kernel language itself (SIMT operations above the native
// ones, part of `qd.math`, methods of arrays).
// Its source text is part of the compiler.
#pragma once

#include <string_view>

namespace sextant {

/// The text of the library module behind a namespace ("subgroup", "math"); empty where
/// there is none. Lives as long as the program.
std::string_view libraryModule(std::string_view name);

} // namespace sextant
