// A sine and a cosine of libdevice each reduce their angle to a quarter turn, by a loop of its own
// where the angle is large. Its function for both does that once, and has the bits of the two.
#include "backends/cuda/SinCos.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace {

/// The calls in a block for one angle.
struct Calls {
  CallInst *sine = nullptr, *cosine = nullptr;
};

} // namespace

static void join(const Calls &calls, StringRef both) {
  CallInst &first = calls.sine->comesBefore(calls.cosine) ? *calls.sine : *calls.cosine;
  Function &function = *first.getFunction();
  IRBuilder<> atEntry(&function.getEntryBlock(), function.getEntryBlock().begin());
  Type *type = first.getType();
  Value *places[] = {atEntry.CreateAlloca(type), atEntry.CreateAlloca(type)};
  IRBuilder<> b(&first);
  b.CreateCall(function.getParent()->getOrInsertFunction(both, b.getVoidTy(), type, b.getPtrTy(),
                                                         b.getPtrTy()),
               {first.getArgOperand(0), places[0], places[1]});
  Value *results[] = {b.CreateLoad(type, places[0]), b.CreateLoad(type, places[1])};
  for (auto [call, result] : zip(ArrayRef{calls.sine, calls.cosine}, results)) {
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

static void joinSinCos(BasicBlock &block, StringRef sine, StringRef cosine, StringRef both) {
  MapVector<Value *, Calls> byAngle;
  for (Instruction &op : block) {
    auto *call = dyn_cast<CallInst>(&op);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee)
      continue;
    if (callee->getName() == sine)
      byAngle[call->getArgOperand(0)].sine = call;
    else if (callee->getName() == cosine)
      byAngle[call->getArgOperand(0)].cosine = call;
  }
  for (const auto &[angle, calls] : byAngle)
    if (calls.sine && calls.cosine)
      join(calls, both);
}

void sextant::joinSinCos(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function) {
      ::joinSinCos(block, "__nv_sinf", "__nv_cosf", "__nv_sincosf");
      ::joinSinCos(block, "__nv_sin", "__nv_cos", "__nv_sincos");
    }
}
