#include "backends/common/Variables.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace llvm;

std::optional<std::string> sextant::environmentVariable(StringRef name) {
  std::optional<std::string> value = sys::Process::GetEnv(name);
  return value && !value->empty() ? value : std::nullopt;
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
  return ("$" + variable + " is '" + *path + "', which " + why).str();
}
