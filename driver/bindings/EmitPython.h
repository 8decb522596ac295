// The typed Python package of a module (`sextant wheel`).
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace sextant {

/// Returns why a Python package must not have the name; empty: the name is fine.
std::string packageNameProblem(const std::string &name);

/// Returns the package's `__init__.py`: a function for each kernel of the module, with its
/// arguments' names and types and its docstring, over the package `sextant`. The module is opened
/// when a kernel is first called. Throws Refusal.
/// \param moduleFile the module's file in the package's folder
std::string emitPython(std::span<const std::byte> module, const std::string &moduleFile,
                       const std::string &version);

} // namespace sextant
