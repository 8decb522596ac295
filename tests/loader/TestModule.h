// Modules for the loader's tests: the tasks of kernels.c, described by hand.
#pragma once

#include "packager/ModuleBuilder.h"
#include "sextant/sextant.h"
#include "tests/support/Catch.h"

#include <map>
#include <string>
#include <vector>

namespace sextant::test {

/// The shared object that kernels.c was built into.
std::vector<std::byte> kernelImage();
/// The same with a pace of 20, where kernelImage() has 2.
std::vector<std::byte> slowKernelImage();

/// The architecture of the CPU device: "x86-64-v3".
std::string hostArch();

struct KernelSpec {
  module::Kernel kernel;
  module::Plan plan;
  std::vector<module::Resources> resources;
};

/// saxpy, empty, chain, total, …: see kernels.c.
std::vector<KernelSpec> kernelSpecs();

struct ModuleOptions {
  /// Targets that every kernel has a variant for, "cpu" by its own image, GPUs by `gpuImage`.
  std::vector<module::Target> targets; ///< empty: the CPU's exact architecture, wave 32
  std::string gpuImage = "cubin of kernels";
  std::vector<std::byte> cpuImage; ///< empty: kernelImage()
  /// Images of single targets, by their text ("amdgpu:gfx1100/wave64").
  std::map<std::string, std::vector<std::byte>> images;
  std::vector<std::string> loopNeeds; ///< requirements of cubins with loops on the device
};
/// A module with the kernels of kernelSpecs().
std::vector<std::byte> makeModule(const ModuleOptions &options = {});

/// Creates, launches, copies, waits and maps once; the status of the first call that fails.
/// Releases everything whatever fails.
sxt_status smallRun(const char *device, const ModuleOptions &options);

/// Launches a kernel without tasks in every way there is.
void runIdle(const char *device, const ModuleOptions &options);

/// Fails the test unless the call is SXT_OK, and shows its message.
void need(sxt_status status);
/// The thread's last message, for CHECK(message() == …).
std::string message();
bool contains(const std::string &text, const std::string &part);

/// Handles that a test uses, released at its end.
struct Loaded {
  explicit Loaded(const char *device = "cpu", const ModuleOptions &options = {});
  ~Loaded();
  sxt_kernel *kernel(const char *name);
  sxt_buffer *buffer(uint64_t bytes); ///< released with this
  template <class T> sxt_buffer *bufferOf(const std::vector<T> &values) {
    sxt_buffer *made = buffer(values.size() * sizeof(T));
    need(sxt_buffer_write(made, 0, values.data(), values.size() * sizeof(T), nullptr));
    return made;
  }
  template <class T> std::vector<T> read(sxt_buffer *from, size_t count) {
    std::vector<T> values(count);
    need(sxt_buffer_read(from, 0, values.data(), count * sizeof(T), nullptr));
    return values;
  }
  std::vector<std::byte> bytes;
  sxt_module *module = nullptr;
  sxt_device *device = nullptr;
  sxt_program *program = nullptr;
  std::vector<sxt_buffer *> buffers;
};

/// A graph of three steps on arrays of 100 floats: y = 0; saxpy(2, x, y), of which `saxpy` gets
/// the number; z = y. To be released.
sxt_graph *saxpyGraph(Loaded &on, sxt_buffer *x, sxt_buffer *y, sxt_buffer *z, size_t &saxpy);

} // namespace sextant::test
