// Addresses of the arrays of a task that has many. LLVM loads all of them from the argument block
// at the task's begin, adds each thread's offset once, and keeps the sums in registers: kernels of
// 300 arrays spilled hundreds of these, and took 10 seconds of the register allocator and the
// scheduler. Here, each run of accesses in a block of code loads the addresses that it uses at its
// begin, and adds the offsets itself.
#include "backends/amdgpu/Addresses.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace {

/// More arrays than this do not fit the processors' 102 to 106 scalar registers beside other
/// values.
constexpr unsigned mostInRegisters = 48;
/// Accesses that share loaded addresses. The vector registers of a run hold one address for each
/// array that it accesses.
constexpr unsigned accessesOfRun = 64;

/// Where LLVM believes the argument block to be. It is constant memory, and each load says that
/// nothing changes it. But with constant memory, LLVM's Sink pass compares each load with all
/// stores after it: 8 seconds for 2000 statements.
constexpr unsigned spaceOfArguments = 1;

/// One run of accesses.
struct Run {
  Instruction *arguments = nullptr;     ///< the argument block
  DenseMap<const Value *, Value *> own; ///< addresses of the function, and the run's own for them
};

/// The place of each argument in the argument block, as LLVM's AMDGPULowerKernelArguments computes
/// it: natural alignment, from 0 on.
SmallVector<uint64_t> placesOf(const Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<uint64_t> places;
  uint64_t end = 0;
  for (const Argument &argument : function.args()) {
    places.push_back(alignTo(end, layout.getABITypeAlign(argument.getType())));
    end = places.back() + layout.getTypeAllocSize(argument.getType());
  }
  return places;
}

/// Returns the array whose element is at `address`: an argument, if only constants and values of
/// the thread are added to it.
const Argument *arrayOf(const Value *address) {
  while (const auto *sum = dyn_cast<GetElementPtrInst>(address))
    address = sum->getPointerOperand();
  return dyn_cast<Argument>(address);
}

/// Returns the operand that says where an access to memory goes, or null if `inst` is not an
/// access.
Use *addressOf(Instruction &inst) {
  if (isa<LoadInst>(inst))
    return &inst.getOperandUse(LoadInst::getPointerOperandIndex());
  if (isa<StoreInst>(inst))
    return &inst.getOperandUse(StoreInst::getPointerOperandIndex());
  if (isa<AtomicRMWInst>(inst))
    return &inst.getOperandUse(AtomicRMWInst::getPointerOperandIndex());
  if (isa<AtomicCmpXchgInst>(inst))
    return &inst.getOperandUse(AtomicCmpXchgInst::getPointerOperandIndex());
  return nullptr;
}

/// Returns an address that is equal to `address`, computed before `at` from what the run loads. All
/// loads stand together at the run's begin: between other accesses, each would be compared with all
/// of these in instruction selection.
Value *addressIn(Run &run, Value *address, ArrayRef<uint64_t> places, Instruction *at) {
  if (Value *known = run.own.lookup(address))
    return known;
  IRBuilder<> b(at);
  Value *own;
  if (auto *argument = dyn_cast<Argument>(address)) {
    b.SetInsertPoint(run.arguments->getNextNode());
    Value *place =
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), run.arguments, places[argument->getArgNo()]);
    LoadInst *load = b.CreateLoad(argument->getType(), place);
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
    load->setMetadata("amdgpu.noclobber", MDNode::get(b.getContext(), {}));
    own = load;
  } else {
    auto *sum = cast<GetElementPtrInst>(address);
    Value *base = addressIn(run, sum->getPointerOperand(), places, at);
    auto *copy = cast<GetElementPtrInst>(sum->clone());
    copy->setOperand(GetElementPtrInst::getPointerOperandIndex(), base);
    own = b.Insert(copy);
  }
  run.own[address] = own;
  return own;
}

} // namespace

void sextant::loadAddressesNearUses(Function &function) {
  SmallVector<SmallVector<Use *>> accesses; // one list for each block of code, in order
  SmallPtrSet<const Argument *, 16> arrays;
  for (BasicBlock &block : function) {
    auto &own = accesses.emplace_back();
    for (Instruction &inst : block)
      if (Use *address = addressOf(inst))
        if (const Argument *array = arrayOf(address->get())) {
          arrays.insert(array);
          own.push_back(address);
        }
  }
  if (arrays.size() <= mostInRegisters)
    return;

  const SmallVector<uint64_t> places = placesOf(function);
  IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
  Type *pointer = b.getPtrTy(spaceOfArguments);
  Value *arguments = b.CreateAddrSpaceCast(
      b.CreateIntrinsic(Intrinsic::amdgcn_kernarg_segment_ptr, {}, {}), pointer);
  // LLVM does not know that what this yields is its operand, so that runs share no loads.
  InlineAsm *again = InlineAsm::get(FunctionType::get(pointer, {pointer}, false), "", "=s,0", true);
  for (ArrayRef<Use *> own : accesses) {
    Run run;
    for (auto [index, operand] : llvm::enumerate(own)) {
      auto *access = cast<Instruction>(operand->getUser());
      if (index % accessesOfRun == 0) {
        run = Run();
        b.SetInsertPoint(access);
        CallInst *call = b.CreateCall(again, {arguments});
        call->setDoesNotThrow();
        run.arguments = call;
      }
      operand->set(addressIn(run, operand->get(), places, access));
    }
  }
}
