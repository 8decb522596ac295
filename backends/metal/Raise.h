// Prepares tasks for Metal: what Metal needs, and Vulkan does not, in the SPIR-V from which its
// text is made.
#pragma once

#include "frontend/ir/SimtDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace sextant {

/// SPIRV-Cross has no 64-bit atomics. Metal has only atomic minima and maxima of u64 in device
/// memory, which return nothing. They are written as stores to a variable whose name is one of
/// these with its binding's number.
inline constexpr llvm::StringLiteral metalMinimum = "sextantMin", metalMaximum = "sextantMax";
/// True if the operation is one of those.
bool isMetalMinMax(simt::AtomicRmwOp op);

/// Rewrites tasks for Metal, and marks ops (backends/spirv/Marks.h). It is the last stage before
/// emission. Returns true if there are atomic minima and maxima of 64 bits.
bool raiseForMetal(mlir::ModuleOp module);

} // namespace sextant
