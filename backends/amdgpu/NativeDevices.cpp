// Linux's compute driver describes each GPU in <topology>/nodes/N/properties, as lines of a name
// and a number. gfx_target_version is 10000 × major + 100 × minor + stepping; for CPUs it is 0.
#include "backends/amdgpu/NativeDevices.h"
#include "backends/amdgpu/AmdArch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace sextant;

/// gfx90a of 90010: minor and stepping are hexadecimal digits.
static std::string processorName(unsigned version) {
  return "gfx" + std::to_string(version / 10000) + utohexstr(version / 100 % 100, true) +
         utohexstr(version % 100, true);
}

static const AmdArch *findArch(StringRef name) {
  for (const AmdArch &arch : amdArchs())
    if (arch.arch.name == name)
      return &arch;
  return nullptr;
}

/// The processor, or the generic one whose code it runs, or "".
static std::string archFor(unsigned version) {
  std::string name = processorName(version);
  if (findArch(name))
    return name;
  switch (version / 100) {
  case 900: // but for the matrix processors, which the table has
    return "gfx9-generic";
  case 1001:
    return "gfx10-1-generic";
  case 1003:
    return "gfx10-3-generic";
  case 1100:
  case 1105:
    return "gfx11-generic";
  case 1200:
    return "gfx12-generic";
  default:
    return "";
  }
}

std::vector<std::string> sextant::nativeAmdArchs(StringRef topology) {
  std::vector<std::string> paths, names;
  std::error_code error;
  for (sys::fs::directory_iterator entry(topology + "/nodes", error), end; !error && entry != end;
       entry.increment(error))
    paths.push_back(entry->path() + "/properties");
  llvm::sort(paths);
  for (const std::string &path : paths) {
    // Files of sysfs do not know their size.
    auto file = MemoryBuffer::getFileAsStream(path);
    if (!file)
      continue;
    for (StringRef line : split((*file)->getBuffer(), '\n')) {
      auto [name, value] = line.split(' ');
      unsigned version = 0;
      if (name != "gfx_target_version" || value.trim().getAsInteger(10, version) || version == 0)
        continue;
      std::string arch = archFor(version);
      if (!arch.empty() && !is_contained(names, arch))
        names.push_back(arch);
    }
  }
  return names;
}
