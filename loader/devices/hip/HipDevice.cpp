// Finds AMD's GPUs, their facts and their current device. common/DriverDevice.cpp drives the open
// devices.
#include "loader/devices/Device.h"
#include "loader/devices/common/DriverDevice.h"
#include "loader/devices/hip/Driver.h"
#include "loader/format/Text.h"

#include <algorithm>

namespace sextant::loader {
namespace {

using driver::OpenedDevice;

/// Wave sizes by processor, the preferred one first. RDNA (gfx10 and newer) runs both, and prefers
/// wave32: its shuffles reach the whole wave everywhere, and a block has more waves to hide latency
/// and barriers. GCN and CDNA (gfx9) run wave64.
std::vector<unsigned> wavesOf(const std::string &arch, unsigned reported) {
  if (arch.starts_with("gfx9"))
    return {64};
  if (arch.starts_with("gfx1"))
    return {32, 64};
  return {reported};
}

sxt_status describeHip(const hip::Driver &driver, int device, OpenedDevice &opened) {
  hip::Properties properties;
  SXT_TRY(driver.properties(device, properties));
  if (!properties.arch.starts_with("gfx"))
    return fail(SXT_ERROR_NO_DEVICE,
                "the HIP runtime gives device %d the architecture '%s', "
                "which AMD does not have",
                device, properties.arch.c_str());
  DeviceDescription &d = opened.description;
  d.name = module::message("hip:%d", device);
  d.description = properties.name;
  d.facts.backend = module::amdgpuFamily.name;
  d.facts.waves = wavesOf(properties.arch, properties.waveSize);
  d.facts.arch = std::move(properties.arch); // with its modifiers: gfx90a:sramecc+:xnack-
  d.memoryBytes = properties.memoryBytes;
  d.sharedBytes = properties.sharedBytes;
  d.rank = properties.integrated ? Rank::Integrated : Rank::Discrete;
  d.multiprocessors = std::max(1u, properties.multiprocessors);
  d.maxThreadsPerBlock = std::max(1u, properties.threadsPerBlock);
  opened.threadsPerMultiprocessor = std::max(1u, properties.threadsPerMultiprocessor);
  return SXT_OK;
}

void enumerateHip(std::vector<DeviceDescription> &devices, std::string &why) {
  const hip::Driver *driver = hip::Driver::get(why);
  if (!driver)
    return;
  int count = 0;
  driver::Result result = driver->getDeviceCount.function(&count);
  if (result != driver::success && result != driver::errorNoDevice) {
    why = "hipGetDeviceCount failed: " + driver->api.describe(result);
    return;
  }
  if (result != driver::success || count == 0) {
    why = "the HIP runtime sees no device";
    return;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    OpenedDevice found;
    DeviceDescription &d = found.description;
    d.name = module::message("hip:%d", ordinal);
    d.facts.backend = module::amdgpuFamily.name;
    if (describeHip(*driver, ordinal, found) != SXT_OK)
      d.description =
          sxt_last_error_message(); // listed, so that ordinals stay; open() will say why
    devices.push_back(std::move(d));
  }
}

/// Opens a device. Its context is the device itself and needs no release.
sxt_status openDevice(const hip::Driver &driver, int ordinal, OpenedDevice opened,
                      std::unique_ptr<Device> &device) {
  auto context = std::make_unique<driver::DeviceContext>(driver.api);
  SXT_TRY(describeHip(driver, ordinal, opened));
  context->device = ordinal;
  context->context = hip::contextOf(ordinal);
  device = driver::makeDevice(std::move(context), std::move(opened));
  return SXT_OK;
}

sxt_status openHip(unsigned ordinal, std::unique_ptr<Device> &device) {
  std::string why;
  const hip::Driver *driver = hip::Driver::get(why);
  if (!driver)
    return fail(SXT_ERROR_NO_DEVICE, "%s", why.c_str());
  return openDevice(*driver, static_cast<int>(ordinal), {}, device);
}

/// Returns the device of a hipCtx_t, or the thread's current one.
sxt_status deviceOf(const hip::Driver &driver, void *context, int &device) {
  if (!context)
    return driver.api(driver.getDevice, &device);
  if (!driver.ctxPushCurrent.function || !driver.ctxPopCurrent.function)
    return fail(SXT_ERROR_UNSUPPORTED, "this HIP runtime has no contexts any more: adopt the "
                                       "current device with a null context");
  SXT_TRY(driver.api(driver.ctxPushCurrent, static_cast<driver::Context>(context)));
  sxt_status status = driver.api(driver.getDevice, &device);
  driver::Context popped = nullptr;
  (void)driver.ctxPopCurrent.function(&popped);
  return status;
}

sxt_status adoptHip(void *context, void *stream, std::unique_ptr<Device> &device) {
  std::string why;
  const hip::Driver *driver = hip::Driver::get(why);
  if (!driver)
    return fail(SXT_ERROR_NO_DEVICE, "%s", why.c_str());
  int ordinal = 0;
  SXT_TRY(deviceOf(*driver, context, ordinal));
  OpenedDevice opened;
  opened.adopted = true;
  opened.stream = static_cast<driver::Stream>(stream);
  return openDevice(*driver, ordinal, std::move(opened), device);
}

} // namespace

} // namespace sextant::loader

const sxt_backend sxt_backend_hip = {sextant::module::amdgpuFamily, sextant::loader::enumerateHip,
                                     sextant::loader::openHip, sextant::loader::adoptHip};
