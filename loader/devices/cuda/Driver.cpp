// Finds and initialises NVIDIA's driver.
#include "loader/devices/cuda/Driver.h"

#include <dlfcn.h>
#include <mutex>

namespace sextant::loader::cuda {
namespace {

struct Found {
  Driver driver;
  std::string why; ///< empty: usable
};

std::string loadDriver(Driver &driver) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *error = dlerror();
    return std::string("no NVIDIA driver: ") + (error ? error : "libcuda.so.1 cannot be loaded");
  }
  const char *missing = nullptr;
#define SXT_CUDA_LOOKUP(member, name, parameters)                                                  \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, #name));                \
  if (!driver.member)                                                                              \
    missing = #name;
  SXT_CUDA_FUNCTIONS(SXT_CUDA_LOOKUP)
#undef SXT_CUDA_LOOKUP
  if (missing)
    return std::string("the NVIDIA driver is too old: it has no ") + missing;
  if (Result result = driver.init(0); result != success)
    return "the NVIDIA driver does not start: " + driver.describe(result);
  if (Result result = driver.driverGetVersion(&driver.version); result != success)
    return "the NVIDIA driver does not tell its version: " + driver.describe(result);
  return "";
}

} // namespace

const Driver *Driver::get(std::string &why) {
  // Never destroyed: other static objects may hold devices until the very end.
  static Found *found = [] {
    auto *result = new Found;
    result->why = loadDriver(result->driver);
    if (!result->why.empty())
      log(SXT_LOG_INFO, "%s", result->why.c_str());
    return result;
  }();
  why = found->why;
  return why.empty() ? &found->driver : nullptr;
}

std::string Driver::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (!getErrorName || getErrorName(result, &name) != success || !name)
    return "CUDA error " + std::to_string(result);
  std::string description = name;
  if (getErrorString && getErrorString(result, &text) == success && text)
    description += std::string(" (") + text + ")";
  return description;
}

sxt_status Driver::failed(Result result, const char *call) const {
  sxt_status status = result == errorOutOfMemory ? SXT_ERROR_OUT_OF_MEMORY
                      : result == errorNotReady  ? SXT_ERROR_NOT_READY
                                                 : SXT_ERROR_DEVICE;
  return fail(status, "%s failed: %s", call, describe(result).c_str());
}

} // namespace sextant::loader::cuda
