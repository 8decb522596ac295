// Lookups and errors, the same for every driver.
#include "loader/devices/common/DriverApi.h"
#include "loader/system/Library.h"

#include <string_view>

namespace sextant::loader::driver {

#define SXT_DRIVER_CUDA(member, cuda, hip, parameters) #cuda,
const char *const cudaNames[] = {SXT_DRIVER_FUNCTIONS(SXT_DRIVER_CUDA)};
const char *const cudaGraphNames[] = {SXT_GRAPH_FUNCTIONS(SXT_DRIVER_CUDA)};
#undef SXT_DRIVER_CUDA
#define SXT_DRIVER_HIP(member, cuda, hip, parameters) #hip,
const char *const hipNames[] = {SXT_DRIVER_FUNCTIONS(SXT_DRIVER_HIP)};
const char *const hipGraphNames[] = {SXT_GRAPH_FUNCTIONS(SXT_DRIVER_HIP)};
#undef SXT_DRIVER_HIP

namespace {

/// Looks up names one after another, and remembers a missing one.
struct Lookup {
  void *library;
  const char *const *names;
  const char *missing = nullptr;
  template <class Signature> void operator()(Call<Signature> &call) {
    call.function = system::findFunction<Signature *>(library, *names);
    call.name = *names++;
    if (!call.function)
      missing = call.name;
  }
};

} // namespace

#define SXT_DRIVER_LOOKUP(member, cuda, hip, parameters) find(member);
const char *Api::resolve(void *library, const char *const *names) {
  Lookup find{library, names};
  SXT_DRIVER_FUNCTIONS(SXT_DRIVER_LOOKUP)
  return find.missing;
}

void Api::resolveGraphs(void *library, const char *const *names) {
  Lookup find{library, names};
  SXT_GRAPH_FUNCTIONS(SXT_DRIVER_LOOKUP)
  hasGraphs = !find.missing;
}
#undef SXT_DRIVER_LOOKUP

std::string plainName(const char *name) {
  std::string_view plain = name;
  if (plain.ends_with("_v2"))
    plain.remove_suffix(3);
  return std::string(plain);
}

sxt_status Api::failed(Result result, const char *call) const {
  sxt_status status = SXT_ERROR_DEVICE;
  switch (result) {
  case errorOutOfMemory:
    status = SXT_ERROR_OUT_OF_MEMORY;
    break;
  case errorNotReady:
    status = SXT_ERROR_NOT_READY;
    break;
  case errorDeviceUnavailable:
  case errorNoDevice:
  case errorInvalidDevice:
    status = SXT_ERROR_NO_DEVICE;
    break;
  default:
    break;
  }
  return fail(status, "%s failed: %s", plainName(call).c_str(), describe(result).c_str());
}

} // namespace sextant::loader::driver
