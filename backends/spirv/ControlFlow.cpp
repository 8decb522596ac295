// Blocks, merges and phis.
#include "backends/spirv/ControlFlow.h"

#include <array>
#include <tuple>

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

Selection sextant::spirv::beginSelection(Writer &w, Id condition, bool hasElse) {
  Id then = w.newId(), merge = w.newId();
  Id otherwise = hasElse ? w.newId() : merge;
  w.effect(spv::OpSelectionMerge, {merge, spv::SelectionControlMaskNone});
  w.effect(spv::OpBranchConditional, {condition, then, otherwise});
  return {then, otherwise, merge};
}

Loop sextant::spirv::beginLoop(Writer &w) {
  Loop loop{w.newId(), w.newId(), w.newId(), w.newId()};
  w.effect(spv::OpBranch, {loop.header});
  w.beginBlock(loop.header);
  return loop;
}

/// SPIR-V says how many iterations a step does only from 1.4 on.
static spv::LoopControlMask controlOf(unsigned unroll) {
  return unroll == simt::unrollFreely ? spv::LoopControlMaskNone
         : unroll == 1                ? spv::LoopControlDontUnrollMask
                                      : spv::LoopControlUnrollMask;
}

void sextant::spirv::beginTest(Writer &w, const Loop &loop) {
  Id test = w.newId();
  w.effect(spv::OpLoopMerge, {loop.after, loop.next, uint32_t(controlOf(loop.unroll))});
  w.effect(spv::OpBranch, {test});
  w.beginBlock(test);
}

void sextant::spirv::beginBody(Writer &w, const Loop &loop, Id goesOn) {
  w.effect(spv::OpBranchConditional, {goesOn, loop.body, loop.after});
  w.beginBlock(loop.body);
}

Id sextant::spirv::endBody(Writer &w, const Loop &loop) {
  w.effect(spv::OpBranch, {loop.next});
  w.beginBlock(loop.next);
  return loop.next;
}

void sextant::spirv::endLoop(Writer &w, const Loop &loop) {
  w.effect(spv::OpBranch, {loop.header});
  w.beginBlock(loop.after);
}

Id sextant::spirv::choose(Writer &w, Id type, Id condition, function_ref<Id()> whenTrue,
                          function_ref<Id()> whenFalse) {
  Id then = w.newId(), otherwise = w.newId(), merge = w.newId();
  w.effect(spv::OpSelectionMerge, {merge, spv::SelectionControlMaskNone});
  w.effect(spv::OpBranchConditional, {condition, then, otherwise});
  std::array<std::pair<Id, Id>, 2> arms; // value, last block
  for (auto [arm, label, emit] :
       {std::tuple(0, then, whenTrue), std::tuple(1, otherwise, whenFalse)}) {
    w.beginBlock(label);
    Id value = emit();
    arms[arm] = {value, w.block()};
    w.effect(spv::OpBranch, {merge});
  }
  w.beginBlock(merge);
  Writer::Phi phi = w.phi(type, 2);
  for (unsigned arm : {0, 1})
    w.setIncoming(phi, arm, arms[arm].first, arms[arm].second);
  return phi.id;
}

Id sextant::spirv::casLoop(Writer &w, Id pointer, Id type, Id scope,
                           function_ref<Id(Id old)> next) {
  Id before = w.block();
  Id first = w.op(spv::OpAtomicLoad, type, {pointer, scope, w.intConstant(0)});
  Loop loop = beginLoop(w);
  Writer::Phi old = w.phi(type, 2);
  w.setIncoming(old, 0, first, before);
  beginTest(w, loop);
  Id desired = next(old.id);
  Id found = w.op(spv::OpAtomicCompareExchange, type,
                  {pointer, scope, w.intConstant(0), w.intConstant(0), desired, old.id});
  Id swapped = w.op(spv::OpIEqual, w.boolType(), {found, old.id});
  w.effect(spv::OpBranchConditional, {swapped, loop.after, loop.next});
  w.beginBlock(loop.next);
  w.setIncoming(old, 1, found, loop.next);
  endLoop(w, loop);
  return old.id;
}
