#include "backends/common/Variables.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace llvm;

std::optional<std::string> sextant::environmentVariable(StringRef name) {
  std::optional<std::string> value = sys::Process::GetEnv(name);
  return value && !value->empty() ? value : std::nullopt;
}

std::unique_ptr<MemoryBuffer> sextant::readToolFile(const Twine &path) {
  if (!sys::fs::is_regular_file(path))
    return nullptr;
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return file ? std::move(*file) : nullptr;
}

std::string sextant::chosenInVain(StringRef variable, StringRef use) {
  std::optional<std::string> path = environmentVariable(variable);
  if (!path)
    return "";
  std::string why = ("cannot be " + use).str();
  if (!sys::fs::exists(*path))
    why = "does not exist";
  else if (sys::fs::is_directory(*path))
    why = "is a folder";
  else if (!sys::fs::is_regular_file(*path))
    why = "is not a file but a stream";
  return ("$" + variable + " is '" + *path + "', which " + why).str();
}
