// Each function handles one thing in which Metal, or SPIRV-Cross's text, differs.
#include "backends/metal/Raise.h"
#include "backends/spirv/Marks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <spirv/unified1/spirv.hpp>

using namespace llvm;
using namespace sextant;
namespace marks = spirv::marks;

static void mark(mlir::Operation *op, StringRef name) {
  op->setAttr(name, mlir::UnitAttr::get(op->getContext()));
}

/// The memory semantics that mark fences. SPIRV-Cross turns every memory barrier into one that
/// threads wait at. Fences have image memory among their semantics, with shared memory for blocks
/// and buffers for the device, so that its text tells which ones were fences (restoreFences).
static uint32_t fenceSemantics(simt::Scope scope) {
  uint32_t marked = uint32_t(spv::MemorySemanticsAcquireReleaseMask) |
                    uint32_t(spv::MemorySemanticsImageMemoryMask);
  if (scope != simt::Scope::Subgroup)
    marked |= spv::MemorySemanticsWorkgroupMemoryMask;
  if (scope == simt::Scope::Device)
    marked |= spv::MemorySemanticsUniformMemoryMask;
  return marked;
}

/// Metal's `volatile` does not make a thread see what others write to buffers. Relaxed atomics do;
/// Metal has those of 32 bits.
static void raiseVolatile(mlir::Operation *op, simt::BufferType type) {
  if (type.getSpace() == simt::Space::Global && type.getElementType().getIntOrFloatBitWidth() == 32)
    mark(op, marks::relaxedAtomic);
}

bool sextant::isMetalMinMax(simt::AtomicRmwOp op) {
  bool isMinMax =
      op.getKind() == simt::CombineKind::MinU || op.getKind() == simt::CombineKind::MaxU;
  return isMinMax && op.getValue().getType().isInteger(64) && op.use_empty() &&
         op.getBuffer().getType().getSpace() == simt::Space::Global;
}

static void storeToAlias(simt::AtomicRmwOp op) {
  mlir::OpBuilder b(op);
  auto store = b.create<simt::StoreOp>(op.getLoc(), op.getValue(), op.getBuffer(), op.getIndex());
  const bool isMin = op.getKind() == simt::CombineKind::MinU;
  store->setAttr(marks::alias, b.getStringAttr(isMin ? metalMinimum : metalMaximum));
  op.erase();
}

/// An f64 among the values has a place, but no use, because Metal has no f64.
static void raiseArguments(mlir::func::FuncOp task) {
  mlir::Block &body = task.getBody().front();
  for (mlir::BlockArgument argument : body.getArguments())
    if (argument.getType().isF64())
      argument.setType(mlir::IntegerType::get(task.getContext(), 64));
  task.setFunctionType(
      mlir::FunctionType::get(task.getContext(), body.getArgumentTypes(), task.getResultTypes()));
}

bool sextant::raiseForMetal(mlir::ModuleOp module) {
  SmallVector<simt::AtomicRmwOp> extremes;
  module.walk([&](mlir::Operation *op) {
    if (isa<simt::BlockIdxOp>(op)) {
      mark(op, marks::oneRow);
    } else if (isa<simt::BarrierOp>(op)) {
      mark(op, marks::coherent); // it orders the block's memory itself
    } else if (auto fence = dyn_cast<simt::FenceOp>(op)) {
      const int32_t semantics = int32_t(fenceSemantics(fence.getScope()));
      op->setAttr(marks::semantics, mlir::Builder(op).getI32IntegerAttr(semantics));
    } else if (auto load = dyn_cast<simt::LoadOp>(op)) {
      if (load.getVolatile_())
        raiseVolatile(op, load.getBuffer().getType());
    } else if (auto store = dyn_cast<simt::StoreOp>(op)) {
      if (store.getVolatile_())
        raiseVolatile(op, store.getBuffer().getType());
    } else if (auto rmw = dyn_cast<simt::AtomicRmwOp>(op)) {
      if (isMetalMinMax(rmw))
        extremes.push_back(rmw);
      else if (rmw.getBuffer().getType().getSpace() == simt::Space::Shared &&
               isa<mlir::FloatType>(rmw.getType()))
        mark(op, marks::loop); // reals are only added in device memory
    }
  });
  llvm::for_each(extremes, storeToAlias);
  llvm::for_each(module.getOps<mlir::func::FuncOp>(), raiseArguments);
  return !extremes.empty();
}
