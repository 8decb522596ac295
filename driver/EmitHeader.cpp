// Writes C++ over sextant.hpp from what a module says about its kernels.
#include "driver/EmitHeader.h"

#include "driver/Environment.h"
#include "loader/format/Reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iomanip>
#include <set>
#include <sstream>

namespace sextant {
namespace {

/// `name` as a C++ identifier that is not reserved and not in `taken`.
std::string identifier(const std::string &name, const std::set<std::string> &taken) {
  static const std::set<std::string> keywords{
      "alignas", "alignof", "and",       "asm",     "auto",     "bool",      "break",    "case",
      "catch",   "char",    "class",     "concept", "const",    "constexpr", "continue", "default",
      "delete",  "do",      "double",    "else",    "enum",     "explicit",  "export",   "extern",
      "false",   "float",   "for",       "friend",  "goto",     "if",        "inline",   "int",
      "long",    "mutable", "namespace", "new",     "noexcept", "not",       "nullptr",  "operator",
      "or",      "private", "protected", "public",  "register", "requires",  "return",   "short",
      "signed",  "sizeof",  "static",    "struct",  "switch",   "template",  "this",     "throw",
      "true",    "try",     "typedef",   "typeid",  "typename", "union",     "unsigned", "using",
      "virtual", "void",    "volatile",  "wchar_t", "while",    "xor",       "int8_t",   "sextant",
      "std"};
  std::string result;
  for (char letter : name)
    result += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])))
    result.insert(result.begin(), '_');
  while (keywords.count(result) || taken.count(result))
    result += '_';
  return result;
}

std::string scalarType(module::DType type) {
  switch (type) {
  case module::DType::Bool:
    return "bool";
  case module::DType::F16:
    return "sextant::Half";
  case module::DType::F32:
    return "float";
  case module::DType::F64:
    return "double";
  default:
    std::string name(module::nameOf(type));
    return std::string(name[0] == 'u' ? "uint" : "int") + name.substr(1) + "_t";
  }
}

std::string elementType(module::DType type, unsigned rows, unsigned cols) {
  if (rows == 1 && cols == 1)
    return scalarType(type);
  std::string text = (cols == 1 ? "sextant::Vector<" : "sextant::Matrix<") + scalarType(type) +
                     ", " + std::to_string(rows);
  return text + (cols == 1 ? "" : ", " + std::to_string(cols)) + ">";
}

std::string parameterType(const module::Argument &argument) {
  std::string element = elementType(argument.dtype, argument.rows, argument.cols);
  switch (argument.kind) {
  case module::Argument::Array:
    return "sextant::ArrayView<" + element + ", " + std::to_string(argument.ndim) + ">";
  case module::Argument::Matrix:
    return "const " + element + " &";
  default:
    return element;
  }
}

/// The return values' types, in order.
std::vector<std::string> resultTypes(const module::Kernel &kernel) {
  std::vector<std::string> types;
  if (!kernel.plans.empty())
    for (const module::Hidden &hidden : kernel.plans.front().hidden)
      if (hidden.role == module::Hidden::Return)
        types.push_back(elementType(hidden.dtype, hidden.rows, hidden.cols));
  return types;
}

void emitKernel(std::ostream &out, const module::Kernel &kernel, const std::string &member,
                size_t slot) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const module::Argument &argument : kernel.arguments) {
    names.push_back(identifier(argument.name, taken));
    taken.insert(names.back());
  }
  std::string stream = identifier("stream", taken);
  std::vector<std::string> results = resultTypes(kernel);
  std::string type = results.empty() ? "void" : results.front();
  if (results.size() > 1) {
    type = "std::tuple<";
    for (size_t index = 0; index < results.size(); ++index)
      type += (index ? ", " : "") + results[index];
    type += ">";
  }
  out << "\n  /// `" << kernel.instance << "`";
  if (kernel.instance != kernel.name)
    out << ", an instance of `" << kernel.name << "`";
  out << (results.empty() ? ": queues a launch.\n" : ": launches, waits, gives what it returns.\n");
  // Parameters wrap at 100 columns, below the first.
  std::string line = "  sextant::Result<" + type + "> " + member + "(";
  std::string indent(line.size(), ' ');
  std::string passed = stream;
  auto parameter = [&](const std::string &text, bool first) {
    if (!first)
      line += ",";
    if (!first && line.size() + 1 + text.size() > 90) {
      out << line << "\n";
      line = indent;
    } else if (!first) {
      line += " ";
    }
    line += text;
  };
  parameter("const sextant::Stream &" + stream, true);
  for (size_t index = 0; index < names.size(); ++index) {
    std::string text = parameterType(kernel.arguments[index]);
    parameter(text + (text.back() == '&' ? "" : " ") + names[index], false);
    passed += ", " + names[index];
  }
  out << line;
  out << ") const {\n";
  std::string call = results.empty()       ? "launch"
                     : results.size() == 1 ? "call<" + type + ">"
                                           : "callAll<" + type + ">";
  out << "    return sextantKernels." << call << "(sextantProgram, " << slot << ", \""
      << kernel.instance << "\",\n        " << passed << ");\n  }\n";
}

/// `name` is what the loader finds it by: with its file, where other files have one of that name.
void emitField(std::ostream &out, const module::Global &global, const std::string &name,
               const std::string &member) {
  std::string type = elementType(global.dtype, global.rows, global.cols) + ", " +
                     std::to_string(global.shape.size());
  out << "\n  /// The field `" << global.name << "`, shared by the module's kernels.\n"
      << "  sextant::Result<sextant::ArrayView<" << type << ">> " << member << "() const {\n"
      << "    return sextantProgram.global<" << type << ">(" << std::quoted(name) << ");\n  }\n";
}

template <class T> T require(module::Result<T> result) {
  if (!result)
    throw Refusal(result.error().message);
  return std::move(*result);
}

} // namespace

std::string emitHeader(std::span<const std::byte> bytes, const std::string &path,
                       const std::string &embedSymbol) {
  module::Reader reader = require(module::Reader::fromMemory(bytes));
  module::ModuleInfo info = require(reader.info());
  std::vector<module::Kernel> kernels;
  for (uint32_t index = 0; index < reader.kernelCount(); ++index)
    kernels.push_back(require(reader.kernel(index)));
  std::sort(kernels.begin(), kernels.end(),
            [](const auto &left, const auto &right) { return left.instance < right.instance; });

  std::string name = identifier(std::filesystem::path(path).stem().string(), {});
  std::set<std::string> members{name, "sextantProgram", "sextantKernels", "sextantModule",
                                "create"};
  std::ostringstream out;
  out << "// Made by " << info.compiler << " from";
  for (const module::Source &source : info.sources)
    out << " " << std::filesystem::path(source.path).filename().string();
  out << ". Do not edit.\n#pragma once\n\n";
  if (!embedSymbol.empty())
    out << "/* The module's bytes, embedded in the program. */\n"
        << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
        << "extern const unsigned char " << embedSymbol << "[], " << embedSymbol << "_end[];\n"
        << "#ifdef __cplusplus\n}\n#endif\n\n";
  out << "#ifdef __cplusplus\n"
      << "#include <sextant/sextant.hpp>\n\n#include <tuple>\n#include <utility>\n\n"
      << "/// The module's kernels on a device. Launches may come from any thread; a kernel's\n"
      << "/// variant is chosen and loaded at its first launch. Calls return a sextant::Result, or "
         "with\n"
      << "/// SEXTANT_THROWS the value, and throw a sextant::Error.\n"
      << "struct " << name << " {\n";
  const std::string made = "sextant::Result<" + name + ">";
  if (!embedSymbol.empty())
    out << "  /// The embedded module.\n"
        << "  static sextant::Result<sextant::Module> sextantModule() {\n"
        << "    return sextant::Module::fromMemory(" << embedSymbol << ",\n"
        << "                                       static_cast<size_t>(" << embedSymbol << "_end - "
        << embedSymbol << "));\n  }\n"
        << "  static " << made << " create(const sextant::Device &device) {\n"
        << "    return sextant::then(sextantModule(), [&device](const sextant::Module &module) {\n"
        << "      return create(module, device);\n    });\n  }\n";
  out << "  static " << made << " create(const sextant::Module &module,\n"
      << "      const sextant::Device &device) {\n"
      << "    return sextant::then(sextant::Program::create(module, device),\n"
      << "        [](sextant::Program program) { return " << made << "(" << name
      << "(std::move(program))); });\n  }\n"
      << "  explicit " << name << "(sextant::Program program) : sextantProgram(std::move(program)) "
      << "{}\n#ifdef SEXTANT_THROWS\n";
  if (!embedSymbol.empty())
    out << "  explicit " << name << "(const sextant::Device &device) : " << name
        << "(create(device)) {}\n";
  out << "  " << name << "(const sextant::Module &module, const sextant::Device &device)\n"
      << "      : " << name << "(create(module, device)) {}\n#endif\n";
  for (size_t index = 0; index < kernels.size(); ++index) {
    std::string member = identifier(kernels[index].instance, members);
    members.insert(member);
    emitKernel(out, kernels[index], member, index);
  }
  for (const module::Global &global : info.globals) {
    std::string member = identifier(global.name, members);
    members.insert(member);
    bool isShared = std::count_if(info.globals.begin(), info.globals.end(),
                                  [&](const auto &other) { return other.name == global.name; }) > 1;
    std::string home = isShared ? info.sources[global.source].path + ":" : "";
    emitField(out, global, home + global.name, member);
  }
  out << "\n  sextant::Program sextantProgram;\n\nprivate:\n"
      << "  sextant::LazyKernels sextantKernels{" << kernels.size() << "};\n};\n#endif\n";
  return out.str();
}

} // namespace sextant
