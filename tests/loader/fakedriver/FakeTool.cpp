// A profiler that is given tables by NVTX's protocol and puts its functions there, as
// NVIDIA's do; and what rocTX's and the old NVTX library export. FAKE_TOOL=refuses: it
// takes no part.
#include "FakeTool.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>

namespace {

std::mutex mutex;
std::string text;

int push(const char *name) {
  std::lock_guard lock(mutex);
  text += std::string(name) + "{";
  return 0;
}
int pop() {
  std::lock_guard lock(mutex);
  text += "}";
  return 0;
}

using Function = void (*)();
struct Callbacks {
  size_t structSize;
  int (*getModuleFunctionTable)(int module, Function ***table, unsigned *size);
};

} // namespace

extern "C" {

const char *fakeToolHeard(void) {
  static std::string given;
  std::lock_guard lock(mutex);
  given.swap(text);
  text.clear();
  return given.c_str();
}

/// nvtxTypes.h: table 1 holds callbacks; of module 1 (core), 9 is RangePushA and 11 RangePop;
/// module 5 (core 2) is where tools of today put functions of domains.
int InitializeInjectionNvtx2(const void *(*getExportTable)(uint32_t)) {
  const char *mode = std::getenv("FAKE_TOOL");
  if (mode && std::string(mode) == "refuses")
    return 0;
  auto *callbacks = static_cast<const Callbacks *>(getExportTable(1));
  Function **core = nullptr, **core2 = nullptr, **cuda = nullptr;
  unsigned size = 0, size2 = 0;
  if (!callbacks || callbacks->structSize < sizeof(Callbacks) ||
      !callbacks->getModuleFunctionTable(1, &core, &size) || size < 12 ||
      !callbacks->getModuleFunctionTable(5, &core2, &size2) || size2 < 16 ||
      callbacks->getModuleFunctionTable(2, &cuda, nullptr) || getExportTable(77))
    return 0;
  *core[9] = reinterpret_cast<Function>(push);
  *core[11] = reinterpret_cast<Function>(pop);
  for (unsigned i = 1; i < size2; ++i)
    *core2[i] = [] { std::abort(); }; // the loader has no domains
  return 1;
}

int roctxRangePushA(const char *name) { return push(name); }
int roctxRangePop(void) { return pop(); }
}
