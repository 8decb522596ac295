# Writes OUTPUT, a C++ source that holds each of MODULES, .py files in FOLDER, as a raw string. A
# module's name is its path in FOLDER without the suffix.
set(text "// Generated from frontend/library/*.py.\n#include \"frontend/library/Library.h\"\n\n")
string(APPEND text "namespace sextant {\n\nstd::string_view libraryModule(std::string_view name) {\n")
foreach(module IN LISTS MODULES)
  file(READ "${FOLDER}/${module}.py" source)
  string(APPEND text "  if (name == \"${module}\")\n    return R\"py(${source})py\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n} // namespace sextant\n")
file(WRITE "${OUTPUT}" "${text}")
