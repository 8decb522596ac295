// The emitter: ops become LLVM instructions or calls of the target's hooks, and control flow
// becomes basic blocks and phis.
#include "backends/common/ThreadEmitter.h"
#include "backends/common/Codegen.h"
#include "backends/common/DebugLines.h"
#include "backends/common/Elementwise.h"
#include "backends/common/Limits.h"
#include "backends/common/StructuredWalk.h"
#include "backends/common/ThreadAtomics.h"
#include "frontend/ir/Refuse.h"
#include "frontend/ir/transforms/GlobalAccess.h"
#include "loader/abi/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sextant;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace {

class ThreadEmitter : private StructuredWalk<Value *, BasicBlock *, PHINode *> {
public:
  ThreadEmitter(Module &module, const ThreadTarget &target, DebugLines &lines, unsigned wave)
      : module(module), target(target), lines(lines), wave(wave), b(module.getContext()) {
    // A product and a sum of the kernel may become one fma. Those of a library may not.
    FastMathFlags flags;
    flags.setAllowContract();
    flags.setApproxFunc(target.approximates);
    flags.setAllowReciprocal(target.approximates);
    b.setFastMathFlags(flags);
  }

  LogicalResult emit(mlir::func::FuncOp function);

private:
  //===--- The walk's hooks ------------------------------------------------===//
  void setLine(mlir::Location at) override { lines.set(b, at); }
  bool emitEffect(mlir::Operation &op) override;
  Value *emitValue(mlir::Operation &op) override;
  BasicBlock *currentBlock() override { return b.GetInsertBlock(); }
  void enter(BasicBlock *block) override { b.SetInsertPoint(block); }
  void jump(BasicBlock *to) override { b.CreateBr(to); }
  PHINode *phi(mlir::Type type, unsigned incoming) override {
    return b.CreatePHI(scalarType(type, b.getContext()), incoming);
  }
  void setIncoming(PHINode *phi, unsigned, Value *value, BasicBlock *from) override {
    phi->addIncoming(value, from);
  }
  Value *valueOf(PHINode *phi) override { return phi; }
  Value *lessThan(Value *left, Value *right) override { return b.CreateICmpSLT(left, right); }
  Value *add(mlir::Type, Value *left, Value *right) override { return b.CreateAdd(left, right); }
  Selection beginSelection(Value *condition, bool hasElse) override;
  Loop beginLoop(LoopKind kind) override;
  void beginTest(const Loop &) override {}
  void beginBody(const Loop &loop, Value *goesOn) override;
  BasicBlock *endBody(const Loop &) override { return b.GetInsertBlock(); }
  void endLoop(const Loop &loop) override;

  //===--- Its parts -------------------------------------------------------===//
  void readSchedule(mlir::Value schedule, Argument &address);
  std::optional<uint64_t> loopOf(mlir::Value buffer, mlir::Value index);
  Value *askLoop(Value *word);
  void tellLoop(mlir::Value schedule, uint64_t loop, Value *goesOn);
  Value *sourceOf(mlir::ValueRange loaded, Type *type);
  void store(mlir::ValueRange values, Value *whole, Value *to, simt::Cache cache, bool isVolatile);
  Value *emitMath(mlir::Operation &op);
  void emitShared(simt::SharedOp op);
  uint64_t alignmentOfShared(uint64_t bytes) const;
  void placeShared(mlir::func::FuncOp source);
  GlobalVariable *launchShared();
  void emitPrivate(simt::PrivateOp op);

  SmallVector<Value *> getAll(mlir::ValueRange range) {
    return to_vector(llvm::map_range(range, [&](mlir::Value v) { return get(v); }));
  }
  Type *type(mlir::Value value) { return scalarType(value.getType(), b.getContext()); }
  Value *place(Type *element, mlir::Value buffer, mlir::Value index);
  Value *naturalIndex(mlir::Value index);
  Value *pointer(mlir::Value buffer, mlir::Value index);
  Value *vectorPointer(mlir::Value buffer, mlir::Value index, FixedVectorType *type);
  FixedVectorType *vectorType(mlir::Value buffer, size_t count);
  Value *vectorOf(mlir::ValueRange elements);
  void loadVector(simt::LoadVectorOp op);
  BasicBlock *newBlock(const char *name) {
    return BasicBlock::Create(b.getContext(), name, function);
  }

  Module &module;
  const ThreadTarget &target;
  DebugLines &lines;
  unsigned wave;
  IRBuilder<> b;
  Function *function = nullptr;
  simt::TaskInfo task;
  Value *isInGraph = nullptr; ///< a graph decides whether the task runs; null: none ever does
  unsigned sharedCount = 0;
  bool sharedAtLaunch = false;
  bool hasInstructions = false; ///< the task has some of the target's own (simt.instruction)
  DenseMap<mlir::Operation *, uint64_t> sharedOffsets;
};

simt::BufferType bufferType(mlir::Value buffer) {
  return mlir::cast<simt::BufferType>(buffer.getType());
}

} // namespace

//===--- Memory ------------------------------------------------------------===//

/// Returns true if `value` is the same in all rounds of `loop`, as far as the next few operations
/// show it.
static bool staysIn(mlir::Operation *loop, mlir::Value value, unsigned steps = 6) {
  if (!loop->isAncestor(value.getParentBlock()->getParentOp()))
    return true;
  mlir::Operation *op = value.getDefiningOp();
  if (steps == 0 || !mlir::isa_and_present<mlir::arith::AddIOp, mlir::arith::MulIOp,
                                           mlir::arith::ExtSIOp, mlir::arith::ConstantOp>(op))
    return false;
  return all_of(op->getOperands(),
                [&](mlir::Value operand) { return staysIn(loop, operand, steps - 1); });
}

/// Returns true if a position is better added to the address in two parts, row and column: if
/// other accesses take the same row, or if one part stays the same in the loop around. The sum of
/// these must not wrap.
static bool hasParts(mlir::arith::AddIOp sum) {
  if (!bitEnumContainsAll(sum.getOverflowFlags(), mlir::arith::IntegerOverflowFlags::nsw))
    return false;
  if (!sum.getLhs().hasOneUse())
    return true;
  mlir::Operation *loop = sum->getParentOp();
  while (loop && !mlir::isa<mlir::LoopLikeOpInterface>(loop))
    loop = loop->getParentOp();
  return loop && (staysIn(loop, sum.getLhs()) || staysIn(loop, sum.getRhs()));
}

/// Returns true for the sum of an index and a positive constant. Arrays have fewer than 2^31
/// elements, so one that wraps around is not an element's index.
static bool hasOffset(mlir::arith::AddIOp sum) {
  const std::optional<int64_t> offset = simt::constantInteger(sum.getRhs());
  return sum.getType().isInteger(32) && offset && *offset > 0;
}

/// The index of an element there is, so that it is not negative. Constants are added to an address
/// apart, through a sign extension.
Value *ThreadEmitter::naturalIndex(mlir::Value index) {
  Value *number = get(index);
  auto sum = index.getDefiningOp<mlir::arith::AddIOp>();
  const bool hasConstant =
      index.getDefiningOp<mlir::arith::SubIOp>() || (sum && simt::constantInteger(sum.getRhs()));
  if (!target.zerosAreFree || hasConstant || !number->getType()->isIntegerTy(32))
    return number;
  return b.CreateZExt(number, b.getInt64Ty(), "", /*IsNonNeg=*/true);
}

/// The address of an element.
Value *ThreadEmitter::place(Type *element, mlir::Value buffer, mlir::Value index) {
  auto sum = index.getDefiningOp<mlir::arith::AddIOp>();
  if (!sum || !(hasParts(sum) || (target.offsetsAreFree && hasOffset(sum))))
    return b.CreateInBoundsGEP(element, get(buffer), naturalIndex(index));
  Value *row = b.CreateGEP(element, get(buffer), get(sum.getLhs()));
  return b.CreateInBoundsGEP(element, row, get(sum.getRhs()));
}

Value *ThreadEmitter::pointer(mlir::Value buffer, mlir::Value index) {
  return place(scalarType(bufferType(buffer).getElementType(), b.getContext()), buffer, index);
}

FixedVectorType *ThreadEmitter::vectorType(mlir::Value buffer, size_t count) {
  return FixedVectorType::get(scalarType(bufferType(buffer).getElementType(), b.getContext()),
                              unsigned(count));
}

/// The address of a vector. The index counts vectors.
Value *ThreadEmitter::vectorPointer(mlir::Value buffer, mlir::Value index, FixedVectorType *type) {
  return place(type, buffer, index);
}

void ThreadEmitter::loadVector(simt::LoadVectorOp op) {
  FixedVectorType *type = vectorType(op.getBuffer(), op.getNumResults());
  Value *from = vectorPointer(op.getBuffer(), op.getIndex(), type);
  Value *whole = op.getCache() == simt::Cache::All
                     ? b.CreateAlignedLoad(type, from, alignmentOf(type))
                     : target.loadCached(b, type, from, op.getCache());
  for (auto [k, element] : enumerate(op.getElements()))
    values[element] = b.CreateExtractElement(whole, uint64_t(k));
}

Value *ThreadEmitter::vectorOf(mlir::ValueRange elements) {
  Value *whole =
      PoisonValue::get(FixedVectorType::get(type(elements.front()), unsigned(elements.size())));
  for (auto [k, element] : enumerate(elements))
    whole = b.CreateInsertElement(whole, get(element), uint64_t(k));
  return whole;
}

static ArrayType *arrayType(simt::BufferType type, LLVMContext &context) {
  // Sizes are whole words, because atomics on narrow elements work on words.
  unsigned inWord = std::max(32u / type.getElementType().getIntOrFloatBitWidth(), 1u);
  return ArrayType::get(scalarType(type.getElementType(), context),
                        alignTo(type.getCount(), inWord));
}

/// The alignment of every shared and private array: what the widest vector access needs.
static constexpr uint64_t arrayAlign = 16;

/// That of a shared array of whole runs of so many bytes, in tasks with instructions of the target:
/// matrix units and bulk copies read it in an order that begins anew with each run (PTX ISA,
/// "Swizzling modes").
static constexpr uint64_t orderedRun = 1024;

uint64_t ThreadEmitter::alignmentOfShared(uint64_t bytes) const {
  return hasInstructions && bytes % orderedRun == 0 ? orderedRun : arrayAlign;
}

/// Gives the arrays of a task their places in the memory of the launch: the ordered ones first, so
/// that no gap makes it larger.
void ThreadEmitter::placeShared(mlir::func::FuncOp source) {
  uint64_t offset = 0;
  for (const bool isOrdered : {true, false})
    for (auto op : source.getOps<simt::SharedOp>()) {
      Type *type = arrayType(op.getType(), b.getContext());
      const uint64_t bytes = module.getDataLayout().getTypeAllocSize(type);
      if ((alignmentOfShared(bytes) == orderedRun) != isOrdered)
        continue;
      sharedOffsets[op] = offset;
      offset += alignTo(bytes, arrayAlign);
    }
}

/// The memory that the launch gives each block.
GlobalVariable *ThreadEmitter::launchShared() {
  constexpr StringLiteral name = "sextant_launch_shared";
  const Align align(hasInstructions ? orderedRun : arrayAlign);
  if (GlobalVariable *known = module.getGlobalVariable(name)) {
    known->setAlignment(std::max(align, known->getAlign().valueOrOne()));
    return known;
  }
  auto *memory = new GlobalVariable(module, ArrayType::get(b.getInt8Ty(), 0), /*isConstant=*/false,
                                    GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                                    GlobalValue::NotThreadLocal, target.sharedSpace);
  memory->setAlignment(align);
  return memory;
}

void ThreadEmitter::emitShared(simt::SharedOp op) {
  Type *type = arrayType(op.getType(), b.getContext());
  if (sharedAtLaunch) {
    values[op] = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), launchShared(), sharedOffsets.at(op));
    return;
  }
  auto *array = new GlobalVariable(module, type, /*isConstant=*/false, GlobalValue::InternalLinkage,
                                   UndefValue::get(type),
                                   function->getName() + "_shared" + Twine(sharedCount++), nullptr,
                                   GlobalValue::NotThreadLocal, target.sharedSpace);
  array->setAlignment(Align(alignmentOfShared(module.getDataLayout().getTypeAllocSize(type))));
  values[op] = array;
}

void ThreadEmitter::emitPrivate(simt::PrivateOp op) {
  IRBuilder<>::InsertPointGuard guard(b);
  BasicBlock &entry = function->getEntryBlock();
  b.SetInsertPoint(&entry, entry.begin());
  AllocaInst *array = b.CreateAlloca(arrayType(op.getType(), b.getContext()));
  array->setAlignment(Align(arrayAlign));
  values[op] = array;
}

//===--- Values ------------------------------------------------------------===//

StringRef sextant::mathLibraryName(mlir::Operation &op) {
  StringRef name = op.getName().getStringRef();
  if (name == "arith.remf")
    return "fmod";
  if (!name.consume_front("math."))
    return "";
  return StringSwitch<StringRef>(name)
      .Case("powf", "pow")
      .Cases("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", name)
      .Cases("sin", "cos", "tan", "asin", "acos", "atan", "atan2", name)
      .Cases("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", name)
      .Cases("rsqrt", "cbrt", "erf", "round", name)
      .Default("");
}

Value *ThreadEmitter::emitMath(mlir::Operation &op) {
  StringRef name = mathLibraryName(op);
  if (name.empty())
    return nullptr;
  SmallVector<Value *> operands = getAll(op.getOperands());
  Type *own = type(op.getResult(0));
  Type *computed = own->isHalfTy() ? b.getFloatTy() : own;
  for (Value *&operand : operands)
    operand = b.CreateFPCast(operand, computed);
  const bool isApproximate = target.approximates && own->isFloatTy();
  FunctionCallee callee = module.getOrInsertFunction(
      target.mathFunction(name, computed->isDoubleTy(), isApproximate),
      FunctionType::get(computed, SmallVector<Type *>(operands.size(), computed), false));
  // LLVM hands the flags of an intrinsic down to what it makes of that.
  IRBuilder<>::FastMathFlagGuard guard(b);
  FastMathFlags flags = b.getFastMathFlags();
  flags.setAllowContract(false);
  flags.setApproxFunc(isApproximate);
  b.setFastMathFlags(flags);
  return b.CreateFPCast(b.CreateCall(callee, operands), own);
}

Value *ThreadEmitter::emitValue(mlir::Operation &op) {
  return mlir::TypeSwitch<mlir::Operation *, Value *>(&op)
      .Case([&](simt::ThreadIdxOp) { return target.threadIdx(b, task); })
      .Case([&](simt::BlockIdxOp) { return target.blockIdx(b, task); })
      .Case([&](simt::GridDimOp) { return target.gridDim(b, task); })
      .Case([&](simt::LaneOp) { return b.CreateAnd(target.threadIdx(b, task), wave - 1); })
      .Case([&](simt::ViewOp view) { return get(view.getSource()); })
      .Case([&](simt::LoadOp load) -> Value * {
        Type *loaded = type(load.getResult());
        Value *from = pointer(load.getBuffer(), load.getIndex());
        if (loopOf(load.getBuffer(), load.getIndex()))
          return askLoop(from);
        if (load.getCache() != simt::Cache::All)
          return target.loadCached(b, loaded, from, load.getCache());
        return b.CreateAlignedLoad(loaded, from, Align(loaded->getScalarSizeInBits() / 8),
                                   load.getVolatile_());
      })
      .Case([&](simt::AddressOp address) {
        if (address.getType().isInteger(32))
          return b.CreatePtrToInt(pointer(address.getBuffer(), address.getIndex()), b.getInt32Ty());
        const mlir::Type element = bufferType(address.getBuffer()).getElementType();
        Value *begin = b.CreatePtrToInt(get(address.getBuffer()), b.getInt64Ty());
        Value *index = b.CreateSExt(get(address.getIndex()), b.getInt64Ty());
        Value *bytes = b.getInt64(element.getIntOrFloatBitWidth() / 8);
        return b.CreateAdd(begin, b.CreateMul(index, bytes));
      })
      .Case([&](simt::AtomicRmwOp rmw) {
        return emitAtomicRmw(b, target, rmw.getKind(), bufferType(rmw.getBuffer()).getSpace(),
                             pointer(rmw.getBuffer(), rmw.getIndex()), get(rmw.getValue()));
      })
      .Case([&](simt::AtomicCasOp cas) {
        return emitAtomicCas(b, target, bufferType(cas.getBuffer()).getSpace(),
                             pointer(cas.getBuffer(), cas.getIndex()), get(cas.getExpected()),
                             get(cas.getDesired()));
      })
      .Default([&](mlir::Operation *) {
        const SmallVector<Value *> operands = getAll(op.getOperands());
        if (Value *native = target.emitValue(b, op, operands))
          return native;
        Value *value = emitElementwise(op, operands, b);
        return value ? value : emitMath(op);
      });
}

//===--- Control flow ------------------------------------------------------===//

ThreadEmitter::Selection ThreadEmitter::beginSelection(Value *condition, bool hasElse) {
  BasicBlock *then = newBlock("then"), *join = newBlock("join");
  BasicBlock *otherwise = hasElse ? newBlock("else") : join;
  b.CreateCondBr(condition, then, otherwise);
  return {then, otherwise, join};
}

ThreadEmitter::Loop ThreadEmitter::beginLoop(LoopKind kind) {
  const bool isFor = kind == LoopKind::For;
  BasicBlock *header = newBlock(isFor ? "for" : "while");
  BasicBlock *body = newBlock(isFor ? "body" : "do");
  BasicBlock *after = newBlock(isFor ? "endfor" : "endwhile");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  return {header, body, nullptr, after};
}

void ThreadEmitter::beginBody(const Loop &loop, Value *goesOn) {
  b.CreateCondBr(goesOn, loop.body, loop.after);
  b.SetInsertPoint(loop.body);
}

void ThreadEmitter::endLoop(const Loop &loop) {
  hintUnroll(b.CreateBr(loop.header), loop.unroll);
  b.SetInsertPoint(loop.after);
}

//===--- Loops on the device -----------------------------------------------===//

/// The address of the schedule is odd where only a graph decides which tasks run.
void ThreadEmitter::readSchedule(mlir::Value schedule, Argument &address) {
  Value *bits = b.CreatePtrToInt(&address, b.getInt64Ty());
  isInGraph = b.CreateTrunc(bits, b.getInt1Ty());
  values[schedule] = b.CreateIntrinsic(Intrinsic::ptrmask, {address.getType(), b.getInt64Ty()},
                                       {&address, b.getInt64(~uint64_t(1))});
}

/// The loop whose word of the schedule that is, where a graph can have loops.
std::optional<uint64_t> ThreadEmitter::loopOf(mlir::Value buffer, mlir::Value index) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(buffer);
  llvm::APInt word;
  if (!isInGraph || !argument || argument.getArgNumber() != task.schedule ||
      !mlir::matchPattern(index, mlir::m_ConstantInt(&word)))
    return std::nullopt;
  const uint64_t loop = word.getZExtValue() - abi::FirstLoop;
  return loop < task.loops ? std::optional(loop) : std::nullopt;
}

/// The loop's word. A task that a graph runs has its round, and does not wait for memory.
Value *ThreadEmitter::askLoop(Value *word) {
  BasicBlock *before = b.GetInsertBlock(), *ask = newBlock("ask"), *after = newBlock("asked");
  b.CreateCondBr(isInGraph, after, ask);
  b.SetInsertPoint(ask);
  Value *read = b.CreateAlignedLoad(b.getInt32Ty(), word, Align(4));
  b.CreateBr(after);
  b.SetInsertPoint(after);
  PHINode *goesOn = b.CreatePHI(b.getInt32Ty(), 2);
  goesOn->addIncoming(b.getInt32(1), before);
  goesOn->addIncoming(read, ask);
  return goesOn;
}

/// Tells the loop's node whether there is another round, if it has one.
void ThreadEmitter::tellLoop(mlir::Value schedule, uint64_t loop, Value *goesOn) {
  auto half = [&](uint64_t which) {
    const uint64_t index = abi::handleWord(task.loops, loop) + which;
    Value *at = b.CreateConstGEP1_64(b.getInt32Ty(), get(schedule), index);
    return b.CreateZExt(b.CreateAlignedLoad(b.getInt32Ty(), at, Align(4)), b.getInt64Ty());
  };
  Value *handle = b.CreateOr(half(0), b.CreateShl(half(1), 32));
  BasicBlock *tell = newBlock("tell"), *after = newBlock("told");
  b.CreateCondBr(b.CreateIsNotNull(handle), tell, after);
  b.SetInsertPoint(tell);
  target.tellLoop(b, handle, goesOn);
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

//===--- Effects -----------------------------------------------------------===//

/// Returns where the values lie in device memory, if one load reads them, all of it and in order;
/// else null.
Value *ThreadEmitter::sourceOf(mlir::ValueRange loaded, Type *type) {
  if (auto load = loaded.front().getDefiningOp<simt::LoadOp>();
      load && loaded.size() == 1 && simt::isGlobal(load.getBuffer()))
    return pointer(load.getBuffer(), load.getIndex());
  auto load = loaded.front().getDefiningOp<simt::LoadVectorOp>();
  if (load && load.getElements() == loaded && simt::isGlobal(load.getBuffer()))
    return vectorPointer(load.getBuffer(), load.getIndex(), cast<FixedVectorType>(type));
  return nullptr;
}

/// Stores `whole`, which is made of the values. In place of a store with cache `async` a copy
/// starts, where the target can: the load is left to be dropped.
void ThreadEmitter::store(mlir::ValueRange values, Value *whole, Value *to, simt::Cache cache,
                          bool isVolatile) {
  Value *from = cache == simt::Cache::Async ? sourceOf(values, whole->getType()) : nullptr;
  if (from && target.copyAsync(b, whole->getType(), to, from))
    return;
  if (cache == simt::Cache::Stream)
    target.storeCached(b, whole, to, cache);
  else
    b.CreateAlignedStore(whole, to, alignmentOf(whole->getType()), isVolatile);
}

bool ThreadEmitter::emitEffect(mlir::Operation &op) {
  if (auto shared = mlir::dyn_cast<simt::SharedOp>(op))
    return emitShared(shared), true;
  if (auto own = mlir::dyn_cast<simt::PrivateOp>(op))
    return emitPrivate(own), true;
  if (auto store = mlir::dyn_cast<simt::StoreOp>(op)) {
    Value *to = pointer(store.getBuffer(), store.getIndex());
    this->store(store.getValue(), get(store.getValue()), to, store.getCache(),
                store.getVolatile_());
    if (std::optional<uint64_t> loop = loopOf(store.getBuffer(), store.getIndex()))
      tellLoop(store.getBuffer(), *loop, get(store.getValue()));
    return true;
  }
  if (auto load = mlir::dyn_cast<simt::LoadVectorOp>(op))
    return loadVector(load), true;
  if (auto store = mlir::dyn_cast<simt::StoreVectorOp>(op)) {
    FixedVectorType *type = vectorType(store.getBuffer(), store.getValues().size());
    Value *whole = vectorOf(store.getValues());
    Value *to = vectorPointer(store.getBuffer(), store.getIndex(), type);
    this->store(store.getValues(), whole, to, store.getCache(), /*isVolatile=*/false);
    return true;
  }
  if (auto instruction = mlir::dyn_cast<simt::InstructionOp>(op)) {
    SmallVector<Type *> types;
    for (mlir::Value result : instruction.getResults())
      types.push_back(type(result));
    const std::optional<SmallVector<Value *>> made =
        target.emitInstruction(b, instruction.getText(), instruction.getMemory(), types,
                               getAll(instruction.getOperands()));
    for (auto [k, result] : enumerate(instruction.getResults()))
      if (made)
        values[result] = (*made)[k];
    return made.has_value();
  }
  if (auto add = mlir::dyn_cast<simt::AtomicAddVectorOp>(op)) {
    FixedVectorType *type = vectorType(add.getBuffer(), add.getValues().size());
    target.atomicAddVector(b, vectorPointer(add.getBuffer(), add.getIndex(), type),
                           getAll(add.getValues()));
    return true;
  }
  if (auto rmw = mlir::dyn_cast<simt::AtomicRmwOp>(op))
    return (simt::isAtOnePlace(rmw) || simt::isOftenAtOnePlace(rmw)) &&
           rmw.getKind() == simt::CombineKind::AddF &&
           target.atomicAddTogether(b, pointer(rmw.getBuffer(), rmw.getIndex()),
                                    get(rmw.getValue()), simt::isAtOnePlace(rmw));
  if (mlir::isa<mlir::func::ReturnOp>(op))
    return b.CreateRetVoid(), true;
  return target.emitEffect(b, op);
}

//===--- Functions ---------------------------------------------------------===//

LogicalResult ThreadEmitter::emit(mlir::func::FuncOp source) {
  std::optional<simt::TaskInfo> info = simt::getTaskInfo(source);
  if (!info || source.getFunctionType().getNumResults() != 0)
    return simt::refuse(source, Problem::InternalInvalidCode)
           << "function '" << source.getName() << "' is not a task";
  task = *info;
  isInGraph = nullptr;
  sharedAtLaunch = sharedBytes(source) > target.staticSharedLimit;
  hasInstructions = source.walk([](simt::InstructionOp) { return mlir::WalkResult::interrupt(); })
                        .wasInterrupted();
  placeShared(source);
  SmallVector<Type *> parameters;
  for (mlir::Type parameter : source.getArgumentTypes()) {
    if (mlir::isa<simt::BufferType>(parameter))
      parameters.push_back(b.getPtrTy(target.globalSpace));
    else if (parameter.isInteger(1))
      parameters.push_back(b.getInt8Ty());
    else
      parameters.push_back(scalarType(parameter, b.getContext()));
  }
  function = Function::Create(FunctionType::get(b.getVoidTy(), parameters, false),
                              GlobalValue::ExternalLinkage, source.getName(), module);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::Convergent);
  lines.begin(*function, source.getLoc());
  b.SetInsertPoint(newBlock("entry"));
  for (auto [argument, parameter] : llvm::zip(source.getArguments(), function->args())) {
    bool isBool = argument.getType().isInteger(1);
    if (simt::isNonNegative(argument)) {
      const unsigned width = parameter.getType()->getIntegerBitWidth();
      parameter.addAttr(
          Attribute::get(b.getContext(), Attribute::Range,
                         ConstantRange(APInt::getZero(width), APInt::getSignedMinValue(width))));
    }
    if (simt::isApart(argument))
      parameter.addAttr(Attribute::NoAlias);
    values[argument] = isBool ? b.CreateICmpNE(&parameter, b.getInt8(0)) : &parameter;
    if (target.tellsLoops() && task.loops && argument.getArgNumber() == task.schedule)
      readSchedule(argument, parameter);
  }
  if (failed(emitBlock(source.getBody().front())))
    return failure();
  target.finishTask(*function, task);
  return success();
}

std::unique_ptr<Module> sextant::emitThreads(mlir::ModuleOp source, LLVMContext &context,
                                             const ThreadTarget &target,
                                             const TargetMachine &machine, bool lineInfo) {
  auto module = std::make_unique<Module>("sextant", context);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  DebugLines lines(*module, lineInfo ? DebugDetail::Lines : DebugDetail::None);
  for (auto function : source.getOps<mlir::func::FuncOp>())
    if (failed(ThreadEmitter(*module, target, lines, simt::getWaveSize(source)).emit(function)))
      return nullptr;
  lines.finish();
  return module;
}
