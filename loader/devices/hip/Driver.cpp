// Finds and initialises AMD's HIP runtime.
#include "loader/devices/hip/Driver.h"
#include "loader/format/Text.h"
#include "loader/system/Library.h"

#include <cstring>

namespace sextant::loader::hip {
namespace {

Driver &theDriver() { return driver::Found<Driver>::only().driver; }

std::string describe(Result result) {
  const Driver &driver = theDriver();
  const char *name = driver.getErrorName.function(result);
  const char *text = driver.getErrorString.function(result);
  std::string description = module::message("%s %d", name ? name : "HIP error", int(result));
  if (text)
    description += module::message(" (%s)", text);
  return description;
}

//===--- The current device ------------------------------------------------===//

Result getCurrent(Context *context) {
  int device = 0;
  Result result = theDriver().getDevice.function(&device);
  if (result == success)
    *context = contextOf(device);
  return result;
}
Result setCurrent(Context context) {
  return theDriver().setDevice.function(static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1);
}
/// Restores the former context. If asking for it failed, there is nothing to restore.
Result restoreCurrent(Context *before) { return *before ? setCurrent(*before) : success; }

//===--- Images ------------------------------------------------------------===//

/// The runtime does not tell if peers may reach the memory.
bool isForeign(Address address, int device, int &owner) {
  const Driver &driver = theDriver();
  const int deviceMemory = driver.largeProperties ? 2 : 1; // HIP 6 counts from unregistered memory
  PointerAttributes facts;
  if (driver.pointerGetAttributes.function(&facts, reinterpret_cast<const void *>(address)) !=
          success ||
      facts.type != deviceMemory || facts.isManaged || facts.device == device)
    return false;
  owner = facts.device;
  return true;
}

bool isOthersStream(driver::Stream stream, Context context) {
  int device = 0;
  const auto get = theDriver().streamGetDevice.function;
  return get && get(stream, &device) == success && contextOf(device) != context;
}

sxt_status loadModule(const char *device, const std::string &format,
                      std::span<const std::byte> bytes, Module &module) {
  if (format != "hsaco")
    return fail(SXT_ERROR_BAD_MODULE, "AMD devices do not run images of format '%s'",
                format.c_str());
  // The runtime does not need the size: the ELF header has it.
  constexpr size_t elfHeaderBytes = 64;
  if (bytes.size() < elfHeaderBytes || std::memcmp(bytes.data(), "\177ELF", 4) != 0)
    return fail(SXT_ERROR_BAD_MODULE, "the hsaco image is not an ELF file, or cut short");
  Result result = theDriver().moduleLoadData.function(&module, bytes.data());
  if (result == success)
    return SXT_OK;
  if (result == errorOutOfMemory)
    return fail(SXT_ERROR_OUT_OF_MEMORY, "%s has no memory for the code", device);
  return fail(SXT_ERROR_DEVICE, "%s does not load the hsaco image: %s", device,
              describe(result).c_str());
}

//===--- Properties --------------------------------------------------------===//

/// Byte offsets in hipDeviceProp_t.
struct Layout {
  unsigned memory, shared, wave, blockThreads, processors, processorThreads, arch, integrated;
};
constexpr Layout largeLayout = {288, 296, 308, 320, 388, 624, 1160, 396}; // HIP 6: R0600
constexpr Layout smallLayout = {256, 264, 276, 280, 336, 344, 396, 652};  // ROCm 5: R0000
constexpr size_t nameBytes = 256;
/// Larger than any hipDeviceProp_t: the large one of HIP 6 has 1472 bytes.
constexpr size_t propertiesBytes = 8192;

} // namespace

sxt_status Driver::properties(int device, Properties &properties) const {
  const Layout &at = largeProperties ? largeLayout : smallLayout;
  // Aligned, and zero where an older runtime writes nothing.
  alignas(16) char bytes[propertiesBytes] = {};
  SXT_TRY(api(getDeviceProperties, static_cast<void *>(bytes), device));
  auto text = [&](unsigned offset) {
    return std::string(bytes + offset, strnlen(bytes + offset, nameBytes));
  };
  auto number = [&](unsigned offset, auto &value) {
    std::memcpy(&value, bytes + offset, sizeof value);
  };
  properties.name = text(0);
  properties.arch = text(at.arch);
  number(at.memory, properties.memoryBytes);
  number(at.shared, properties.sharedBytes);
  number(at.wave, properties.waveSize);
  number(at.blockThreads, properties.threadsPerBlock);
  number(at.processors, properties.multiprocessors);
  number(at.processorThreads, properties.threadsPerMultiprocessor);
  number(at.integrated, properties.integrated);
  return SXT_OK;
}

namespace {

/// hipKernelNodeParams.
struct KernelNodeParams {
  unsigned block[3];
  void **extra;
  Function function;
  unsigned grid[3];
  void **parameters;
  unsigned sharedBytes;
};

Result setNode(GraphExec executable, GraphNode node, const KernelNode &kernel) {
  const KernelNodeParams params{{kernel.block, 1, 1}, kernel.extra, kernel.function,
                                {kernel.grid, 1, 1},  nullptr,      kernel.sharedBytes};
  return theDriver().api.setKernel.function(executable, node, &params);
}

std::string load(Driver &driver) {
  std::string why;
  // A process has one HIP runtime, so one that the application has loaded is the one.
  void *library = system::loadedLibrary(system::libraryNames.hip);
  if (!library)
    library = system::openLibrary(system::libraryNames.hip, why);
  if (!library)
    return "no HIP runtime: " + (why.empty() ? "this system has none" : why);
  auto find = [&](const char *name) { return system::findSymbol(library, name); };
  const char *missing = driver.api.resolve(library, hipNames);
#define SXT_HIP_LOOKUP(member, exported, type)                                                     \
  driver.member.function = reinterpret_cast<decltype(driver.member.function)>(find(#exported));    \
  driver.member.name = #exported;                                                                  \
  if (!driver.member.function)                                                                     \
    missing = #exported;
  SXT_HIP_FUNCTIONS(SXT_HIP_LOOKUP)
#undef SXT_HIP_LOOKUP
  auto &get = driver.getDeviceProperties;
  for (const char *name : {"hipGetDevicePropertiesR0600", "hipGetDeviceProperties"}) {
    get = {reinterpret_cast<decltype(get.function)>(find(name)), name};
    driver.largeProperties = std::strcmp(name, "hipGetDevicePropertiesR0600") == 0;
    if (get.function)
      break;
  }
  if (!get.function)
    missing = "hipGetDeviceProperties";
  if (missing)
    return std::string("the HIP runtime is too old: it has no ") + missing;
  driver.streamGetDevice = {
      reinterpret_cast<decltype(driver.streamGetDevice.function)>(find("hipStreamGetDevice")),
      "hipStreamGetDevice"};
  driver.ctxPushCurrent = {
      reinterpret_cast<decltype(driver.ctxPushCurrent.function)>(find("hipCtxPushCurrent")),
      "hipCtxPushCurrent"};
  driver.ctxPopCurrent = {
      reinterpret_cast<decltype(driver.ctxPopCurrent.function)>(find("hipCtxPopCurrent")),
      "hipCtxPopCurrent"};
  driver.api.resolveGraphs(library, hipGraphNames);
  driver.api.setNode = setNode;
  driver.api.launchParamEnd = reinterpret_cast<void *>(3);
  driver.api.getCurrent = getCurrent;
  driver.api.pushCurrent = setCurrent;
  driver.api.popCurrent = restoreCurrent;
  driver.api.describe = describe;
  driver.api.loadModule = loadModule;
  driver.api.isForeign = isForeign;
  driver.api.isOthersStream = isOthersStream;
  if (Result result = driver.init.function(0); result != success)
    return "the HIP runtime does not start: " + describe(result);
  return "";
}

} // namespace

const Driver *Driver::get(std::string &why) { return driver::Found<Driver>::get(load, why); }

} // namespace sextant::loader::hip
