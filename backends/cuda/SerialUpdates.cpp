// A serial task often counts and looks at the count, as at the end of a loop's round on the device:
//
//     left[()] -= 1
//     while qd.graph.do_while(left)
//
// The load waits until the update has reached memory, and then for memory itself. An update that
// returns the value before is one wait. Many threads have no such load: updates whose value nobody
// uses are then the faster ones.
#include "backends/cuda/SerialUpdates.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

static bool isOfOneThread(const Function &function) {
  const NamedMDNode *annotations = function.getParent()->getNamedMetadata("nvvm.annotations");
  return annotations && any_of(annotations->operands(), [&](const MDNode *node) {
           auto *name = dyn_cast<MDString>(node->getOperand(1));
           return mdconst::dyn_extract_or_null<Function>(node->getOperand(0)) == &function &&
                  name && name->getString() == "maxntidx" &&
                  mdconst::extract<ConstantInt>(node->getOperand(2))->isOne();
         });
}

/// The load of the update's place that comes next, before anything else that writes; null: none.
static LoadInst *nextLoad(AtomicRMWInst &update) {
  for (Instruction *op = update.getNextNode(); op && !op->mayWriteToMemory();
       op = op->getNextNode())
    if (auto *load = dyn_cast<LoadInst>(op);
        load && load->isSimple() && load->getPointerOperand() == update.getPointerOperand() &&
        load->getType() == update.getType())
      return load;
  return nullptr;
}

void sextant::shortenSerialUpdates(Module &module) {
  SmallVector<AtomicRMWInst *> updates;
  for (Function &function : module)
    if (!function.isDeclaration() && isOfOneThread(function))
      for (Instruction &op : instructions(function))
        if (auto *update = dyn_cast<AtomicRMWInst>(&op); update && update->use_empty())
          updates.push_back(update);
  for (AtomicRMWInst *update : updates)
    if (LoadInst *load = nextLoad(*update)) {
      IRBuilder<> b(load);
      load->replaceAllUsesWith(
          buildAtomicRMWValue(update->getOperation(), b, update, update->getValOperand()));
      load->eraseFromParent();
    }
}
