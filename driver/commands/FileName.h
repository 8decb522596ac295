// File names that are made of a module's texts, which are untrusted.
#pragma once

#include <string>
#include <string_view>

namespace sextant {

/// Returns `STEM.EXTENSION` as a name that stays in its folder. It has only letters, digits and
/// `._+-`; every other character becomes `_`. It does not begin with a point or a dash. A long stem
/// is cut. With an empty extension there is none.
std::string fileName(std::string_view stem, std::string_view extension = {});

} // namespace sextant
