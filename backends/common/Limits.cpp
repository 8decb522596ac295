// Compares what a task needs with what a target has.
#include "backends/common/Limits.h"

#include "frontend/ir/Refuse.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace sextant;

std::vector<SharedArray> sextant::sharedArrays(mlir::func::FuncOp task) {
  std::vector<SharedArray> arrays;
  task.walk([&](simt::SharedOp op) {
    uint64_t bytes =
        op.getType().getCount() * op.getType().getElementType().getIntOrFloatBitWidth() / 8;
    arrays.push_back({op.getName().str(), bytes, op.getLoc()});
  });
  return arrays;
}

uint64_t sextant::sharedBytes(mlir::func::FuncOp task) {
  uint64_t total = 0;
  for (const SharedArray &array : sharedArrays(task))
    total += llvm::alignTo(array.bytes, 16);
  return total;
}

/// The largest arrays come first, because they are the ones to make smaller.
static mlir::LogicalResult checkShared(mlir::func::FuncOp task, uint64_t limit,
                                       llvm::StringRef target) {
  uint64_t total = sharedBytes(task);
  if (total <= limit)
    return mlir::success();
  std::vector<SharedArray> arrays = sharedArrays(task);
  llvm::sort(arrays, [](const SharedArray &a, const SharedArray &b) {
    return std::tie(b.bytes, a.name) < std::tie(a.bytes, b.name);
  });
  mlir::InFlightDiagnostic error =
      simt::refuse(arrays.front().at, Problem::SharedArraysBeyondTarget)
      << "the block's shared arrays need " << total << " bytes, but " << target << " gives a block "
      << limit << ": ";
  for (auto [number, array] : llvm::enumerate(arrays))
    error << (number ? ", " : "") << "'" << array.name << "' " << array.bytes;
  return error;
}

uint64_t sextant::argumentBytes(mlir::func::FuncOp task) {
  uint64_t bytes = 0;
  for (mlir::Type type : task.getArgumentTypes()) {
    uint64_t size =
        mlir::isa<simt::BufferType>(type) ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
    bytes = llvm::alignTo(bytes, size) + size;
  }
  return bytes;
}

mlir::LogicalResult sextant::checkLimits(mlir::func::FuncOp task, const TaskLimits &limits,
                                         llvm::StringRef target) {
  bool ok = succeeded(checkShared(task, limits.sharedBytes, target));
  std::optional<simt::TaskInfo> info = simt::getTaskInfo(task);
  if (info && info->blockDim > limits.blockThreads) {
    simt::refuse(task, Problem::BlockDimBeyondTarget)
        << "a block of " << info->blockDim << " threads is too large for " << target
        << ", which runs at most " << limits.blockThreads;
    ok = false;
  }
  if (uint64_t bytes = argumentBytes(task); bytes > limits.argumentBytes) {
    simt::refuse(task, Problem::ArgumentsBeyondTarget)
        << "the kernel's arguments need " << bytes << " bytes, but " << target << " takes "
        << limits.argumentBytes << "; pass large matrices as arrays";
    ok = false;
  }
  return mlir::success(ok);
}
