// Compile-time values as text.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Prints a compile-time value as Python's `str` does, as far as there is such a thing.
/// \param digits of a number behind the point, or absent: as many as it needs
std::string printed(const Value &value, std::optional<unsigned> digits = {});

/// Reads the format of a field, `.3f`. Absent if there is none; other formats are an error.
std::optional<unsigned> digitsOf(Context &cx, const ast::FormatString::Part &part);

} // namespace sextant::sema
