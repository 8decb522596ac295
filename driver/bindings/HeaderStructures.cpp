#include "driver/bindings/HeaderStructures.h"

#include "driver/Environment.h"
#include "loader/format/Text.h"

namespace sextant::header {

Structures::Structures(const std::vector<module::Kernel> &kernels, const module::ModuleInfo &info,
                       const std::string &prefix, std::set<std::string> &taken) {
  std::set<std::string> reserved = taken;
  reserved.insert({"Prepared", "Step"}); // classes in those of kernels
  for (const module::Kernel &kernel : kernels)
    reserved.insert({prefix + kernel.instance, prefix + kernel.instance + "_kernel"});
  for (const module::Global &global : info.globals)
    reserved.insert(prefix + global.name);
  // The loader takes elements for vectors: the struct has to be as large.
  auto addElement = [&](const auto &array, const std::string &what) {
    if (array.structure.empty())
      return;
    const std::optional<abi::Structure> type = abi::structureOf(array.structure);
    const abi::StructureLayout layout = type ? abi::layoutOf(*type) : abi::StructureLayout();
    const uint64_t bytes = uint64_t(array.rows) * array.cols * abi::sizeOf(array.dtype);
    if (!type || abi::textOf(*type) != array.structure || layout.size != bytes ||
        layout.unit != array.dtype)
      throw Refusal(Problem::ModuleUnreadable,
                    "corrupt module: the struct of " + what + " is described as '" +
                        module::printable(array.structure) + "'; build or copy it again");
    elements.insert(array.structure);
    add(*type, prefix, reserved);
  };
  for (const module::Kernel &kernel : kernels)
    for (const module::Argument &argument : kernel.arguments)
      addElement(argument, "the argument '" + argument.name + "'");
  for (const module::Global &global : info.globals)
    addElement(global, "the field '" + global.name + "'");
  for (const auto &[text, name] : names)
    taken.insert(name);
}

void Structures::add(const abi::Structure &type, const std::string &prefix,
                     std::set<std::string> &taken) {
  const std::string text = abi::textOf(type);
  if (names.count(text) || abi::layoutOf(type).scalars == 0)
    return;
  for (const abi::StructureMember &member : type.members)
    if (!member.inner.empty())
      add(member.inner.front(), prefix, taken);
  names[text] = identifier(prefix + type.name, taken);
  types.push_back(type);
}

/// `float pos[3]`, or a vector of sextant.hpp.
void Structures::emitMember(std::ostream &out, Language language,
                            const abi::StructureMember &member, const std::string &name) const {
  if (!member.inner.empty()) {
    out << nameOf(abi::textOf(member.inner.front())) << " " << name;
    return;
  }
  const std::string scalar = scalarType(member.dtype, language);
  const std::string rows = std::to_string(member.rows), cols = std::to_string(member.cols);
  if (member.rows == 1 && member.cols == 1)
    out << scalar << " " << name;
  else if (language == Language::C)
    out << scalar << " " << name << "[" << rows << "]"
        << (member.cols == 1 ? "" : "[" + cols + "]");
  else if (member.cols == 1)
    out << "sextant::Vector<" << scalar << ", " << rows << "> " << name;
  else
    out << "sextant::Matrix<" << scalar << ", " << rows << ", " << cols << "> " << name;
}

void Structures::emit(std::ostream &out, Language language, std::string_view indent) const {
  const bool isC = language == Language::C;
  const char *check = isC ? "_Static_assert" : "static_assert";
  for (const abi::Structure &type : types) {
    const abi::StructureLayout layout = abi::layoutOf(type);
    const std::string text = abi::textOf(type), &name = nameOf(text);
    std::vector<std::pair<std::string, uint64_t>> places;
    out << "\n";
    comment(out, indent, "The struct `" + type.name + "`, as kernels have it in memory.");
    out << indent << (isC ? "typedef struct " : "struct ") << name << " {\n";
    if (!isC && elements.count(text))
      out << indent << "  using SextantUnit = " << scalarType(layout.unit, language)
          << "; // of which sextant::Element makes elements of arrays\n";
    std::set<std::string> members{"SextantUnit", name};
    for (size_t k = 0; k < type.members.size(); ++k) {
      const abi::StructureMember &member = type.members[k];
      if (!member.inner.empty() && abi::layoutOf(member.inner.front()).scalars == 0)
        continue; // takes no place, as in no C
      const std::string own = identifier(member.name, members);
      out << indent << "  ";
      emitMember(out, language, member, own);
      out << ";\n";
      places.emplace_back(own, layout.offsets[k]);
    }
    out << indent << "}" << (isC ? " " + name : "") << ";\n"
        << indent << check << "(sizeof(" << name << ") == " << layout.size
        << ", \"kernels have another layout\");\n";
    for (const auto &[member, offset] : places)
      out << indent << check << "(offsetof(" << name << ", " << member << ") == " << offset
          << ", \"kernels have another layout\");\n";
  }
}

} // namespace sextant::header
