// The function of a task: its arguments, its loop over blocks, and the loop over
// the chunks of a block's threads.
#include "backends/cpu/BlockEmitter.h"
#include "backends/cpu/Frames.h"

#include "loader/abi/BlockLayout.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

bool BlockEmitter::goesAlongRows(const Machine &machine, Lanes lanes, LLVMContext &context,
                                 mlir::func::FuncOp task, DebugLines &lines) {
  if (lanes.width == 1 || lanes.remainder() || usesSubgroups(task) || containsBarrier(task))
    return false;
  lanes.anywhere = true;
  TaskCode code(machine, lanes, context, task, lines);
  return LaneEmitter(code).goesAlongRows();
}

mlir::FailureOr<uint64_t> BlockEmitter::emit(Module &module) {
  makeFunction(module);
  b.SetInsertPoint(b.newBlock("entry"));
  BasicBlock *start = b.newBlock("start"); // the entry keeps the allocas
  b.CreateBr(start);
  b.SetInsertPoint(start);
  inChunk.shown.prepare(); // without a line: a breakpoint on the task is after it
  code.lines.set(b, code.task.getLoc());
  loadArguments();
  const uint64_t sharedBytes = inChunk.memory.emitAllocations();
  inChunk.deferred.prepare();
  if (lanes.anywhere)
    emitAlongRows();
  else
    b.countedLoop(
        code.begin, code.end,
        [&](Value *index) {
          code.blockIndex = index;
          inChunk.shown.showBlock();
          emitThreads(code.task.getBody().front());
        },
        "block");
  inChunk.deferred.flush();
  b.CreateRetVoid();
  if (code.failed)
    return mlir::failure();
  return sharedBytes;
}

void BlockEmitter::makeFunction(Module &module) {
  FastMathFlags flags;
  flags.setAllowContract();
  b.setFastMathFlags(flags);
  Type *ptr = b.getPtrTy(), *i32 = b.getInt32Ty();
  auto *type = FunctionType::get(b.getVoidTy(), {ptr, ptr, i32, i32, i32}, false);
  Function *function = b.function =
      Function::Create(type, Function::ExternalLinkage, code.task.getName(), module);
  function->addFnAttr(Attribute::NoUnwind);
  addFrameAttributes(*function);
  if (code.lines.hasVariables())
    function->addFnAttr("frame-pointer", "all");
  // Images have no C library: LLVM must make no calls of memset and memcpy out of loops.
  function->addFnAttr("no-builtins");
  function->addFnAttr("target-cpu", machine.cpu);
  if (!machine.features.empty())
    function->addFnAttr("target-features", machine.features);
  if (machine.isX86) {
    std::string width = std::to_string(machine.vectorBytes * 8);
    function->addFnAttr("prefer-vector-width", width);
    function->addFnAttr("min-legal-vector-width", width);
  }
  for (unsigned i : {0, 1}) {
    function->addParamAttr(i, Attribute::NoAlias);
    function->addParamAttr(i, Attribute::NoUndef);
  }
  function->addParamAttr(0, Attribute::ReadOnly);
  function->addParamAttr(1, Attribute::getWithAlignment(b.getContext(), Align(64)));
  code.args = function->getArg(0);
  code.shared = function->getArg(1);
  code.begin = function->getArg(2);
  code.end = function->getArg(3);
  code.grid = function->getArg(4);
  code.args->setName("args");
  code.shared->setName("shared");

  code.lines.begin(*function, code.task.getLoc());
}

void BlockEmitter::loadArguments() {
  MDNode *empty = MDNode::get(b.getContext(), {});
  abi::BlockPlaces places;
  for (mlir::BlockArgument argument : code.task.getArguments()) {
    bool isBuffer = isa<simt::BufferType>(argument.getType());
    unsigned size = isBuffer ? abi::BlockPlaces::bufferBytes
                             : (argument.getType().getIntOrFloatBitWidth() + 7) / 8;
    uint32_t offset = places.addValue(size);
    bool isBool = argument.getType().isInteger(1);
    Type *type = isBool ? b.getInt8Ty() : b.scalarType(argument.getType());
    LoadInst *value = b.CreateAlignedLoad(
        type, b.CreateConstGEP1_64(b.getInt8Ty(), code.args, offset), Align(size));
    value->setMetadata(LLVMContext::MD_invariant_load, empty);
    values.define(argument, {isBool ? b.CreateIsNotNull(value) : value, nullptr});
  }
}

/// A mask of the lanes below `count`.
static Constant *leadingLanes(unsigned count, unsigned width, LLVMContext &context) {
  SmallVector<Constant *> bits;
  for (unsigned lane = 0; lane < width; ++lane)
    bits.push_back(ConstantInt::getBool(context, lane < count));
  return ConstantVector::get(bits);
}

/// Barriers split the body into several such loops, so there one loop serves full chunks and the
/// rest. Without barriers, each has code of its own.
void BlockEmitter::forEachChunk(Body body) {
  unsigned rest = lanes.remainder(), full = lanes.blockDim / lanes.width;
  Constant *restMask = rest ? leadingLanes(rest, lanes.width, b.getContext()) : nullptr;
  auto run = [&](Value *index, Value *withMask) {
    inChunk.setChunk(index);
    b.mask = withMask;
    body();
    b.mask = nullptr;
    code.chunk = code.threadBase = nullptr;
  };
  bool isSplit = containsBarrier(code.task);
  if (lanes.chunks() == 1)
    return run(b.getInt32(0), restMask);
  if (isSplit && rest) {
    b.countedLoop(
        b.getInt32(0), b.getInt32(lanes.chunks()),
        [&](Value *index) {
          Value *isLast = b.CreateICmpEQ(index, b.getInt32(full));
          run(index,
              b.CreateSelect(isLast, restMask, Constant::getAllOnesValue(restMask->getType())));
        },
        "chunk");
    return;
  }
  if (full == 1)
    run(b.getInt32(0), nullptr);
  else
    b.countedLoop(
        b.getInt32(0), b.getInt32(full), [&](Value *index) { run(index, nullptr); }, "chunk");
  if (rest)
    run(b.getInt32(full), restMask);
}

void BlockEmitter::emitThreads(mlir::Block &body) {
  if (containsBarrier(code.task)) {
    emitBlockLevel(body);
    return;
  }
  forEachChunk([&] { inChunk.emitOps(body); });
}

/// One loop over the threads of all blocks, since a row may have many blocks.
void BlockEmitter::emitAlongRows() {
  const auto firstOf = [&](Value *block) {
    return b.CreateMul(b.CreateZExt(block, b.getInt64Ty()), b.getInt64(lanes.blockDim));
  };
  b.advancingLoop(
      firstOf(code.begin), firstOf(code.end),
      [&](Value *number) {
        inChunk.setGridThread(number);
        inChunk.emitOps(code.task.getBody().front());
        return code.gridThread;
      },
      "chunk");
  code.gridThread = code.chunk = code.threadBase = nullptr;
}
