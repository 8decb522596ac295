// The Metal backend of systems without Metal: it has no device, and says why.
#include "loader/Error.h"
#include "loader/devices/Device.h"

namespace sextant::loader {
namespace {

constexpr char reason[] = "Metal needs Apple hardware";

void enumerateNone(std::vector<DeviceDescription> &, std::string &why) { why = reason; }

sxt_status adoptNone(void *, void *, std::unique_ptr<Device> &) {
  return fail(SXT_ERROR_NO_DEVICE, "a Metal device cannot be adopted: %s", reason);
}

} // namespace

} // namespace sextant::loader

const sxt_backend sxt_backend_metal = {sextant::module::metalFamily, sextant::loader::enumerateNone,
                                       nullptr, sextant::loader::adoptNone};
