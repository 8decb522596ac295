// A number that a launch computes, as people would write it.
#pragma once

#include "loader/format/Module.h"

#include <functional>
#include <string>

namespace sextant::packager {

struct LaunchText {
  /// Equal to the expression for all values: "max(n - 2, 0) * (m + 1)".
  std::string exact;
  /// Equal unless it, or a factor of it, is negative, which means no iterations: "(n - 2) * (m +
  /// 1)".
  std::string count;
};

/// Sums are collected: `(n - 1) - 1` is "n - 2". Arithmetic that wraps to the size of an integer
/// type is written without the wrapping. \param nameOf the name of a parameter
LaunchText launchText(const module::LaunchExpr &expr,
                      const std::function<std::string(int64_t)> &nameOf);

} // namespace sextant::packager
