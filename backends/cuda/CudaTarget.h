// The dialect's ops on NVIDIA GPUs, as NVVM intrinsics.
#pragma once

#include "backends/common/ThreadTarget.h"

namespace sextant {

class CudaTarget : public ThreadTarget {
public:
  /// `capability` is 10 × major + minor of the PTX's virtual architecture.
  CudaTarget(unsigned capability, bool tellsLoops) : capability(capability), tells(tellsLoops) {
    staticSharedLimit = staticShared;
    minMaxByIntegers = true;
  }
  /// The shared memory that ptxas lets code declare itself.
  static constexpr uint64_t staticShared = 48 * 1024;

  llvm::Value *threadIdx(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const override;
  llvm::Value *blockIdx(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const override;
  llvm::Value *gridDim(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const override;
  llvm::Value *emitValue(llvm::IRBuilder<> &b, mlir::Operation &op,
                         llvm::ArrayRef<llvm::Value *> operands) const override;
  bool emitEffect(llvm::IRBuilder<> &b, mlir::Operation &op) const override;
  bool copyAsync(llvm::IRBuilder<> &b, llvm::Type *type, llvm::Value *to,
                 llvm::Value *from) const override;
  std::optional<llvm::SmallVector<llvm::Value *>>
  emitInstruction(llvm::IRBuilder<> &b, llvm::StringRef text, bool accessesMemory,
                  llvm::ArrayRef<llvm::Type *> results,
                  llvm::ArrayRef<llvm::Value *> operands) const override;
  llvm::Value *loadCached(llvm::IRBuilder<> &b, llvm::Type *type, llvm::Value *pointer,
                          simt::Cache cache) const override;
  void storeCached(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *pointer,
                   simt::Cache cache) const override;
  void atomicAddVector(llvm::IRBuilder<> &b, llvm::Value *pointer,
                       llvm::ArrayRef<llvm::Value *> values) const override;
  bool atomicAddTogether(llvm::IRBuilder<> &b, llvm::Value *pointer, llvm::Value *value,
                         bool isOne) const override;
  bool tellsLoops() const override { return tells; }
  void tellLoop(llvm::IRBuilder<> &b, llvm::Value *handle, llvm::Value *goesOn) const override;
  std::string mathFunction(llvm::StringRef name, bool isDouble, bool isApproximate) const override;
  bool hasAtomic(simt::CombineKind kind, llvm::Type *type, simt::Space space) const override;
  void finishTask(llvm::Function &function, const simt::TaskInfo &task) const override;

  /// True if redux.sync does this reduction: 32-bit integers over the whole warp, from sm_80 on.
  bool hasReduce(simt::ReduceOp op) const;
  /// True if `red` adds 2 or 4 elements of the buffer: of f32 in device memory, from sm_90 on
  /// and with PTX 8.1 (PTX ISA, red).
  bool hasVectorAdd(simt::BufferType buffer) const {
    return capability >= 90 && buffer.getSpace() == simt::Space::Global &&
           buffer.getElementType().isF32();
  }

private:
  unsigned capability;
  bool tells;
};

} // namespace sextant
