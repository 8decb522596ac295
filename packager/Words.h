// Descriptions of modules in words: signatures, launch bounds, hashes.
#pragma once

#include "loader/format/Module.h"

namespace sextant::packager {

/// Lower-case hexadecimal.
std::string hex(std::span<const uint8_t> bytes);
std::string hex(uint64_t value);

/// "i32[:, :]", "f32[:] of 3x3", "f64 2x3", "u1".
std::string typeText(const module::Argument &argument);
/// Describes a struct of Argument::structure: its size, and where its members lie in bytes.
std::string structureText(const std::string &structure);
/// "i32[16, 16]", "f32".
std::string typeText(module::DType dtype, std::span<const int64_t> shape, unsigned rows,
                     unsigned cols);
/// "total(src: i32[:], scale: f32) -> f32".
std::string signatureText(const module::Kernel &kernel);
/// How a kernel is launched. Refers to the kernel.
class LaunchWords {
public:
  explicit LaunchWords(const module::Kernel &kernel);
  /// "(src.shape[0] + 1) // 2"; of one that is long only how long.
  /// \param isExact as LaunchText::exact, else as LaunchText::count
  std::string iterations(const module::LaunchExpr &expr, bool isExact = true) const;
  /// One line on a task: "128 threads a block, src.shape[0] iterations".
  std::string task(const module::Task &task) const;
  /// "loop: tasks 1 to 2; checkpoint 7: task 2"
  std::string schedule(const module::Hidden &buffer) const;

private:
  const module::Kernel &kernel;
  module::BlockLayout layout; ///< layout of the arguments: hidden buffers follow them
  std::string param(int64_t number) const;
};

/// Left-aligned columns with two spaces between; numbers right-aligned where
/// `right` says so. Each line begins with `indent` and ends with a line end.
std::string tableText(const std::vector<std::vector<std::string>> &rows,
                      const std::vector<bool> &right, std::string_view indent);

} // namespace sextant::packager
