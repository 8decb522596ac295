// The operators of atomic operations.
#pragma once

#include "backends/spirv/ScalarWriter.h"
#include "frontend/ir/SimtDialect.h"

namespace sextant::spirv {

/// True if no device has an instruction for it on integers. Those of 8 and 16 bits are
/// zero-extended to 32, where sums have to wrap and the sign is not the word's.
bool isLoopOnIntegers(simt::CombineKind kind, mlir::Type type);
/// The instruction on integers in memory.
spv::Op atomicOnIntegers(simt::CombineKind kind);
/// The new value of an element, as code.
Id combine(simt::CombineKind kind, mlir::Type type, Id old, Id value, ScalarWriter &w);

} // namespace sextant::spirv
