// Words of generated headers that C and C++ share: names, types, comments, parameter lists.
#pragma once

#include "loader/format/Module.h"

#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::header {

/// `name` as an identifier that neither C nor C++ reserves, and that is not in `taken`, which it
/// joins.
std::string identifier(const std::string &name, std::set<std::string> &taken);

/// A string literal of these bytes; only letters that end no line, literal or comment stay.
std::string literal(std::string_view text);

/// The type of a scalar in C and C++. C has its bits for a real of 16 bits, C++ a type of ours.
enum class Language { C, Cpp };
std::string scalarType(module::DType type, Language language);

/// Lines of `//`, of which nothing reaches code: no letter of `text` ends a line or continues it.
void comment(std::ostream &out, std::string_view indent, std::string_view text);

/// What a kernel returns, in order.
std::vector<module::Hidden> resultsOf(const module::Kernel &kernel);

/// `name` of a field as the loader finds it: with its file, where other files have one of that
/// name.
std::string fieldName(const module::ModuleInfo &info, const module::Global &global);

/// `opening` and the parameters, which wrap at 100 columns below the first, without what follows.
std::string parameterList(const std::string &opening, const std::vector<std::string> &parameters);

/// One instance, its parameters' names as identifiers.
struct KernelText {
  const module::Kernel &kernel;
  std::string name; ///< an identifier, unique in the header
  std::vector<std::string> parameters;
  std::vector<module::Hidden> results;
};
/// "`scan_i32`, an instance of `scan`", and what a call does.
std::string describe(const KernelText &text);

/// The two parts of a header. `symbol`: of the embedded bytes, or empty.
void emitCpp(std::ostream &out, const std::string &name, const std::string &symbol,
             const std::vector<module::Kernel> &kernels, const module::ModuleInfo &info);
void emitC(std::ostream &out, const std::string &name, const std::string &symbol,
           const std::vector<module::Kernel> &kernels);

} // namespace sextant::header
