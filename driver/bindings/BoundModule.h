// The facts that bindings are made of: the kernels of a module that was just written.
#pragma once

#include "loader/format/Module.h"

#include <cstddef>
#include <span>
#include <vector>

namespace sextant {

struct BoundModule {
  module::ModuleInfo info;
  std::vector<module::Kernel> kernels; ///< in the order of their instances' names
};

/// Throws Refusal.
BoundModule boundModule(std::span<const std::byte> bytes);

} // namespace sextant
