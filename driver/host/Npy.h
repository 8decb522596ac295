// Arrays in host memory, and NumPy's .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sextant {

/// A C-contiguous array.
struct HostArray {
  std::string type;           ///< "f32", "u1", …, as in the kernel language
  std::vector<int64_t> shape; ///< extents, outermost first
  std::string bytes;

  uint64_t count() const;
};

/// Bytes an element of `type` takes, or 0 where there is no such type.
unsigned elementSize(std::string_view type);
/// The product of the extents; throws Refusal where it does not fit memory.
uint64_t elementCount(const std::vector<int64_t> &shape, unsigned elementSize);

/// Reads the bytes of a .npy file (versions 1 to 3, little-endian; Fortran order
/// is transposed). `name` is what errors call it. Throws Refusal.
HostArray parseNpy(std::string_view bytes, const std::string &name);
/// The bytes of a version 1.0 .npy file.
std::string formatNpy(const HostArray &array);

} // namespace sextant
