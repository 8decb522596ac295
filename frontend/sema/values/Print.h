// Compile-time values as text.
#pragma once

#include "frontend/sema/Context.h"
#include "loader/abi/NumberFormat.h"

namespace sextant::sema {

/// False after an error: nothing shows such a value, an array for one.
bool hasText(Context &cx, const Value &value, SourceRange at);
/// A string as Python's `repr` has it.
std::string quoted(std::string_view text);
/// Prints a compile-time value as Python's `str` does, as far as there is such a thing, or as the
/// format has it.
std::string printed(const Value &value, const abi::NumberFormat *format = nullptr);

/// Reads the format of a field, `.3f`, `>8`, `08x`. Absent if it is empty, and after an error.
std::optional<abi::NumberFormat> formatOf(Context &cx, const std::string &spec, SourceRange at);

} // namespace sextant::sema
