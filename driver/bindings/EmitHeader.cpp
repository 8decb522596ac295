// A header of two parts: for C++ over sextant.hpp, and for C over sextant.h.
#include "driver/bindings/EmitHeader.h"

#include "driver/bindings/BoundModule.h"
#include "driver/bindings/HeaderText.h"
#include "loader/format/Text.h"

#include <filesystem>
#include <sstream>

namespace sextant {

std::string emitHeader(std::span<const std::byte> bytes, const std::string &path,
                       const std::string &embedSymbol) {
  const auto [info, kernels] = boundModule(bytes);

  std::set<std::string> names;
  const std::string name = header::identifier(std::filesystem::path(path).stem().string(), names);
  std::ostringstream out;
  out << "// Made by " << module::printable(info.compiler) << " from";
  for (const module::Source &source : info.sources)
    out << " " << module::printable(std::filesystem::path(source.path).filename().string());
  out << ". Do not edit.\n#pragma once\n\n";
  if (!embedSymbol.empty())
    out << "/* The module's bytes, embedded in the program. */\n"
        << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
        << "extern const unsigned char " << embedSymbol << "[], " << embedSymbol << "_end[];\n"
        << "#ifdef __cplusplus\n}\n#endif\n\n";
  const std::set<std::string> guarded = header::namesOf(name, kernels, info);
  out << "#ifdef __cplusplus\n"
      << header::includesOfCpp << "#else\n"
      << header::includesOfC
      << "#endif\n\n// The declarations are read without macros of these names.\n";
  for (const std::string &one : guarded)
    out << "#pragma push_macro(\"" << one << "\")\n#undef " << one << "\n";
  out << "\n#ifdef __cplusplus\n";
  header::emitCpp(out, name, embedSymbol, kernels, info);
  out << "#else\n";
  header::emitC(out, name, embedSymbol, kernels, info);
  out << "#endif\n\n";
  for (const std::string &one : guarded)
    out << "#pragma pop_macro(\"" << one << "\")\n";
  return out.str();
}

} // namespace sextant
