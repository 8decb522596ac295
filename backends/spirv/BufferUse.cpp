// Looks at the users of a buffer, and at the shared arrays of a task.
#include "backends/spirv/BufferUse.h"
#include "backends/spirv/Features.h"
#include "backends/spirv/Marks.h"
#include "backends/spirv/ScalarWriter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

bool sextant::spirv::isAtomicAccess(mlir::Operation *access, simt::BufferType type) {
  if (type.getSpace() == simt::Space::Shared)
    return type.getElementType().getIntOrFloatBitWidth() <= 32;
  return access->hasAttr(marks::relaxedAtomic);
}

BufferUse sextant::spirv::useOf(mlir::Value buffer, const SpirvOptions &options) {
  BufferUse use;
  simt::BufferType type = bufferType(buffer);
  bool isFloat = isa<mlir::FloatType>(type.getElementType());
  auto noteVolatile = [&](mlir::Operation *access) {
    if (isAtomicAccess(access, type))
      use.asBits |= isFloat;
    else
      use.isVolatile = true;
  };
  for (mlir::Operation *user : buffer.getUsers()) {
    if (auto load = dyn_cast<simt::LoadOp>(user)) {
      use.loads = use.plain = true;
      if (load.getVolatile_())
        noteVolatile(load);
    } else if (auto store = dyn_cast<simt::StoreOp>(user)) {
      use.writes = use.plain = true;
      if (store.getVolatile_())
        noteVolatile(store);
    } else if (auto vector = dyn_cast<simt::LoadVectorOp>(user)) {
      use.loads = true;
      use.vectors.insert(vector.getNumResults());
    } else if (auto vector = dyn_cast<simt::StoreVectorOp>(user)) {
      use.writes = true;
      use.vectors.insert(unsigned(vector.getValues().size()));
    } else if (!isa<simt::ViewOp, simt::AddressOp>(user)) {
      use.writes = use.atomics = true;
      auto rmw = dyn_cast<simt::AtomicRmwOp>(user);
      use.asBits |= isFloat && rmw && !isNativeOnReals(rmw, options);
    }
  }
  return use;
}

//===--- Reads after writes ------------------------------------------------===//

namespace {

/// A walk over a task's code in the order in which a thread runs it.
struct Order {
  DenseSet<mlir::Value> found;
  bool hasWritten = false;

  void visit(mlir::Operation &op);
  void visitArrays(mlir::Operation &op);
};

} // namespace

static bool isLoad(mlir::Operation &op) { return isa<simt::LoadOp, simt::LoadVectorOp>(op); }

static bool mayWrite(mlir::Operation &op) {
  return !isLoad(op) && !isa<simt::ViewOp, simt::AddressOp>(op);
}

/// Calls `visit` with the arrays of the launch that the op accesses, but those that the loader
/// keeps apart from all others.
template <class Visit> static void eachArray(mlir::Operation &op, Visit visit) {
  for (mlir::Value operand : op.getOperands()) {
    while (auto view = operand.getDefiningOp<simt::ViewOp>())
      operand = view.getSource();
    auto array = dyn_cast<mlir::BlockArgument>(operand);
    if (array && isa<simt::BufferType>(array.getType()) && !simt::isApart(array))
      visit(array);
  }
}

void Order::visitArrays(mlir::Operation &op) {
  eachArray(op, [&](mlir::Value array) {
    hasWritten |= mayWrite(op);
    if (hasWritten && isLoad(op))
      found.insert(array);
  });
}

void Order::visit(mlir::Operation &op) {
  visitArrays(op);
  if (op.getNumRegions() == 0)
    return;
  // A round of a loop comes after the writes of the one before.
  if (!isa<mlir::scf::IfOp>(op))
    op.walk([&](mlir::Operation *inner) {
      if (mayWrite(*inner))
        eachArray(*inner, [&](mlir::Value) { hasWritten = true; });
    });
  const bool before = hasWritten;
  bool after = before;
  for (mlir::Region &region : op.getRegions()) {
    hasWritten = before;
    for (mlir::Block &block : region)
      for (mlir::Operation &inner : block)
        visit(inner);
    after |= hasWritten;
  }
  hasWritten = after;
}

DenseSet<mlir::Value> sextant::spirv::readAfterWrites(mlir::func::FuncOp task) {
  Order order;
  for (mlir::Operation &op : task.getBody().front())
    order.visit(op);
  return order.found;
}

bool sextant::spirv::ordersMemory(mlir::func::FuncOp task) {
  return task
      .walk([&](mlir::Operation *op) {
        return isa<simt::FenceOp>(op) || (isa<simt::BarrierOp>(op) && !op->hasAttr(marks::coherent))
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

//===--- Shared memory -----------------------------------------------------===//

/// True if the elements cannot be accessed as they are.
static bool isNarrowInShared(simt::SharedOp op, const SpirvOptions &options) {
  mlir::Type element = op.getType().getElementType();
  return isNarrowInteger(element) || (element.isF16() && useOf(op, options).asBits);
}

/// The bytes of the task's shared arrays, in which narrow elements take 32 bits or their own width.
static uint64_t sharedBytesOf(mlir::func::FuncOp task, const SpirvOptions &options, bool packs) {
  uint64_t total = 0;
  task.walk([&](simt::SharedOp op) {
    const uint64_t width = !packs && isNarrowInShared(op, options)
                               ? 32
                               : op.getType().getElementType().getIntOrFloatBitWidth();
    total += alignTo(op.getType().getCount() * width / 8, 16);
  });
  return total;
}

/// True if the shared arrays of narrow elements are packed.
static bool packsShared(mlir::func::FuncOp task, const SpirvOptions &options) {
  return sharedBytesOf(task, options, /*packs=*/false) > usualShared;
}

uint64_t sextant::spirv::sharedBytes(mlir::func::FuncOp task, const SpirvOptions &options) {
  return sharedBytesOf(task, options, packsShared(task, options));
}

bool sextant::spirv::isPackedShared(mlir::Value array, mlir::func::FuncOp task,
                                    const SpirvOptions &options) {
  auto shared = array.getDefiningOp<simt::SharedOp>();
  return shared && isNarrowInShared(shared, options) && packsShared(task, options);
}
