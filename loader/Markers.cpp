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

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
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
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return dlerror();
  using Entry = int (*)(const void *(*)(uint32_t));
  auto entry = reinterpret_cast<Entry>(dlsym(library, "InitializeInjectionNvtx2"));
  for (Function *&place : core2Table)
    place = &unused;
  for (unsigned i = 0; i < coreSize; ++i)
    coreTable[i] = &coreFunctions[i];
  coreTable[coreSize] = core2Table[core2Size] = nullptr;
  if (!entry || !entry(exportTable)) {
    dlclose(library);
    return std::string(path) + " takes no ranges";
  }
  found = {reinterpret_cast<decltype(found.push)>(coreFunctions[rangePush]),
           reinterpret_cast<decltype(found.pop)>(coreFunctions[rangePop])};
  return found.push && found.pop ? "" : std::string(path) + " asks for no ranges";
}

//===--- Libraries of ranges -----------------------------------------------===//

struct Library {
  const char *name, *push, *pop;
};
constexpr Library libraries[] = {
    {"libnvToolsExt.so.1", "nvtxRangePushA", "nvtxRangePop"},
    {"librocprofiler-sdk-roctx.so.1", "roctxRangePushA", "roctxRangePop"},
    {"librocprofiler-sdk-roctx.so.0", "roctxRangePushA", "roctxRangePop"},
    {"libroctx64.so.4", "roctxRangePushA", "roctxRangePop"},
    {"libroctx64.so", "roctxRangePushA", "roctxRangePop"},
};

/// \param how RTLD_NOLOAD: only a library that is loaded already; 0: any library
bool openLibrary(int how) {
  for (const Library &library : libraries)
    if (void *opened = dlopen(library.name, RTLD_LAZY | RTLD_LOCAL | how)) {
      found = {reinterpret_cast<decltype(found.push)>(dlsym(opened, library.push)),
               reinterpret_cast<decltype(found.pop)>(dlsym(opened, library.pop))};
      if (found.push && found.pop) {
        log(SXT_LOG_INFO, "launches and loads are marked by %s", library.name);
        return true;
      }
    }
  return false;
}

bool find() {
  const char *asked = environment("SEXTANT_MARKERS");
  const bool wanted = asked && std::strcmp(asked, "1") == 0;
  if (asked && !wanted) {
    if (std::strcmp(asked, "0") != 0)
      log(SXT_LOG_WARNING, "SEXTANT_MARKERS=%s is ignored: expected 0 or 1", asked);
    else
      return false;
  }
  if (const char *tool = environment("NVTX_INJECTION64_PATH")) {
    std::string why = injectNvtx(tool);
    if (why.empty()) {
      log(SXT_LOG_INFO, "launches and loads are marked by %s", tool);
      return true;
    }
    log(SXT_LOG_WARNING, "no ranges for a profiler: %s", why.c_str());
  }
  if (openLibrary(RTLD_NOLOAD) || (wanted && openLibrary(0)))
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
