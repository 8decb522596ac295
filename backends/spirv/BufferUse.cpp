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

//===--- Loops that read and write -----------------------------------------===//

/// The array of the launch, if the loader does not keep it apart from all others; else null.
static mlir::BlockArgument arrayOf(mlir::Value buffer) {
  while (auto view = buffer.getDefiningOp<simt::ViewOp>())
    buffer = view.getSource();
  auto array = dyn_cast<mlir::BlockArgument>(buffer);
  return array && isa<simt::BufferType>(array.getType()) && !simt::isApart(array) ? array : nullptr;
}

static bool isLoad(mlir::Operation *op) { return isa<simt::LoadOp, simt::LoadVectorOp>(op); }

static bool writes(mlir::Operation *loop) {
  return loop
      ->walk([](mlir::Operation *op) {
        const bool isWrite = !isLoad(op) && !isa<simt::ViewOp, simt::AddressOp>(op) &&
                             any_of(op->getOperands(), arrayOf);
        return isWrite ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

DenseSet<mlir::Value> sextant::spirv::readInWritingLoops(mlir::func::FuncOp task) {
  DenseSet<mlir::Value> found;
  DenseMap<mlir::Operation *, bool> known; // loops, and whether they write
  const auto alsoWrites = [&](mlir::Operation *loop) {
    const auto [at, isNew] = known.try_emplace(loop);
    if (isNew)
      at->second = writes(loop);
    return at->second;
  };
  task.walk([&](mlir::Operation *load) {
    mlir::BlockArgument array = isLoad(load) ? arrayOf(load->getOperand(0)) : nullptr;
    if (!array || found.contains(array))
      return;
    mlir::Region *ofIndex = load->getOperand(1).getParentRegion();
    for (mlir::Operation *op = load->getParentOp(); op != task; op = op->getParentOp())
      if (!isa<mlir::scf::IfOp>(op) && op->isAncestor(ofIndex->getParentOp()) && alsoWrites(op))
        found.insert(array);
  });
  return found;
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
