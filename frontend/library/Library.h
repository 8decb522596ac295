// The part of the language that is written in the kernel language itself: SIMT operations above the
// native ones, part of `qd.math`, methods of arrays. Its source text is part of the compiler.
#pragma once

#include <string_view>

namespace sextant {

/// Returns the text of the library module of a namespace ("subgroup", "math"), or "" if there
/// is none. It lives as long as the program.
std::string_view libraryModule(std::string_view name);

} // namespace sextant
