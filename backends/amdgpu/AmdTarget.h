// The dialect's ops on AMD GPUs, as AMDGPU intrinsics.
#pragma once

#include "backends/amdgpu/LaneMoves.h"
#include "backends/common/ThreadEmitter.h"

namespace sextant {

class AmdTarget : public ThreadTarget {
public:
  /// `hasRoom`: true if every task has `LaneMoves::stageBytes` of shared memory left.
  AmdTarget(const AmdArch &arch, unsigned wave, bool hasRoom)
      : arch(arch), wave(wave), moves(arch, wave, hasRoom) {
    readsSharedAtomically = true;
    narrowestSwap = 4;
    minMaxByIntegers = true;
  }

  llvm::Value *threadIdx(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const override;
  llvm::Value *blockIdx(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const override;
  llvm::Value *gridDim(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const override;
  void barrier(llvm::IRBuilder<> &b) const override;
  /// Expanded before emission.
  llvm::Value *barrierReduce(llvm::IRBuilder<> &b, simt::BarrierReduceKind kind,
                             llvm::Value *predicate) const override;
  void fence(llvm::IRBuilder<> &b, simt::Scope scope) const override;
  void subgroupBarrier(llvm::IRBuilder<> &b) const override;
  void pause(llvm::IRBuilder<> &b) const override;
  llvm::Value *clock(llvm::IRBuilder<> &b) const override;
  llvm::Value *shuffle(llvm::IRBuilder<> &b, simt::ShuffleOp op, llvm::Value *value,
                       llvm::Value *lane) const override;
  llvm::Value *ballot(llvm::IRBuilder<> &b, llvm::Value *predicate) const override;
  llvm::Value *vote(llvm::IRBuilder<> &b, simt::VoteKind kind, llvm::Value *predicate,
                    unsigned log2Size) const override;
  llvm::Value *reduce(llvm::IRBuilder<> &b, simt::ReduceOp op, llvm::Value *value) const override;
  llvm::Value *scan(llvm::IRBuilder<> &b, simt::ScanOp op, llvm::Value *value) const override;
  std::string mathFunction(llvm::StringRef name, bool isDouble) const override;
  bool hasAtomic(simt::CombineKind kind, llvm::Type *type, simt::Space space) const override;
  llvm::SyncScope::ID atomicScope(llvm::LLVMContext &context, simt::Space space) const override;
  void finishTask(llvm::Function &function, const simt::TaskInfo &task) const override;

private:
  const AmdArch &arch;
  unsigned wave;
  LaneMoves moves;
};

} // namespace sextant
