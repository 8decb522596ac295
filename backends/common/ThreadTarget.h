// A target of tasks as LLVM IR with one thread a lane: the differences between GPUs.
#pragma once

#include "frontend/ir/SimtDialect.h"
#include "llvm/IR/IRBuilder.h"

namespace sextant {

/// How one GPU architecture expresses the dialect's ops. Values of the dialect are LLVM scalars of
/// the same type. `b` is at the place of the op.
class ThreadTarget {
public:
  virtual ~ThreadTarget() = default;

  /// The address spaces of LLVM's pointers to device memory and to shared memory.
  unsigned globalSpace = 1, sharedSpace = 3;
  /// The shared memory that the code may declare itself. A task with more gets all of it with the
  /// launch, through the one external array of no size.
  uint64_t staticSharedLimit = UINT64_MAX;

  /// True if shared memory that is changed atomically is also read atomically, by a loop of
  /// compare-and-swaps. Tools that look for races then see no difference between reads.
  bool readsSharedAtomically = false;
  /// An access adds a constant to its address for nothing.
  bool offsetsAreFree = false;
  /// Wide zeros cost less than copies of a sign: many indices share them.
  bool zerosAreFree = false;
  /// The fewest bytes that a compare-and-swap takes.
  unsigned narrowestSwap = 1;
  /// True if atomic minima and maxima of f32 and f64 that the target lacks are made of those of
  /// integers.
  bool minMaxByIntegers = false;

  /// True if divisions, roots and functions of f32 may be approximated. The first two then have
  /// LLVM's flags for that.
  bool approximates = false;

  virtual llvm::Value *threadIdx(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const = 0;
  /// Global indices of threads fit into 31 bits, so blocks times block size do too.
  virtual llvm::Value *blockIdx(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const = 0;
  virtual llvm::Value *gridDim(llvm::IRBuilder<> &b, const simt::TaskInfo &task) const = 0;

  /// The value of an op that the target has instructions for: what lanes do together, barriers that
  /// reduce, clocks. Null where it has none: such ops are expanded before emission.
  virtual llvm::Value *emitValue(llvm::IRBuilder<> &b, mlir::Operation &op,
                                 llvm::ArrayRef<llvm::Value *> operands) const = 0;
  /// Emits an op without a value: barriers, fences, waits. False if the target does not know it.
  virtual bool emitEffect(llvm::IRBuilder<> &b, mlir::Operation &op) const = 0;

  /// Starts a copy of a value of the type from device memory to shared memory. False if the target
  /// cannot: then the value is stored.
  virtual bool copyAsync(llvm::IRBuilder<> & /*b*/, llvm::Type * /*type*/, llvm::Value * /*to*/,
                         llvm::Value * /*from*/) const {
    return false;
  }

  /// The results of an instruction in the target's own words (simt.instruction), or nothing if it
  /// has no such instruction.
  virtual std::optional<llvm::SmallVector<llvm::Value *>>
  emitInstruction(llvm::IRBuilder<> & /*b*/, llvm::StringRef /*text*/, bool /*accessesMemory*/,
                  llvm::ArrayRef<llvm::Type *> /*results*/,
                  llvm::ArrayRef<llvm::Value *> /*operands*/) const {
    return std::nullopt;
  }

  /// Accesses of global memory that tell the caches something: a scalar, or a vector that is
  /// aligned to its size. LLVM's own marks, where the target has nothing better.
  virtual llvm::Value *loadCached(llvm::IRBuilder<> &b, llvm::Type *type, llvm::Value *pointer,
                                  simt::Cache cache) const;
  virtual void storeCached(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *pointer,
                           simt::Cache cache) const;

  /// Adds each value to an element of its own; the elements lie one after the other, aligned to
  /// their size together. Only for targets that let vectorizeAccesses() make such additions.
  virtual void atomicAddVector(llvm::IRBuilder<> & /*b*/, llvm::Value * /*pointer*/,
                               llvm::ArrayRef<llvm::Value *> /*values*/) const {}

  /// Adds a real to one place for all lanes that are here together; what is added before is unused.
  /// Returns false if the target leaves that to each lane.
  /// \param isOne the lanes have one place; else they often do
  virtual bool atomicAddTogether(llvm::IRBuilder<> & /*b*/, llvm::Value * /*pointer*/,
                                 llvm::Value * /*value*/, bool /*isOne*/) const {
    return false;
  }

  /// True if the code tells a graph's node whether a loop on the device has another round.
  virtual bool tellsLoops() const { return false; }
  /// \param handle the node's, of 64 bits; not 0
  virtual void tellLoop(llvm::IRBuilder<> & /*b*/, llvm::Value * /*handle*/,
                        llvm::Value * /*goesOn*/) const {}

  /// The library's function for a math op ("sin", "pow", "fmod", …) on f32 or f64.
  virtual std::string mathFunction(llvm::StringRef name, bool isDouble,
                                   bool isApproximate) const = 0;
  /// True if `atomicrmw` can do it. Otherwise the emitter makes a loop of compare-and-swaps.
  virtual bool hasAtomic(simt::CombineKind kind, llvm::Type *type, simt::Space space) const = 0;

  /// The LLVM scope of atomic operations on that memory.
  virtual llvm::SyncScope::ID atomicScope(llvm::LLVMContext & /*context*/,
                                          simt::Space /*space*/) const {
    return llvm::SyncScope::System;
  }

  /// Turns a finished function into a kernel.
  virtual void finishTask(llvm::Function &function, const simt::TaskInfo &task) const = 0;
};

/// The alignment of a scalar, or of a vector of scalars: its size.
llvm::Align alignmentOf(llvm::Type *type);

/// Moves a scalar between lanes by moves of i32: a wide one in two pieces, a narrow one extended.
llvm::Value *moveInWords(llvm::IRBuilder<> &b, llvm::Value *value,
                         llvm::function_ref<llvm::Value *(llvm::Value *)> move);

} // namespace sextant
