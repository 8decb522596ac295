// LLVM divides numbers below 2^24 through f32, in half the instructions of others. It has to know
// that of both numbers. Where the first one is as small, a larger divisor gives the same as the
// largest of these does: nothing, and the whole number remains.
#include "backends/amdgpu/Divisions.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

void sextant::shortenDivisions(Function &function) {
  constexpr uint32_t largest = (1u << 24) - 1;
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Instruction &instruction : instructions(function)) {
    const unsigned op = instruction.getOpcode();
    if ((op != Instruction::UDiv && op != Instruction::URem) ||
        !instruction.getType()->isIntegerTy(32) || isa<Constant>(instruction.getOperand(1)))
      continue;
    // A bit less: the largest divisor itself has to be above the number.
    if (computeKnownBits(instruction.getOperand(0), layout, 0, nullptr, &instruction)
            .getMaxValue()
            .uge(largest))
      continue;
    IRBuilder<> b(&instruction);
    instruction.setOperand(1, b.CreateBinaryIntrinsic(Intrinsic::umin, instruction.getOperand(1),
                                                      b.getInt32(largest)));
  }
}
