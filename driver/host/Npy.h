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

/// Returns the bytes of an element of `type`, or 0 if there is no such type.
unsigned elementSize(std::string_view type);
/// Returns the product of the extents. Throws Refusal if it does not fit memory.
uint64_t elementCount(const std::vector<int64_t> &shape, unsigned elementSize);

/// Reads the bytes of a .npy file (versions 1 to 3, little-endian; Fortran order is transposed).
/// Errors call it `name`. Elements of plain bytes, which NumPy has for types that it does not know,
/// are read as `wanted` if that is such a type. Throws Refusal.
HostArray parseNpy(std::string_view bytes, const std::string &name, std::string_view wanted = "");
/// Returns the bytes of a version 1.0 .npy file.
std::string formatNpy(const HostArray &array);

} // namespace sextant
