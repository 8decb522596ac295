// Modules, and programs: a module on a device.
#pragma once

#include "Device.h"
#include "Signature.h"
#include "Waits.h"

#include <functional>
#include <unordered_map>

namespace sextant::recording {
class Kernel;
}

namespace sextant::python {

struct Pointer;

/// An opened module file, or one in memory.
struct Module {
  Owned<sxt_module, sxt_module_release> handle;
  Py_buffer memory{}; ///< bytes of a module in memory; its `obj` is null otherwise
  std::vector<std::shared_ptr<const Signature>> signatures; ///< one a kernel; read when asked for

  Module() = default;
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  ~Module() {
    handle.reset(); // before the memory goes
    if (memory.obj)
      PyBuffer_Release(&memory);
  }
  std::shared_ptr<const Signature> signature(size_t kernel);
  size_t kernelCount() const;
};

/// Memory of the application that a field was bound to.
struct BoundField {
  nb::object owner; ///< kept alive
  Owned<sxt_buffer, sxt_buffer_release> buffer;
};

/// A program of the loader, which its kernels and fields share.
struct LoadedProgram {
  std::shared_ptr<Module> module;
  std::shared_ptr<Device> device;
  Owned<sxt_program, sxt_program_release> handle;
  std::unordered_map<std::string, BoundField> bound; ///< found by the field's name
  bool usesFields = false;
  bool isClosed = false;

  /// The handle. Throws if the program was closed.
  sxt_program *open() const {
    if (isClosed) [[unlikely]]
      raise(SXT_ERROR_INVALID_ARGUMENT, "the program was closed");
    return handle.get();
  }
};

/// The bytes that the module carries under a name.
nb::bytes attachmentOf(Module &module, nb::str name);
/// Moves a field into memory of the application, or with null back into the program's.
void bindField(LoadedProgram &loaded, nb::str name, const Pointer *pointer);

struct Kernel {
  std::shared_ptr<LoadedProgram> program;
  std::shared_ptr<const Signature> signature;
  sxt_kernel *handle = nullptr;
  Brief brief;
  std::shared_ptr<const recording::Kernel> recorded; ///< facts for tapes; read when asked for

  Device &device() const { return *program->device; }
  /// True if a launch waits until it is done: on the CPU, if the call named no stream.
  bool waits(const Stream *given) const { return !given && device().family == Device::Cpu; }
};

/// Returns the kernel of that name, after its variant is chosen and loaded.
std::shared_ptr<Kernel> openKernel(const std::shared_ptr<LoadedProgram> &program,
                                   const std::string &name);

/// Returns what `get` does. An attribute that is not there is an AttributeError: its LookupErrors
/// become the cause of one.
nb::object asAttribute(const std::function<nb::object()> &get);

/// Tells the stream, and gives each argument's value, of a call's positions and keywords.
class Values {
public:
  Values(const Signature &signature, nb::handle positions, nb::handle keywords);
  nb::handle operator[](size_t argument) const { return values[argument]; }
  nb::handle stream() const { return streamValue; }

private:
  void set(size_t argument, nb::handle value);
  void takeKeyword(nb::handle name, nb::handle value);
  void takeGroup(const Group &group, nb::handle value);
  [[noreturn]] void failMissing() const;

  static constexpr size_t few = 16;
  const Signature &signature;
  nb::handle fewValues[few];
  std::vector<nb::handle> manyValues;
  nb::handle *values;
  nb::handle streamValue = Py_None;
  std::vector<nb::object> members; ///< attributes that were read
};

} // namespace sextant::python
