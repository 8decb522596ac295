// Compile-time values as text.
#pragma once

#include "frontend/sema/values/Value.h"

namespace sextant::sema {

/// Prints a compile-time value as Python's `str` does, as far as there is such a thing.
std::string printed(const Value &value);

} // namespace sextant::sema
