// What Metal needs that Vulkan does not, in the SPIR-V from which its text is made.
#pragma once

#include "frontend/ir/SimtDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace sextant {

/// SPIRV-Cross has no 64-bit atomics, Metal only atomic minima and maxima of u64 in device
/// memory, which yield nothing. They are written as stores to a variable of this name and
/// its binding's number.
inline constexpr llvm::StringLiteral metalMinimum = "sextantMin", metalMaximum = "sextantMax";
/// Whether the operation is one of those.
bool isMetalMinMax(simt::AtomicRmwOp op);

/// Rewrites tasks for Metal, and marks ops (backends/spirv/Marks.h); the last stage before
/// emission.
/// Returns whether there are atomic minima and maxima of 64 bits.
bool raiseForMetal(mlir::ModuleOp module);

} // namespace sextant
