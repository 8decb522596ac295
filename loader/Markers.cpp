// Finds the tool or library that takes ranges. With SEXTANT_MARKERS=0 there is none. Otherwise the
// loader tries, in this order: a tool that asks for NVTX by NVTX_INJECTION64_PATH, as Nsight
// Systems and Nsight Compute do; a library of ranges that the process has already loaded, as under
// rocprof; with SEXTANT_MARKERS=1, a library that can be loaded.
//
// This needs no header of NVTX. A tool's library has one entry point. The loader passes it a
// function that finds tables, and through these tables the tool stores its own functions in ours.
// Numbers and types are those of nvtx3/nvtxDetail/nvtxTypes.h (NVTX 3).
#include "loader/Markers.h"
#include "loader/Error.h"
#include "loader/system/Environment.h"
#include "loader/system/Library.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

namespace sextant::loader {

constinit std::atomic<const Markers *> markers{nullptr};

namespace {

constinit Markers found;

//===--- NVTX --------------------------------------------------------------===//

using Function = void (*)();

enum Table : uint32_t { ForCallbacks = 1, ForVersionInfo = 3 };
enum Module : int { Core = 1, Core2 = 5 };
/// The number of entries in the modules' tables.
constexpr unsigned coreSize = 16, core2Size = 17;
/// Indices in the core module's table.
constexpr unsigned rangePush = 9, rangePop = 11;

constinit Function coreFunctions[coreSize];
constinit Function unused; ///< for functions that the loader never calls
constinit Function *coreTable[coreSize + 1], *core2Table[core2Size + 1];

int moduleTable(int module, Function ***table, unsigned *size) {
  if (module != Core && module != Core2)
    return 0;
  if (table)
    *table = module == Core ? coreTable : core2Table;
  if (size)
    *size = module == Core ? coreSize : core2Size;
  return 1;
}

struct Callbacks {
  size_t structSize;
  int (*moduleTable)(int module, Function ***table, unsigned *size);
};
struct VersionInfo {
  size_t structSize;
  uint32_t version, reserved;
  void (*setInjectionVersion)(uint32_t version);
};

const void *exportTable(uint32_t which) {
  static constexpr Callbacks tables{sizeof(Callbacks), moduleTable};
  static constexpr VersionInfo version{sizeof(VersionInfo), 3, 0, [](uint32_t) {}};
  return which == ForCallbacks     ? static_cast<const void *>(&tables)
         : which == ForVersionInfo ? static_cast<const void *>(&version)
                                   : nullptr;
}

/// Connects the tool at `path`. Returns "" or the reason why it takes no ranges.
std::string injectNvtx(const char *path) {
  std::string why;
  void *library = system::openLibrary({&path, 1}, why);
  if (!library)
    return why;
  using Entry = int (*)(const void *(*)(uint32_t));
  auto entry = system::findFunction<Entry>(library, "InitializeInjectionNvtx2");
  for (Function *&place : core2Table)
    place = &unused;
  for (unsigned i = 0; i < coreSize; ++i)
    coreTable[i] = &coreFunctions[i];
  coreTable[coreSize] = core2Table[core2Size] = nullptr;
  if (!entry || !entry(exportTable)) {
    system::closeLibrary(library);
    return std::string(path) + " takes no ranges";
  }
  found = {reinterpret_cast<decltype(found.push)>(coreFunctions[rangePush]),
           reinterpret_cast<decltype(found.pop)>(coreFunctions[rangePop])};
  return found.push && found.pop ? "" : std::string(path) + " asks for no ranges";
}

//===--- Libraries of ranges -----------------------------------------------===//

/// Takes the functions of a library, if there is one.
bool take(void *library, const char *name, const char *push, const char *pop) {
  if (library)
    found = {system::findFunction<decltype(found.push)>(library, push),
             system::findFunction<decltype(found.pop)>(library, pop)};
  if (!found.push || !found.pop)
    return false;
  log(SXT_LOG_INFO, "launches and loads are marked by %s", name);
  return true;
}

bool openRanges(void *(*open)(system::Names names)) {
  return take(open(system::libraryNames.nvtx), "NVTX", "nvtxRangePushA", "nvtxRangePop") ||
         take(open(system::libraryNames.roctx), "rocTX", "roctxRangePushA", "roctxRangePop");
}

void *openAny(system::Names names) {
  std::string why;
  return system::openLibrary(names, why);
}

bool find() {
  const char *asked = system::environment("SEXTANT_MARKERS");
  const bool wanted = asked && std::strcmp(asked, "1") == 0;
  if (asked && !wanted) {
    if (std::strcmp(asked, "0") != 0)
      log(SXT_LOG_WARNING, "SEXTANT_MARKERS=%s is ignored: expected 0 or 1", asked);
    else
      return false;
  }
  if (const char *tool = system::environment("NVTX_INJECTION64_PATH")) {
    std::string why = injectNvtx(tool);
    if (why.empty()) {
      log(SXT_LOG_INFO, "launches and loads are marked by %s", tool);
      return true;
    }
    log(SXT_LOG_WARNING, "no ranges for a profiler: %s", why.c_str());
  }
  if (openRanges(system::loadedLibrary) || (wanted && openRanges(openAny)))
    return true;
  if (wanted)
    log(SXT_LOG_WARNING, "SEXTANT_MARKERS=1 has no effect: neither NVTX nor rocTX is there");
  return false;
}

} // namespace

void findMarkers() {
  static const bool asked = [] {
    if (find())
      markers.store(&found, std::memory_order_release);
    return true;
  }();
  (void)asked;
}

} // namespace sextant::loader
