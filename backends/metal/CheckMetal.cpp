// Errors name the op, the target and a way out. Other targets' variants of the kernel are built all
// the same.
#include "backends/metal/CheckMetal.h"
#include "backends/common/Limits.h"
#include "backends/metal/Raise.h"
#include "backends/spirv/Spirv.h"

#include "frontend/ir/Refuse.h"

using namespace llvm;
using namespace sextant;

/// The limits that hold on every GPU with Metal.
static constexpr unsigned threadLimit = 1024;

namespace {

class Checker {
public:
  Checker(const sextant::Target &target, MslVersion version) : target(target), version(version) {}
  bool ok = true;

  void checkTask(mlir::func::FuncOp task);

private:
  mlir::InFlightDiagnostic error(mlir::Operation *op, Problem problem) {
    ok = false;
    return simt::refuse(op, problem);
  }
  void checkMemory(mlir::func::FuncOp task);
  void checkFloat64(mlir::func::FuncOp task);
  void checkAtomic(mlir::Operation *op, simt::BufferType buffer);

  const sextant::Target &target;
  MslVersion version;
};

} // namespace

void Checker::checkMemory(mlir::func::FuncOp task) {
  ok &= succeeded(checkLimits(task, {.sharedBytes = metalSharedLimit, .blockThreads = threadLimit},
                              target.str()));
}

static bool isFloat64(mlir::Type type) {
  if (auto buffer = dyn_cast<simt::BufferType>(type))
    return buffer.getElementType().isF64();
  return type.isF64();
}

/// Reports only the first use in a task. Constants have no place in the source.
void Checker::checkFloat64(mlir::func::FuncOp task) {
  task.getBody().walk([&](mlir::Operation *op) {
    bool uses = any_of(op->getOperandTypes(), isFloat64) || any_of(op->getResultTypes(), isFloat64);
    if (!uses || op->hasTrait<mlir::OpTrait::ConstantLike>())
      return mlir::WalkResult::advance();
    error(op, Problem::WideRealNotInTarget)
        << "f64 is not a type of " << target.str()
        << ": Metal has no 64-bit reals; compute in f32, or leave metal out of this "
           "kernel's targets";
    return mlir::WalkResult::interrupt();
  });
}

void Checker::checkAtomic(mlir::Operation *op, simt::BufferType buffer) {
  if (!buffer.getElementType().isInteger(64)) // f64 is said already
    return;
  auto rmw = dyn_cast<simt::AtomicRmwOp>(op);
  if (rmw && isMetalMinMax(rmw) && !(version < firstWithWideMinMax))
    return;
  error(op, Problem::WideAtomicNotInTarget)
      << "64-bit atomics are not in " << target.str()
      << ", but for minima and maxima of u64 in arrays, from Metal 2.4 on, whose old value "
         "is not used: use i32 or u32, or leave metal out of this kernel's targets";
}

void Checker::checkTask(mlir::func::FuncOp task) {
  checkMemory(task);
  checkFloat64(task);
  task.walk([&](mlir::Operation *op) {
    if (auto rmw = dyn_cast<simt::AtomicRmwOp>(op))
      checkAtomic(op, rmw.getBuffer().getType());
    else if (auto cas = dyn_cast<simt::AtomicCasOp>(op))
      checkAtomic(op, cas.getBuffer().getType());
    else if (isa<simt::FenceOp>(op) && version < firstWithFences)
      error(op, Problem::FenceNotInTarget)
          << "memory fences are not in " << target.str()
          << ": Metal has them from version 3.2 on (target metal:3.2); otherwise use a "
             "barrier, pass the value itself through an atomic, or split the kernel";
    else if (isa<simt::ClockOp>(op))
      error(op, Problem::ClockNotInTarget)
          << "there is no clock in " << target.str()
          << ": Metal has no counter that kernels can read; ask for it under "
             "`qd.static(qd.cfg.arch != qd.metal)`, or leave metal out of this kernel's targets";
  });
}

mlir::LogicalResult sextant::checkMetal(mlir::ModuleOp module, const sextant::Target &target,
                                        MslVersion version) {
  Checker checker(target, version);
  for (auto task : module.getOps<mlir::func::FuncOp>())
    checker.checkTask(task);
  return mlir::success(checker.ok);
}
