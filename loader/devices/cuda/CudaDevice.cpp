// Finds NVIDIA's GPUs, their facts and their contexts. common/DriverDevice.cpp drives the open
// devices.
#include "loader/devices/Device.h"
#include "loader/devices/common/DriverDevice.h"
#include "loader/devices/cuda/Driver.h"
#include "loader/format/Text.h"

namespace sextant::loader {
namespace {

using driver::OpenedDevice;

/// The newest PTX that a driver accepts: each CUDA release came with one (release notes of the PTX
/// ISA).
module::FactNumber ptxOf(int driverVersion) {
  unsigned major = static_cast<unsigned>(driverVersion) / 1000;
  unsigned minor = static_cast<unsigned>(driverVersion) % 1000 / 10;
  switch (major) {
  case 9: // 9.0: 6.0, 9.1: 6.1, 9.2: 6.2
    return {"ptx", 6, minor};
  case 10: // 10.0: 6.3, 10.1: 6.4, 10.2: 6.5
    return {"ptx", 6, minor + 3};
  case 12: // 12.0: 8.0 … 12.5: 8.5, 12.6: 8.5, 12.7: 8.6, 12.8: 8.7, 12.9: 8.8
    return {"ptx", 8, minor >= 6 ? minor - 1 : minor};
  default: // 11.0: 7.0, 13.0: 9.0 and so on
    return {"ptx", major > 4 ? major - 4 : 0, minor};
  }
}

sxt_status describeCuda(const cuda::Driver &driver, cuda::DeviceId device, OpenedDevice &opened) {
  auto attribute = [&](int which, uint32_t &value) {
    int number = 0;
    SXT_TRY(driver.api(driver.deviceGetAttribute, &number, which, device));
    value = static_cast<uint32_t>(number);
    return SXT_OK;
  };
  char name[256] = {};
  SXT_TRY(driver.api(driver.deviceGetName, name, int(sizeof name - 1), device));
  DeviceDescription &d = opened.description;
  uint32_t major = 0, minor = 0, shared = 0, integrated = 0;
  SXT_TRY(attribute(cuda::ComputeCapabilityMajor, major));
  SXT_TRY(attribute(cuda::ComputeCapabilityMinor, minor));
  SXT_TRY(attribute(cuda::MaxSharedMemoryPerBlock, shared));
  SXT_TRY(attribute(cuda::Integrated, integrated));
  SXT_TRY(attribute(cuda::MultiprocessorCount, d.multiprocessors));
  SXT_TRY(attribute(cuda::MaxThreadsPerBlock, d.maxThreadsPerBlock));
  SXT_TRY(attribute(cuda::MaxThreadsPerMultiprocessor, opened.threadsPerMultiprocessor));
  size_t memory = 0;
  SXT_TRY(driver.api(driver.deviceTotalMem, &memory, device));
  d.name = module::message("cuda:%d", device);
  d.description = name;
  d.facts.backend = module::cudaFamily.name;
  d.facts.arch = module::message("sm_%d%d", major, minor);
  d.facts.waves = {32};
  d.facts.numbers = {ptxOf(driver.version)};
  constexpr int firstWithLoops = 12040;
  if (driver.api.addLoop && driver.version >= firstWithLoops)
    d.facts.features = {abi::conditionalGraphs, abi::graphAddresses};
  d.memoryBytes = memory;
  d.sharedBytes = shared;
  d.rank = integrated ? Rank::Integrated : Rank::Discrete;
  return SXT_OK;
}

void enumerateCuda(std::vector<DeviceDescription> &devices, std::string &why) {
  const cuda::Driver *driver = cuda::Driver::get(why);
  if (!driver)
    return;
  int count = 0;
  if (driver::Result result = driver->deviceGetCount.function(&count); result != driver::success) {
    why = "cuDeviceGetCount failed: " + driver->api.describe(result);
    return;
  }
  if (count == 0)
    why = "the NVIDIA driver sees no device";
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cuda::DeviceId device = 0;
    OpenedDevice found;
    DeviceDescription &d = found.description;
    d.name = module::message("cuda:%d", ordinal);
    d.facts.backend = module::cudaFamily.name;
    if (driver->api(driver->deviceGet, &device, ordinal) != SXT_OK ||
        describeCuda(*driver, device, found) != SXT_OK)
      d.description =
          sxt_last_error_message(); // listed, so that ordinals stay; open() will say why
    devices.push_back(std::move(d));
  }
}

sxt_status openCuda(unsigned ordinal, std::unique_ptr<Device> &device) {
  std::string why;
  const cuda::Driver *driver = cuda::Driver::get(why);
  if (!driver)
    return fail(SXT_ERROR_NO_DEVICE, "%s", why.c_str());
  auto context = std::make_unique<driver::DeviceContext>(driver->api);
  OpenedDevice opened;
  SXT_TRY(driver->api(driver->deviceGet, &context->device, static_cast<int>(ordinal)));
  SXT_TRY(describeCuda(*driver, context->device, opened));
  SXT_TRY(driver->api(driver->primaryCtxRetain, &context->context, context->device));
  context->release = [](int id) {
    std::string unused;
    cuda::Driver::get(unused)->primaryCtxRelease.function(id);
  };
  device = driver::makeDevice(std::move(context), std::move(opened));
  return SXT_OK;
}

sxt_status adoptCuda(void *given, void *stream, std::unique_ptr<Device> &device) {
  std::string why;
  const cuda::Driver *driver = cuda::Driver::get(why);
  if (!driver)
    return fail(SXT_ERROR_NO_DEVICE, "%s", why.c_str());
  auto context = std::make_unique<driver::DeviceContext>(driver->api);
  context->context = static_cast<driver::Context>(given);
  if (!given)
    SXT_TRY(driver->api(driver->ctxGetCurrent, &context->context));
  if (!context->context)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "no CUDA context was given, and none is current on this thread");
  OpenedDevice opened;
  opened.adopted = true;
  opened.stream = static_cast<driver::Stream>(stream);
  {
    driver::Current current(*context);
    SXT_TRY(current.status());
    SXT_TRY(driver->api(driver->ctxGetDevice, &context->device));
  }
  SXT_TRY(describeCuda(*driver, context->device, opened));
  device = driver::makeDevice(std::move(context), std::move(opened));
  return SXT_OK;
}

} // namespace

} // namespace sextant::loader

const sxt_backend sxt_backend_cuda = {sextant::module::cudaFamily, sextant::loader::enumerateCuda,
                                      sextant::loader::openCuda, sextant::loader::adoptCuda};
