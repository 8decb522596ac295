// The calls by which clang's HIP host code registers and launches its kernels, over the module
// functions of HIP: amdsim, which stands in for the HIP runtime, has only those.
#include <cstdint>
#include <hip/hip_runtime_api.h>
#include <map>

namespace {

/// The argument of __hipRegisterFatBinary: code objects of all architectures, as clang bundles
/// them.
struct FatBinary {
  uint32_t magic, version;
  const void *bundle;
  void *unused;
};

struct Kernel {
  const FatBinary *binary;
  const char *name;
};

struct Launch {
  dim3 grid, block;
  size_t shared;
  hipStream_t stream;
};

// Kernels register before main(), so these are made when they are first asked for.
std::map<const void *, Kernel> &kernels() {
  static std::map<const void *, Kernel> all;
  return all;
}
std::map<const FatBinary *, hipModule_t> &modules() {
  static std::map<const FatBinary *, hipModule_t> all;
  return all;
}

Launch pushed; ///< between the push and the pop of one launch

} // namespace

extern "C" {

void **__hipRegisterFatBinary(const void *data) {
  return static_cast<void **>(const_cast<void *>(data));
}
void __hipUnregisterFatBinary(void **) {}
void __hipRegisterFunction(void **binary, const void *stub, char *, const char *name, unsigned,
                           void *, void *, void *, void *, int *) {
  kernels()[stub] = {reinterpret_cast<const FatBinary *>(binary), name};
}
void __hipRegisterVar(void **, void *, char *, char *, int, size_t, int, int) {}

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared, hipStream_t stream) {
  pushed = {grid, block, shared, stream};
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *stream) {
  *grid = pushed.grid, *block = pushed.block, *shared = pushed.shared, *stream = pushed.stream;
  return hipSuccess;
}

hipError_t hipLaunchKernel(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared,
                           hipStream_t stream) {
  const auto kernel = kernels().find(stub);
  if (kernel == kernels().end())
    return hipErrorInvalidDeviceFunction;
  hipModule_t &module = modules()[kernel->second.binary];
  if (!module)
    if (const hipError_t error = hipModuleLoadData(&module, kernel->second.binary->bundle))
      return error;
  hipFunction_t function = nullptr;
  if (const hipError_t error = hipModuleGetFunction(&function, module, kernel->second.name))
    return error;
  return hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                               unsigned(shared), stream, arguments, nullptr);
}

} // extern "C"
