// A kernel as bytes, by which caches know it. Equal bytes mean equal code.
#pragma once

#include "frontend/hir/Hir.h"

#include <string>

namespace sextant::hir {

struct KernelBytes {
  std::string code;   ///< all that its code depends on, without places in the source
  std::string places; ///< files, lines and columns, and the names that debuggers show
  bool operator==(const KernelBytes &) const = default;
};

KernelBytes bytesOf(const Kernel &kernel);

} // namespace sextant::hir
