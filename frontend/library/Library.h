// The SIMT library: the operations above the native ones, in the kernel language. Its
// source text is part of the compiler.
#pragma once

#include <string_view>

namespace sextant {

/// The text of the library module behind a namespace ("subgroup", "block"); empty where
/// there is none. Lives as long as the program.
std::string_view libraryModule(std::string_view name);

} // namespace sextant
