#include "backends/cpu/LargeTasks.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// Uses of one constant in a block, or masked accesses of a task, from which on time matters.
static constexpr unsigned large = 256;

static bool isArithmetic(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  const Intrinsic::ID id = call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
  return instruction.getType()->isVectorTy() && instruction.getType()->isFPOrFPVectorTy() &&
         (isa<BinaryOperator>(instruction) || id == Intrinsic::fma || id == Intrinsic::fmuladd);
}

/// For each sum or product, x86's code generator looks at all other uses of a constant operand
/// (combineFMA). So a constant with many uses is hidden once a block.
static void hideConstants(BasicBlock &block) {
  MapVector<Constant *, SmallVector<Use *>> uses;
  for (Instruction &instruction : block)
    if (isArithmetic(instruction))
      for (Use &operand : instruction.operands())
        if (auto *constant = dyn_cast<Constant>(operand.get());
            constant && constant->getType() == instruction.getType())
          uses[constant].push_back(&operand);
  for (auto &[constant, places] : uses) {
    if (places.size() < large)
      continue;
    IRBuilder<> b(&block, block.getFirstInsertionPt());
    Value *hidden =
        b.CreateIntrinsic(Intrinsic::arithmetic_fence, {constant->getType()}, {constant});
    for (Use *place : places)
      place->set(hidden);
  }
}

/// A function of the module that makes such a masked access, and does nothing else.
static Function *accessFunction(Module &module, IntrinsicInst *access) {
  Function *intrinsic = access->getCalledFunction();
  const unsigned alignAt = access->getIntrinsicID() == Intrinsic::masked_load ? 1 : 2;
  auto *align = cast<ConstantInt>(access->getArgOperand(alignAt));
  const std::string name = // LLVM takes what begins with "llvm." for an intrinsic
      (intrinsic->getName().drop_front(strlen("llvm.")) + ".aligned" + Twine(align->getZExtValue()))
          .str();
  if (Function *known = module.getFunction(name))
    return known;
  auto *made =
      Function::Create(intrinsic->getFunctionType(), GlobalValue::InternalLinkage, name, module);
  const AttributeSet ofTask = access->getFunction()->getAttributes().getFnAttrs();
  made->addFnAttrs(AttrBuilder(module.getContext(), ofTask)); // the processor's features
  made->addFnAttr(Attribute::NoInline);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "entry", made));
  SmallVector<Value *> arguments;
  for (Argument &argument : made->args())
    arguments.push_back(&argument);
  arguments[alignAt] = align;
  CallInst *value = b.CreateCall(intrinsic, arguments);
  if (value->getType()->isVoidTy())
    b.CreateRetVoid();
  else
    b.CreateRet(value);
  return made;
}

/// Where the target has no masked access, each becomes a branch for each lane, and after each of
/// them LLVM looks through the whole function again. So a large task calls functions for them.
/// Whole blocks of threads take a way without them.
static void callMaskedAccesses(Function &function, const TargetTransformInfo &target) {
  SmallVector<IntrinsicInst *> masked;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    const bool isLoad = call && call->getIntrinsicID() == Intrinsic::masked_load;
    if (!isLoad && (!call || call->getIntrinsicID() != Intrinsic::masked_store))
      continue;
    Type *type = isLoad ? call->getType() : call->getArgOperand(0)->getType();
    const bool isNative = isLoad ? target.isLegalMaskedLoad(type, Align(4))
                                 : target.isLegalMaskedStore(type, Align(4));
    if (!isNative)
      masked.push_back(call);
  }
  if (masked.size() >= large)
    for (IntrinsicInst *access : masked)
      access->setCalledFunction(accessFunction(*function.getParent(), access));
}

/// The code generator takes a block at a time, and compares its accesses to memory pair by pair. So
/// long blocks are cut. Where it optimises, it joins them again; it does not for the largest tasks
/// (limitCodegen). From the end on, a cut costs as much as the piece is long.
static void cutBlocks(Function &function) {
  constexpr unsigned most = 1000;
  SmallVector<Instruction *> cuts;
  for (BasicBlock &block : function) {
    unsigned count = 0;
    for (Instruction &instruction : block)
      if (++count % most == 0 && !isa<PHINode, AllocaInst>(instruction) &&
          !instruction.isTerminator())
        cuts.push_back(&instruction);
  }
  for (Instruction *cut : reverse(cuts))
    cut->getParent()->splitBasicBlock(cut);
}

void sextant::cpu::prepareLargeTasks(Module &module, TargetMachine &machine) {
  SmallVector<Function *> tasks;
  for (Function &function : module)
    tasks.push_back(&function);
  for (Function *task : tasks) {
    if (machine.getTargetTriple().isX86())
      for (BasicBlock &block : *task)
        hideConstants(block);
    callMaskedAccesses(*task, machine.getTargetTransformInfo(*task));
    cutBlocks(*task);
  }
}
