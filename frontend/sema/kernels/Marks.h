// The marks of kernels, and kernels that are marked where they cannot be built.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Reports an error for each kernel that is written where it cannot be built.
void refuseLostKernels(Context &cx, ModuleScope &module);

} // namespace sextant::sema
