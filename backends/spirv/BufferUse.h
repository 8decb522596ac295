// The accesses of a task to its buffers and arrays. They decide how these are declared.
#pragma once

#include "backends/spirv/Spirv.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace sextant::spirv {

inline simt::BufferType bufferType(mlir::Value buffer) {
  return mlir::cast<simt::BufferType>(buffer.getType());
}

struct BufferUse {
  bool loads = false, writes = false, isVolatile = false;
  bool asBits = false;                       ///< reals on which a loop of compare-and-swaps works
  bool plain = false;                        ///< loads or stores among them
  bool atomics = false;                      ///< others among them
  llvm::SmallSetVector<unsigned, 2> vectors; ///< lengths of vectors that are loaded or stored
};
BufferUse useOf(mlir::Value buffer, const SpirvOptions &options);

/// The arrays of which each round of a loop may load another element, while the loop writes other
/// arrays, which may be the same memory.
llvm::DenseSet<mlir::Value> readInWritingLoops(mlir::func::FuncOp task);

/// True if a volatile access becomes a relaxed atomic, which exists for 32 bits. In shared memory
/// `volatile` is not reliable: Metal does not have it there, and NVIDIA's Vulkan driver removes a
/// loop that only waits for such a load.
bool isAtomicAccess(mlir::Operation *access, simt::BufferType type);

/// True if threads of the task may wait for each other's writes.
bool ordersMemory(mlir::func::FuncOp task);

/// True if elements of the shared array share words. Up to what common devices have, elements of 8
/// and 16 bits take 32 each, so that a store is one instruction. Beyond it they are packed.
bool isPackedShared(mlir::Value array, mlir::func::FuncOp task, const SpirvOptions &options);

} // namespace sextant::spirv
