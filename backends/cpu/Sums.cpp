// Sums are found as chains of additions whose other operand is a product. A block is put in a new
// order only if it has no effects but plain stores; loads and stores of one object stay in order.
#include "backends/cpu/Sums.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sextant::cpu;

/// Sums with fewer terms wait for little, and leave registers soon.
static constexpr unsigned fewestTerms = 8;

namespace {

struct Sum {
  SmallVector<Instruction *> terms; ///< each adds a product to the one before
  unsigned registers = 0;           ///< that its value takes
};

/// The vector registers of the target.
struct Registers {
  const TargetTransformInfo &costs;

  unsigned all() const {
    return costs.getNumberOfRegisters(costs.getRegisterClassForType(/*Vector=*/true));
  }
  unsigned ofSums() const { return all() / 2; } ///< the others are for factors
};

} // namespace

static bool isProduct(const Value *value) {
  auto *product = dyn_cast<Instruction>(value);
  return product && product->getOpcode() == Instruction::FMul && product->hasOneUse();
}

static SmallVector<Sum> findSums(BasicBlock &block, const TargetTransformInfo &costs) {
  SmallVector<Sum> sums;
  DenseMap<Value *, unsigned> ends; // the last term of each sum
  for (Instruction &instruction : block) {
    if (instruction.getOpcode() != Instruction::FAdd || !instruction.getType()->isVectorTy())
      continue;
    Value *sum = instruction.getOperand(0), *term = instruction.getOperand(1);
    if (isProduct(sum) && !isProduct(term))
      std::swap(sum, term);
    if (!isProduct(term))
      continue;
    unsigned index = sums.size();
    if (auto end = ends.find(sum); end != ends.end() && sum->hasOneUse()) {
      index = end->second;
      ends.erase(end);
    } else {
      sums.emplace_back().registers = costs.getNumberOfParts(instruction.getType());
    }
    sums[index].terms.push_back(&instruction);
    ends[&instruction] = index;
  }
  erase_if(sums, [](const Sum &sum) { return sum.terms.size() < fewestTerms; });
  return sums;
}

//===--- Chunks that run together ------------------------------------------===//

/// True if the loop writes only memory of its own function, of which no other chunk's is read.
static bool writesOnlySlots(const BasicBlock &block) {
  return all_of(block, [](const Instruction &instruction) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    return !instruction.mayWriteToMemory() ||
           (store && store->isSimple() &&
            isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand())));
  });
}

/// The registers that factors from outside of the loop take.
static unsigned registersOfFactors(ArrayRef<Sum> sums, const Loop &loop,
                                   const TargetTransformInfo &costs) {
  SmallSet<Value *, 32> factors;
  unsigned registers = 0;
  for (const Sum &sum : sums)
    for (Instruction *term : sum.terms)
      for (Value *operand : term->operands())
        if (auto *product = dyn_cast<Instruction>(operand); isProduct(operand))
          for (Value *factor : product->operands())
            if (isa<Instruction>(factor) && loop.isLoopInvariant(factor) &&
                factors.insert(factor).second)
              registers += costs.getNumberOfParts(factor->getType());
  return registers;
}

/// How many chunks of the loop run together.
static unsigned chunksTogether(const Loop &loop, ScalarEvolution &evolution, Registers registers) {
  constexpr unsigned largest = 4096; // instructions
  if (loop.getNumBlocks() != 1 || !writesOnlySlots(*loop.getHeader()))
    return 1;
  SmallVector<Sum> sums = findSums(*loop.getHeader(), registers.costs);
  if (sums.empty() || registersOfFactors(sums, loop, registers.costs) <= registers.ofSums())
    return 1;
  unsigned taken = 0;
  for (const Sum &sum : sums)
    taken += sum.registers;
  const unsigned fit = std::min(registers.ofSums() / taken,
                                largest / unsigned(std::max<size_t>(1, loop.getHeader()->size())));
  const unsigned trips = evolution.getSmallConstantTripCount(&loop);
  unsigned together = 1;
  while (together * 2 <= fit && trips % (together * 2) == 0 && trips)
    together *= 2;
  return together;
}

PreservedAnalyses JamSums::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  Registers registers{analyses.getResult<TargetIRAnalysis>(function)};
  for (Loop *loop : loops.getLoopsInPreorder())
    if (const unsigned count = chunksTogether(*loop, evolution, registers); count > 1)
      addStringMetadataToLoop(loop, "llvm.loop.unroll.count", count);
  return PreservedAnalyses::all();
}

//===--- The order of terms ------------------------------------------------===//

namespace {

/// A block in a new order.
class Order {
public:
  explicit Order(BasicBlock &block) : block(block) {}

  /// Finds what depends on what in memory. False if the block has effects that must stay in place.
  bool findAccesses();
  void place(ArrayRef<Sum> together);
  /// Accesses to memory that are placed later stay after those placed before: LLVM's scheduler
  /// takes a whole block at a time, and would put the terms of other sums between them.
  void separate();
  /// Moves the instructions: those placed, then the others as they were.
  void apply();

private:
  void place(Instruction *instruction);
  bool isPlaced(Instruction *instruction) const {
    return instruction->getParent() != &block || isa<PHINode>(instruction) ||
           placed.count(instruction);
  }
  Instruction *firstMissing(Instruction *instruction) const;

  BasicBlock &block;
  DenseMap<Instruction *, SmallVector<Instruction *, 2>> before; ///< in memory
  DenseSet<Instruction *> placed;
  SmallVector<Instruction *> order;
};

} // namespace

bool Order::findAccesses() {
  struct Object {
    Instruction *written = nullptr;
    SmallVector<Instruction *> read; ///< since then
  };
  // No slot's address is kept in memory, so all that is reached from outside is one object.
  DenseMap<const Value *, Object> objects;
  for (Instruction &instruction : block) {
    if (!instruction.mayReadOrWriteMemory())
      continue;
    const Value *pointer = getLoadStorePointerOperand(&instruction);
    auto *load = dyn_cast<LoadInst>(&instruction);
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!pointer || (load && !load->isSimple()) || (store && !store->isSimple()))
      return false;
    const Value *base = getUnderlyingObject(pointer, /*MaxLookup=*/0);
    if (!isa<AllocaInst, Argument, LoadInst>(base)) // it could be one of several
      return false;
    Object &object = objects[isa<AllocaInst>(base) ? base : nullptr];
    SmallVector<Instruction *, 2> &earlier = before[&instruction];
    if (object.written)
      earlier.push_back(object.written);
    if (load) {
      object.read.push_back(&instruction);
      continue;
    }
    earlier.append(object.read.begin(), object.read.end());
    object = {&instruction, {}};
  }
  return true;
}

Instruction *Order::firstMissing(Instruction *instruction) const {
  for (Value *operand : instruction->operands())
    if (auto *definition = dyn_cast<Instruction>(operand); definition && !isPlaced(definition))
      return definition;
  if (auto found = before.find(instruction); found != before.end())
    for (Instruction *earlier : found->second)
      if (!isPlaced(earlier))
        return earlier;
  return nullptr;
}

void Order::place(Instruction *instruction) {
  SmallVector<Instruction *> waiting{instruction};
  while (!waiting.empty()) {
    if (isPlaced(waiting.back())) {
      waiting.pop_back();
    } else if (Instruction *missing = firstMissing(waiting.back())) {
      waiting.push_back(missing);
    } else {
      placed.insert(waiting.back());
      order.push_back(waiting.pop_back_val());
    }
  }
}

void Order::place(ArrayRef<Sum> together) {
  bool isAny = true;
  for (unsigned step = 0; isAny; ++step) {
    isAny = false;
    for (const Sum &sum : together) {
      if (step >= sum.terms.size())
        continue;
      isAny = true;
      place(sum.terms[step]);
    }
  }
  // A sum that goes to memory leaves its register.
  for (const Sum &sum : together)
    if (auto *store = dyn_cast<StoreInst>(*sum.terms.back()->user_begin());
        store && sum.terms.back()->hasOneUse() && !isPlaced(store)) {
      const auto accesses = before.find(store);
      if (all_of(accesses->second, [&](Instruction *earlier) { return isPlaced(earlier); }))
        place(store);
    }
}

void Order::separate() {
  FunctionType *type = FunctionType::get(Type::getVoidTy(block.getContext()), false);
  InlineAsm *nothing = InlineAsm::get(type, "", "~{memory}", /*hasSideEffects=*/true);
  order.push_back(CallInst::Create(nothing, "", block.getTerminator()->getIterator()));
  placed.insert(order.back());
}

void Order::apply() {
  Instruction *end = block.getTerminator();
  for (Instruction &instruction : make_range(block.getFirstNonPHIIt(), end->getIterator()))
    place(&instruction);
  for (Instruction *instruction : order)
    instruction->moveBefore(end);
}

static bool orderSums(BasicBlock &block, Registers registers) {
  const SmallVector<Sum> sums = findSums(block, registers.costs);
  if (sums.size() < 2)
    return false;
  Order order(block);
  if (!order.findAccesses())
    return false;
  for (size_t first = 0, end = 0; first < sums.size(); first = end) {
    unsigned taken = 0;
    while (end < sums.size() && (end == first || taken + sums[end].registers <= registers.ofSums()))
      taken += sums[end++].registers;
    order.place(ArrayRef(sums).slice(first, end - first));
    if (end < sums.size())
      order.separate();
  }
  order.apply();
  return true;
}

PreservedAnalyses OrderSums::run(Function &function, FunctionAnalysisManager &analyses) {
  Registers registers{analyses.getResult<TargetIRAnalysis>(function)};
  bool isChanged = false;
  for (BasicBlock &block : function)
    isChanged |= orderSums(block, registers);
  return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
