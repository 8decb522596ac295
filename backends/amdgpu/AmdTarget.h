// The dialect's ops on AMD GPUs, as AMDGPU intrinsics.
#pragma once

#include "backends/amdgpu/LaneMoves.h"
#include "backends/common/ThreadTarget.h"

namespace sextant {

class AmdTarget : public ThreadTarget {
public:
  /// `hasRoom`: true if every task has `LaneMoves::stageBytes` of shared memory left.
  AmdTarget(const AmdArch &arch, unsigned wave, bool hasRoom)
      : arch(arch), wave(wave), moves(arch, wave, hasRoom) {
    readsSharedAtomically = true;
    offsetsAreFree = true;
    zerosAreFree = true;
    narrowestSwap = 4;
    minMaxByIntegers = true;
  }

  llvm::Value *threadIdx(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const override;
  llvm::Value *blockIdx(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const override;
  llvm::Value *gridDim(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const override;
  llvm::Value *emitValue(llvm::IRBuilder<> &b, mlir::Operation &op,
                         llvm::ArrayRef<llvm::Value *> operands) const override;
  bool emitEffect(llvm::IRBuilder<> &b, mlir::Operation &op) const override;
  std::optional<llvm::SmallVector<llvm::Value *>>
  emitInstruction(llvm::IRBuilder<> &b, llvm::StringRef text, bool accessesMemory,
                  llvm::ArrayRef<llvm::Type *> results,
                  llvm::ArrayRef<llvm::Value *> operands) const override;
  std::string mathFunction(llvm::StringRef name, bool isDouble, bool isApproximate) const override;
  bool hasAtomic(simt::CombineKind kind, llvm::Type *type, simt::Space space) const override;
  llvm::SyncScope::ID atomicScope(llvm::LLVMContext &context, simt::Space space) const override;
  void finishTask(llvm::Function &function, const simt::TaskInfo &task) const override;

  const AmdArch &arch;
  const unsigned wave;
  const LaneMoves moves;
};

/// Reductions and scans of tiles (Collectives.cpp).
llvm::Value *reduceTile(llvm::IRBuilder<> &b, const AmdTarget &target, simt::ReduceOp op,
                        llvm::Value *value);
llvm::Value *scanTile(llvm::IRBuilder<> &b, const AmdTarget &target, simt::ScanOp op,
                      llvm::Value *value);

} // namespace sextant
