// Memory of a device that the package owns: fields, and arrays that the application makes.
#pragma once

#include "Arguments.h"
#include "Program.h"

namespace sextant::python {

struct Array {
  std::shared_ptr<Device> device;
  std::shared_ptr<LoadedProgram> program;      ///< a field's program
  Owned<sxt_buffer, sxt_buffer_release> owned; ///< memory of an array that the application made
  sxt_buffer *buffer = nullptr;
  uint64_t address = 0;
  sxt_dtype dtype = SXT_DTYPE_F32;
  std::vector<int64_t> shape; ///< without the element's
  std::vector<int64_t> full;  ///< with it
  std::string structure;      ///< type of structs; "" otherwise
  std::shared_ptr<void> kept; ///< a gradient: what has the memory

  uint64_t bytes() const { return bytesOf(dtype, full); }
  /// The array without its device, as arguments are checked.
  dlpack::Tensor tensor() {
    return {reinterpret_cast<void *>(address),
            {},
            int32_t(full.size()),
            inDlpack(dtype),
            full.data(),
            nullptr,
            0};
  }
};

/// Returns the field with that name.
std::shared_ptr<Array> fieldOf(std::shared_ptr<LoadedProgram> program, nb::str name);

} // namespace sextant::python
