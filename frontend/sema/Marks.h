// Marks of kernels, and kernels that are marked where they cannot be built.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Errors for kernels that are written, but not where they can be built.
void refuseLostKernels(Context &cx, ModuleScope &module);

} // namespace sextant::sema
