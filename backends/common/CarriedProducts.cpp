// In
//
//     while x * x + y * y < 4: x, y = x * x - y * y + a, 2 * x * y + b
//
// LLVM computes `x * x` and `y * y` once for the test and for the round after it: the round gets
// them as phis. Neither becomes part of an fma in the round then. With `x * x` computed again, the
// test has one fma and one product, and the round one fma, an instruction less.
#include "backends/common/CarriedProducts.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

using namespace llvm;

namespace {

/// A header's phi, and the edges on which values come from before the loop and from its last block.
struct Carried {
  PHINode *phi;
  unsigned before, round;

  Value *first() const { return phi->getIncomingValue(before); }
  Value *next() const { return phi->getIncomingValue(round); }
};

} // namespace

static bool becomesFma(const User *user) {
  const auto *sum = dyn_cast<Instruction>(user);
  return sum && (sum->getOpcode() == Instruction::FAdd || sum->getOpcode() == Instruction::FSub) &&
         sum->hasAllowContract();
}

static BinaryOperator *asProduct(Value *value) {
  auto *product = dyn_cast<BinaryOperator>(value);
  return product && product->getOpcode() == Instruction::FMul && product->hasAllowContract()
             ? product
             : nullptr;
}

/// Returns the value that stands for `next` where the round begins; null if the loop carries none.
static Value *nowOf(Value *next, const Carried &carried, const DominatorTree &dominators) {
  for (PHINode &phi : carried.phi->getParent()->phis())
    if (phi.getIncomingValue(carried.round) == next)
      return &phi;
  auto *op = dyn_cast<Instruction>(next);
  return !op || dominators.properlyDominates(op->getParent(), carried.phi->getParent()) ? next
                                                                                        : nullptr;
}

/// The factor before the loop, if it is a factor of the first product.
static Value *firstOf(Value *now, const Carried &carried) {
  auto *phi = dyn_cast<PHINode>(now);
  return phi && phi->getParent() == carried.phi->getParent() ? phi->getIncomingValue(carried.before)
                                                             : now;
}

static bool isProduct(Value *first, Value *left, Value *right, const DataLayout &layout) {
  if (const BinaryOperator *product = asProduct(first))
    return product->getOperand(0) == left && product->getOperand(1) == right;
  auto *l = dyn_cast<Constant>(left), *r = dyn_cast<Constant>(right);
  return l && r && ConstantFoldBinaryOpOperands(Instruction::FMul, l, r, layout) == first;
}

/// Replaces the phi by a product, if each user of it and of the product that it carries becomes an
/// fma. `fused` are those that have one already.
static void fuse(const Carried &carried, const DominatorTree &dominators,
                 SmallPtrSetImpl<User *> &fused) {
  BinaryOperator *product = asProduct(carried.next());
  auto isFree = [&](User *user) { return becomesFma(user) && !fused.contains(user); };
  if (!product || !all_of(carried.phi->users(), isFree) ||
      !all_of(product->users(), [&](User *user) { return user == carried.phi || isFree(user); }))
    return;
  Value *left = nowOf(product->getOperand(0), carried, dominators),
        *right = nowOf(product->getOperand(1), carried, dominators);
  if (!left || !right ||
      !isProduct(carried.first(), firstOf(left, carried), firstOf(right, carried),
                 product->getModule()->getDataLayout()))
    return;
  fused.insert(carried.phi->user_begin(), carried.phi->user_end());
  fused.insert(product->user_begin(), product->user_end());
  IRBuilder<> b(carried.phi->getParent(), carried.phi->getParent()->getFirstInsertionPt());
  b.setFastMathFlags(product->getFastMathFlags());
  carried.phi->replaceAllUsesWith(b.CreateFMul(left, right));
  carried.phi->eraseFromParent();
}

static std::optional<Carried> carriedBy(PHINode &phi, const DominatorTree &dominators) {
  if (phi.getNumIncomingValues() != 2 || !phi.getType()->isFPOrFPVectorTy())
    return std::nullopt;
  for (unsigned round : {0u, 1u})
    if (dominators.dominates(phi.getParent(), phi.getIncomingBlock(round)))
      return Carried{&phi, 1 - round, round};
  return std::nullopt;
}

void sextant::fuseCarriedProducts(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    const DominatorTree dominators(function);
    for (BasicBlock &block : function) {
      SmallPtrSet<User *, 8> fused;
      for (PHINode &phi : make_early_inc_range(block.phis()))
        if (std::optional<Carried> carried = carriedBy(phi, dominators))
          fuse(*carried, dominators, fused);
    }
  }
}
