// The structs of a generated header: those that lie in arrays in one piece.
#pragma once

#include "driver/bindings/HeaderText.h"
#include "loader/abi/Structure.h"

#include <map>

namespace sextant::header {

/// The structs that a module's arrays have as elements, and those in them. Each has one name.
class Structures {
public:
  /// Names them, each after `prefix`. The names are not in `taken`, to which they are added, and
  /// leave those of kernels and fields free. Throws a Refusal if the module describes a struct that
  /// cannot be.
  Structures(const std::vector<module::Kernel> &kernels, const module::ModuleInfo &info,
             const std::string &prefix, std::set<std::string> &taken);

  /// Returns the name of the struct, a value of Argument::structure that is not empty.
  const std::string &nameOf(const std::string &structure) const { return names.at(structure); }

  /// Writes all of them, inner ones first, with tests of where their members lie.
  void emit(std::ostream &out, Language language, std::string_view indent) const;

private:
  void add(const abi::Structure &type, const std::string &prefix, std::set<std::string> &taken);
  void emitMember(std::ostream &out, Language language, const abi::StructureMember &member,
                  const std::string &name) const;

  std::map<std::string, std::string> names; ///< a text's name
  std::vector<abi::Structure> types;        ///< inner ones first
  std::set<std::string> elements;           ///< the texts of those that are elements of arrays
};

} // namespace sextant::header
