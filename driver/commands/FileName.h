// Names of files that are made of a module's texts, which say whatever its maker liked.
#pragma once

#include <string>
#include <string_view>

namespace sextant {

/// `STEM.EXTENSION` as a name in the folder where it is used, and no other: letters, digits and
/// `._+-`, what else is there becomes `_`; it does not begin with a point or a dash. A long stem
/// is cut. An empty extension: none.
std::string fileName(std::string_view stem, std::string_view extension = {});

} // namespace sextant
