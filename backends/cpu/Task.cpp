// The function of a task: its arguments, its loop over blocks, and the loop over
// the chunks of a block's threads.
#include "backends/cpu/Emitter.h"
#include "backends/cpu/Frames.h"

#include "frontend/ir/Refuse.h"
#include "loader/abi/BlockLayout.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

Emitter::Emitter(const Machine &machine, Lanes lanes, Module &module, mlir::func::FuncOp task,
                 DebugLines &lines)
    : machine(machine), lanes(lanes), module(module), task(task), shapes(task, lanes), lines(lines),
      b(module.getContext()) {
  FastMathFlags flags;
  flags.setAllowContract();
  b.setFastMathFlags(flags);
}

void Emitter::fail(mlir::Operation &op, const Twine &message) {
  if (!failed)
    simt::refuse(&op, Problem::InternalNoCode) << message.str();
  failed = true;
}

BasicBlock *Emitter::newBlock(const Twine &name) {
  return BasicBlock::Create(b.getContext(), name, function);
}

mlir::LogicalResult Emitter::emit() {
  Type *ptr = b.getPtrTy(), *i32 = b.getInt32Ty();
  auto *type = FunctionType::get(b.getVoidTy(), {ptr, ptr, i32, i32, i32}, false);
  function = Function::Create(type, Function::ExternalLinkage, task.getName(), module);
  function->addFnAttr(Attribute::NoUnwind);
  addFrameAttributes(*function);
  if (lines.hasVariables())
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
  argsArg = function->getArg(0);
  sharedArg = function->getArg(1);
  beginArg = function->getArg(2);
  endArg = function->getArg(3);
  gridArg = function->getArg(4);
  argsArg->setName("args");
  sharedArg->setName("shared");

  lines.begin(*function, task.getLoc());
  b.SetInsertPoint(newBlock("entry"));
  BasicBlock *start = newBlock("start"); // the entry keeps the allocas
  b.CreateBr(start);
  b.SetInsertPoint(start);
  prepareVariables(); // without a line: a breakpoint on the task is behind it
  lines.set(b, task.getLoc());
  emitPrologue();
  prepareDeferred();
  emitCountedLoop(
      beginArg, endArg,
      [&](Value *index) {
        blockIndex = index;
        showBlock();
        emitThreads(task.getBody().front());
      },
      "block");
  flushDeferred();
  b.CreateRetVoid();
  return mlir::failure(failed);
}

void Emitter::emitPrologue() {
  MDNode *empty = MDNode::get(b.getContext(), {});
  abi::BlockPlaces places;
  for (mlir::BlockArgument argument : task.getArguments()) {
    bool isBuffer = isa<simt::BufferType>(argument.getType());
    unsigned size = isBuffer ? abi::BlockPlaces::bufferBytes
                             : (argument.getType().getIntOrFloatBitWidth() + 7) / 8;
    uint32_t offset = places.addValue(size);
    bool isBool = argument.getType().isInteger(1);
    Type *type = isBool ? b.getInt8Ty() : scalarType(argument.getType());
    LoadInst *value = b.CreateAlignedLoad(
        type, b.CreateConstGEP1_64(b.getInt8Ty(), argsArg, offset), Align(size));
    value->setMetadata(LLVMContext::MD_invariant_load, empty);
    define(argument, {isBool ? b.CreateIsNotNull(value) : value, nullptr});
  }
  emitAllocations();
}

void Emitter::emitCountedLoop(Value *begin, Value *end, IndexedBody body, const Twine &name) {
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *loop = newBlock(name), *after = newBlock(name + ".end");
  b.CreateCondBr(b.CreateICmpULT(begin, end), loop, after);
  b.SetInsertPoint(loop);
  PHINode *index = b.CreatePHI(b.getInt32Ty(), 2, name + ".index");
  index->addIncoming(begin, before);
  body(index);
  Value *next = b.CreateAdd(index, b.getInt32(1), "", /*HasNUW=*/true);
  index->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, end), loop, after);
  b.SetInsertPoint(after);
}

void Emitter::setChunk(Value *index) {
  chunk = index;
  threadBase = b.CreateMul(index, b.getInt32(lanes.width), "thread", true, true);
  showChunk();
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
void Emitter::forEachChunk(Body body) {
  unsigned rest = lanes.remainder(), full = lanes.blockDim / lanes.width;
  Constant *restMask = rest ? leadingLanes(rest, lanes.width, b.getContext()) : nullptr;
  auto run = [&](Value *index, Value *withMask) {
    setChunk(index);
    mask = withMask;
    body();
    mask = nullptr;
    chunk = threadBase = nullptr;
  };
  bool isSplit = containsBarrier(task);
  if (lanes.chunks() == 1)
    return run(b.getInt32(0), restMask);
  if (isSplit && rest) {
    emitCountedLoop(
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
    emitCountedLoop(
        b.getInt32(0), b.getInt32(full), [&](Value *index) { run(index, nullptr); }, "chunk");
  if (rest)
    run(b.getInt32(full), restMask);
}

void Emitter::emitThreads(mlir::Block &body) {
  if (containsBarrier(task)) {
    emitBlockLevel(body);
    return;
  }
  forEachChunk([&] { emitOps(body); });
}
