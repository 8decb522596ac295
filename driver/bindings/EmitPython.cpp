// A Python package over the package `sextant` (loader/python). Arguments whose names have dots are
// members of one parameter there as here: any object with these members.
#include "driver/bindings/EmitPython.h"

#include "driver/bindings/BoundModule.h"
#include "driver/bindings/HeaderText.h"
#include "driver/bindings/ParameterTree.h"
#include "loader/format/Text.h"
#include "packager/Words.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace sextant {
namespace {

using header::Parameter;
using Names = std::set<std::string>;

const Names &keywords() {
  static const Names words{
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return words;
}

/// Names that the package itself has, or takes from Python. tests/driver/names.py compares.
Names ownNames() {
  return {"Annotated",   "Any",     "Array",        "Protocol",    "_Array",    "_builtins",
          "_lock",       "_module", "_module_file", "_program_of", "_programs", "_typing",
          "annotations", "bool",    "dict",         "float",       "int",       "isinstance",
          "pathlib",     "program", "sextant",      "str",         "threading", "tuple"};
}

bool isLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}
bool isDigit(char letter) { return letter >= '0' && letter <= '9'; }

/// True for names that mean something to Python: `__init__`, `__debug__`.
bool isSpecial(const std::string &name) {
  return name.size() > 4 && name.starts_with("__") && name.ends_with("__");
}

/// Returns `name` as an identifier of Python that is not in `taken`, and adds it to `taken`.
std::string identifier(const std::string &name, Names &taken) {
  std::string result;
  for (const char letter : name)
    result += isLetter(letter) || isDigit(letter) ? letter : '_';
  if (result.empty() || isDigit(result[0]))
    result.insert(result.begin(), '_');
  const std::string first = result;
  size_t number = taken.size(); // many equal names must not make this quadratic
  for (unsigned tries = 0;
       keywords().count(result) || isSpecial(result) || !taken.insert(result).second; ++tries)
    result =
        tries < 4 && !isSpecial(result) ? result + "_" : first + "_" + std::to_string(number++);
  return result;
}

/// Returns the text with whatever could end a string literal in double quotes escaped.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : module::printable(text)) {
    if (letter == '"' || letter == '\\')
      result += '\\';
    result += letter;
  }
  return result;
}

std::string literal(std::string_view text) { return "\"" + escaped(text) + "\""; }

void docstring(std::ostream &out, const std::string &indent, std::string_view text) {
  out << indent << "\"\"\"";
  const bool isLong = text.find('\n') != text.npos;
  for (bool isFirst = true; isFirst || !text.empty(); isFirst = false) {
    const size_t end = text.find('\n');
    const std::string line = escaped(text.substr(0, end));
    out << (isFirst || line.empty() ? "" : indent) << line << (isLong ? "\n" : "");
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  out << (isLong ? indent : "") << "\"\"\"\n";
}

/// Where the package's own words are found. In a class, whose members may have such names, other
/// names begin with an underscore, and members with one are left out.
struct Scope {
  std::string typing, builtins, array;
};
const Scope top{"", "", "Array"}, inClass{"_typing.", "_builtins.", "_Array"};

std::string scalarType(module::DType type) {
  switch (abi::factsOf(type).kind) {
  case abi::ScalarKind::Truth:
    return "bool";
  case abi::ScalarKind::Signed:
  case abi::ScalarKind::Unsigned:
    return "int";
  case abi::ScalarKind::Real:
    break;
  }
  return "float";
}

/// A type for checkers, and the kernel's own type beside it.
std::string parameterType(const module::Argument &argument, const Scope &scope) {
  const std::string type = argument.kind == module::Argument::Array ? scope.array
                           : argument.kind == module::Argument::Matrix
                               ? scope.typing + "Any"
                               : scope.builtins + scalarType(argument.dtype);
  return scope.typing + "Annotated[" + type + ", " + literal(packager::typeText(argument)) + "]";
}

std::string resultType(const module::Kernel &kernel) {
  if (header::hasCheckpoints(kernel))
    return "Any";
  std::vector<std::string> types;
  for (const module::Hidden &result : header::resultsOf(kernel))
    types.push_back(result.rows == 1 && result.cols == 1 ? scalarType(result.dtype) : "Any");
  if (types.empty())
    return "None";
  if (types.size() == 1)
    return types.front();
  std::string all;
  for (const std::string &type : types)
    all += (all.empty() ? "" : ", ") + type;
  return "tuple[" + all + "]";
}

/// Writes what a kernel reads of one parameter: a class for it, those of its members first. Returns
/// the class's name.
std::string emitMembers(std::ostream &out, const module::Kernel &kernel, const Parameter &parameter,
                        const std::string &name, Names &taken) {
  std::vector<std::string> types;
  for (const Parameter &member : parameter.members)
    types.push_back(member.members.empty()
                        ? parameterType(kernel.arguments[member.argument], inClass)
                        : emitMembers(out, kernel, member, name + "_" + member.name, taken));
  const std::string type = identifier(name, taken);
  out << "class " << type << "(Protocol):\n";
  docstring(out, "    ", "What `" + kernel.instance + "` reads of an argument.");
  for (size_t k = 0; k < types.size(); ++k) {
    if (parameter.members[k].name.starts_with("_"))
      continue;
    out << "\n    @_builtins.property\n    def " << parameter.members[k].name << "(self) -> "
        << types[k] << ": ...\n";
  }
  out << "\n\n";
  return type;
}

/// The keyword that `sextant` takes a stream by: no parameter's name. Empty if both are
/// parameters'.
std::string streamKeyword(const std::vector<Parameter> &parameters) {
  for (const char *name : {"stream", "stream_"})
    if (std::none_of(parameters.begin(), parameters.end(),
                     [&](const Parameter &one) { return one.name == name; }))
      return name;
  return {};
}

void emitKernel(std::ostream &out, const module::Kernel &kernel, const std::string &function,
                Names &taken) {
  Names names{"_program_of", "_result"};
  const std::vector<Parameter> parameters =
      header::parameterTree(kernel.arguments, names, identifier);
  const std::string stream = streamKeyword(parameters);
  std::string signature, passed;
  for (const Parameter &parameter : parameters) {
    std::string type;
    if (parameter.members.empty())
      type = parameterType(kernel.arguments[parameter.argument], top);
    else
      type = emitMembers(out, kernel, parameter, function + "_" + parameter.name, taken) +
             " | dict[str, Any]";
    signature += "    " + parameter.name + ": " + type + ",\n";
    passed += parameter.name + ", ";
  }
  if (!stream.empty()) {
    signature += "    *,\n    " + stream + ": Any = None,\n";
    passed += stream + "=" + stream;
  }
  const header::KernelText text{kernel, function, {}, header::resultsOf(kernel)};
  const std::string result = resultType(kernel);
  out << "def " << function << "(\n" << signature << ") -> " << result << ":\n";
  docstring(out, "    ", (kernel.doc.empty() ? "" : kernel.doc + "\n\n") + header::describe(text));
  const std::string call = "_program_of(" + (stream.empty() ? "None" : stream) + ")[" +
                           literal(kernel.instance) + "](" + passed + ")";
  if (result == "None")
    out << "    " << call << "\n\n\n";
  else // through a variable with a type: the call itself may return anything
    out << "    _result: " << result << " = " << call << "\n    return _result\n\n\n";
}

constexpr const char *opening = R"(from __future__ import annotations

import builtins as _builtins
import pathlib
import threading
import typing as _typing
from typing import Annotated, Any, Protocol

import sextant

)";

constexpr const char *programs = R"(

class Array(Protocol):
    """An array of numpy, torch, CuPy, JAX, sextant or any other library that speaks DLPack."""

    @_builtins.property
    def __dlpack__(self) -> Any: ...


_Array = Array
_lock = threading.Lock()
_module: sextant.Module | None = None
_programs: dict[str | None, sextant.Program] = {}


def program(device: sextant.Device | str | None = None) -> sextant.Program:
    """Returns the module on a device, such as "cuda:0"; by default on the best that runs all of it.

    There is one program for each device. Its fields belong to it. Thread-safe.
    """
    global _module
    name = device.name if isinstance(device, sextant.Device) else device
    with _lock:
        if name not in _programs:
            if _module is None:
                _module = sextant.Module(pathlib.Path(__file__).with_name(_module_file))
            made = sextant.Program(_module, device)
            _programs[name] = _programs.setdefault(made.device.name, made)
        return _programs[name]


def _program_of(stream: Any) -> sextant.Program:
    """Returns the program of the stream's device."""
    return program(stream.device if isinstance(stream, sextant.Stream) else None)


)";

} // namespace

std::string packageNameProblem(const std::string &name) {
  if (name.empty() || isDigit(name[0]) || !std::all_of(name.begin(), name.end(), [](char letter) {
        return isLetter(letter) || isDigit(letter);
      }))
    return "is not an identifier of Python";
  for (const std::string &word : keywords()) {
    std::string lower = word;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (name == lower)
      return "is a keyword of Python";
  }
  if (name == "sextant")
    return "is the package that the loader comes in";
  return {};
}

std::string emitPython(std::span<const std::byte> bytes, const std::string &moduleFile,
                       const std::string &version) {
  const auto [info, all] = boundModule(bytes);
  std::string sources;
  for (const module::Source &source : info.sources)
    sources += (sources.empty() ? "" : ", ") +
               module::printable(std::filesystem::path(source.path).filename().string());
  std::ostringstream out, kernels;
  out << "# Made by " << module::printable(info.compiler) << ". Do not edit.\n";
  docstring(out, "",
            "Kernels of " + sources +
                ".\n\nA call runs on the device of its `stream`; "
                "without one, on the best device that runs all kernels.");
  Names taken = ownNames();
  std::vector<std::string> functions;
  for (const module::Kernel &kernel : all)
    functions.push_back(identifier(kernel.instance, taken));
  // Classes that members' types name are not named like members.
  for (const module::Kernel &kernel : all)
    for (const module::Argument &argument : kernel.arguments) {
      std::istringstream path(argument.name);
      for (std::string part; std::getline(path, part, '.');)
        taken.insert(part);
    }
  for (size_t k = 0; k < all.size(); ++k)
    emitKernel(kernels, all[k], functions[k], taken);
  out << opening << "__all__ = [\"program\"";
  for (const std::string &function : functions)
    out << ", \"" << function << "\"";
  out << "]\n__version__ = " << literal(version) << "\n_module_file = " << literal(moduleFile)
      << "\n"
      << programs << kernels.str();
  std::string text = out.str();
  text.erase(text.find_last_not_of('\n') + 2);
  return text;
}

} // namespace sextant
