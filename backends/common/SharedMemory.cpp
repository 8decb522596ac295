// What a task's shared arrays add up to.
#include "backends/common/ThreadEmitter.h"

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

mlir::LogicalResult sextant::checkSharedLimit(mlir::func::FuncOp task, uint64_t limit,
                                              llvm::StringRef target) {
  std::vector<SharedArray> arrays = sharedArrays(task);
  uint64_t total = sharedBytes(task);
  if (total <= limit)
    return mlir::success();
  llvm::sort(arrays, [](const SharedArray &a, const SharedArray &b) {
    return std::tie(b.bytes, a.name) < std::tie(a.bytes, b.name);
  });
  mlir::InFlightDiagnostic error = mlir::emitError(arrays.front().at)
                                   << "the block's shared arrays need " << total << " bytes, but "
                                   << target << " gives a block " << limit << ": ";
  for (auto [number, array] : llvm::enumerate(arrays))
    error << (number ? ", " : "") << "'" << array.name << "' " << array.bytes;
  return error;
}
