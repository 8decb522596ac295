// The parts of generated headers that C and C++ share: names, types, comments, parameter lists.
#pragma once

#include "loader/format/Module.h"

#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::header {

/// Returns `name` as an identifier that neither C nor C++ reserves and that is not in `taken`, and
/// adds it to `taken`.
std::string identifier(const std::string &name, std::set<std::string> &taken);

/// The names in a header that are the module's: of itself, kernels, parameters, fields, structs and
/// their members. The header is read without macros of these names.
std::set<std::string> namesOf(const std::string &name, const std::vector<module::Kernel> &kernels,
                              const module::ModuleInfo &info);

/// Returns a string literal of these bytes. Letters that could end a line, a literal or a comment
/// are escaped.
std::string literal(std::string_view text);

/// The type of a scalar in C and C++. C has its bits for a real of 16 bits, C++ a type of ours.
enum class Language { C, Cpp };
std::string scalarType(module::DType type, Language language);

/// Returns lines of `//`. No letter of `text` can end a line or continue it, so nothing of it
/// becomes code.
void comment(std::ostream &out, std::string_view indent, std::string_view text);

/// Returns the kernel's return values, in order.
std::vector<module::Hidden> resultsOf(const module::Kernel &kernel);

/// Returns true if a launch of the kernel may end at a checkpoint.
bool hasCheckpoints(const module::Kernel &kernel);

/// Returns the names by which the loader finds the module's fields: with the file, if other files
/// have a field of that name.
std::vector<std::string> fieldNames(const module::ModuleInfo &info);

/// Returns `opening` and the parameters, which wrap at 100 columns below the first. The caller adds
/// what follows.
std::string parameterList(const std::string &opening, const std::vector<std::string> &parameters);

/// One instance, with its parameters' names as identifiers.
struct KernelText {
  const module::Kernel &kernel;
  std::string name; ///< an identifier, unique in the header
  std::vector<std::string> parameters;
  std::vector<module::Hidden> results;
};
/// Describes an instance, "`scan_i32`, an instance of `scan`", and what a call does.
std::string describe(const KernelText &text);

/// The headers that the two parts of a header include.
inline constexpr const char *includesOfCpp =
    "#include <sextant/sextant.hpp>\n\n#include <cstddef>\n#include <memory>\n#include <tuple>\n"
    "#include <utility>\n";
inline constexpr const char *includesOfC =
    "#include <sextant/sextant.h>\n\n#include <stdatomic.h>\n#include <stdbool.h>\n#include "
    "<stddef.h>\n";

/// The two parts of a header. `symbol` is that of the embedded bytes, or empty.
void emitCpp(std::ostream &out, const std::string &name, const std::string &symbol,
             const std::vector<module::Kernel> &kernels, const module::ModuleInfo &info);
void emitC(std::ostream &out, const std::string &name, const std::string &symbol,
           const std::vector<module::Kernel> &kernels, const module::ModuleInfo &info);

} // namespace sextant::header
