// What bindings are made of: the kernels of a module that was just written.
#pragma once

#include "loader/format/Module.h"

#include <cstddef>
#include <span>
#include <vector>

namespace sextant {

struct BoundModule {
  module::ModuleInfo info;
  std::vector<module::Kernel> kernels; ///< by instance name
};

/// Throws Refusal.
BoundModule boundModule(std::span<const std::byte> bytes);

} // namespace sextant
