// Kernels to modules, tasks to functions.
#include "frontend/irgen/Irgen.h"

#include "frontend/ir/transforms/Passes.h"
#include "frontend/irgen/TaskEmitter.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace sextant;
using namespace sextant::irgen;

static Location locationOf(MLIRContext *context, const SourceRange &at) {
  if (!at.file)
    return UnknownLoc::get(context);
  LineColumn place = at.file->lineColumn(at.begin);
  return FileLineColLoc::get(context, at.file->path(), place.line, place.column);
}

Location TaskEmitter::location(const SourceRange &at) { return locationOf(b.getContext(), at); }

LogicalResult TaskEmitter::emit() {
  MLIRContext *context = b.getContext();
  Location loc = location(task.at);
  if (plan.badLeave)
    return emitError(location(plan.badLeave->at))
           << "leaving a loop or function from inside an expression is not yet supported";

  SmallVector<Type> inputs;
  for (const hir::Param &param : kernel.params) {
    Type element = elementType(context, param.type);
    inputs.push_back(param.kind == hir::Param::Buffer
                         ? simt::BufferType::get(context, element, simt::Space::Global, 0)
                         : valueType(context, param.type));
  }
  function = b.create<func::FuncOp>(loc, task.name, b.getFunctionType(inputs, {}));
  simt::setTaskInfo(function, {task.blockDim, task.fullBlocks, task.serial});

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(function.addEntryBlock());
  arith.setConstantBlock(b.getInsertionBlock());
  arith.loc = loc;
  auto bufferType = [&](const hir::ArrayDecl &array, simt::Space space) {
    return simt::BufferType::get(context, elementType(context, array.type), space,
                                 std::max<uint64_t>(array.count, 1));
  };
  for (const hir::ArrayDecl &array : task.shared)
    shared.push_back(b.create<simt::SharedOp>(location(array.at),
                                              bufferType(array, simt::Space::Shared), array.name));
  for (const hir::ArrayDecl &array : task.privates)
    privates.push_back(
        b.create<simt::PrivateOp>(location(array.at), bufferType(array, simt::Space::Private)));
  current.resize(plan.slots);
  emitRegion(plan.body);
  b.create<func::ReturnOp>(loc);
  return success();
}

OwningOpRef<ModuleOp> sextant::generate(const hir::Kernel &kernel, MLIRContext &context) {
  simt::loadDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(locationOf(&context, kernel.at), kernel.instance);
  simt::setWaveSize(*module, kernel.wave);
  OpBuilder builder(&context);
  builder.setInsertionPointToStart(module->getBody());
  for (const hir::Task &task : kernel.tasks)
    if (failed(TaskEmitter(kernel, task, builder).emit()))
      return nullptr;
  if (failed(verify(*module)) || failed(simt::simplify(*module)) ||
      failed(simt::checkBarriers(*module)))
    return nullptr;
  simt::expandChecks(*module);
  return module;
}
