// Asks libcuda.so.1, if it is there, for the devices' compute capabilities.
#include "backends/cuda/NativeDevices.h"
#include "backends/cuda/CudaArch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace sextant;

/// The best architecture whose code runs on `capability`: one of the same generation that is not
/// newer, or else PTX.
static std::string archFor(unsigned capability) {
  std::string best;
  for (const CudaArch &arch : cudaArchs())
    if (arch.capability <= capability && !arch.isSpecific() &&
        (arch.isVirtual() ? best.empty() || llvm::StringRef(best).starts_with("compute_")
                          : arch.capability / 10 == capability / 10))
      best = arch.arch.name;
  return best;
}

std::vector<std::string> sextant::nativeCudaArchs() {
  std::string error;
  auto driver = llvm::sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1", &error);
  if (!driver.isValid())
    return {};
  auto cuInit = reinterpret_cast<int (*)(unsigned)>(driver.getAddressOfSymbol("cuInit"));
  auto cuDeviceGetCount =
      reinterpret_cast<int (*)(int *)>(driver.getAddressOfSymbol("cuDeviceGetCount"));
  auto cuDeviceGetAttribute =
      reinterpret_cast<int (*)(int *, int, int)>(driver.getAddressOfSymbol("cuDeviceGetAttribute"));
  int count = 0;
  if (!cuInit || !cuDeviceGetCount || !cuDeviceGetAttribute || cuInit(0) != 0 ||
      cuDeviceGetCount(&count) != 0)
    return {};
  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
  constexpr int majorAttribute = 75, minorAttribute = 76;
  std::vector<std::string> names;
  for (int device = 0; device < count; ++device) {
    int major = 0, minor = 0;
    if (cuDeviceGetAttribute(&major, majorAttribute, device) != 0 ||
        cuDeviceGetAttribute(&minor, minorAttribute, device) != 0)
      continue;
    std::string name = archFor(unsigned(10 * major + minor));
    if (!name.empty() && !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  }
  return names;
}
