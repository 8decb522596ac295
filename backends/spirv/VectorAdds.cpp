// Additions to elements that lie one after the other, for which Vulkan has no instruction. Memory
// adds to a few neighbours as fast as to one, if lanes ask for them at once: an H200 takes four
// times as long for four additions of a lane each. So as many lanes as a vector has elements
// transpose theirs, and then each vector is added by all of these lanes, an element each.
#include "backends/spirv/AtomicWriter.h"
#include "backends/spirv/ControlFlow.h"
#include "backends/spirv/ThreadWriter.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

/// Element i of lane k becomes element k of lane i, among as many lanes as there are elements.
static void transpose(MutableArrayRef<Id> elements, Id type, FunctionCode &code) {
  ScalarWriter &w = code.module.w;
  for (unsigned step = 1; step < elements.size(); step *= 2) {
    const Id bit = w.op(spv::OpBitwiseAnd, w.u32Type(), {laneIn(code), w.u32(step)});
    const Id isUpper = w.op(spv::OpINotEqual, w.boolType(), {bit, w.u32(0)});
    for (unsigned k = 0; k < elements.size(); ++k) {
      if (k & step)
        continue;
      Id &low = elements[k], &high = elements[k | step];
      const Id other = fromNeighbour(type, w.select(type, isUpper, low, high), step, code);
      low = w.select(type, isUpper, other, low);
      high = w.select(type, isUpper, high, other);
    }
  }
}

void AtomicWriter::addTransposed(simt::AtomicAddVectorOp op, Id first) {
  const mlir::Type type = op.getValues()[0].getType();
  SmallVector<Id> elements;
  for (mlir::Value value : op.getValues())
    elements.push_back(get(value));
  transpose(elements, w.typeOf(type), code);
  const auto count = unsigned(elements.size());
  auto masked = [&](uint32_t mask) {
    return w.op(spv::OpBitwiseAnd, w.u32Type(), {laneIn(code), w.u32(mask)});
  };
  const Id own = masked(count - 1), begin = masked(~(count - 1));
  for (auto [k, element] : enumerate(elements)) {
    const Id source = w.op(spv::OpBitwiseOr, w.u32Type(), {begin, w.u32(uint32_t(k))});
    const Id at = w.op(spv::OpIAdd, w.u32Type(), {fromLane(w.u32Type(), first, source, code), own});
    addReal(type, memory.pointerAt(op.getBuffer(), at), w.u32(spv::ScopeDevice), element);
  }
}

/// Where some of the lanes are not active, each adds its own elements.
void AtomicWriter::addVector(simt::AtomicAddVectorOp op) {
  const auto count = unsigned(op.getValues().size());
  w.require(abi::VulkanFeature::Float32Atomics);
  const Id first =
      w.op(spv::OpIMul, w.u32Type(), {memory.elementIndex(op.getIndex()), w.u32(count)});
  const Selection branch = beginSelection(w, areActive(count, code), /*hasElse=*/true);
  w.beginBlock(branch.then);
  addTransposed(op, first);
  w.effect(spv::OpBranch, {branch.join});
  w.beginBlock(branch.otherwise);
  for (auto [k, value] : enumerate(op.getValues())) {
    const Id at = w.op(spv::OpIAdd, w.u32Type(), {first, w.u32(uint32_t(k))});
    addReal(value.getType(), memory.pointerAt(op.getBuffer(), at), w.u32(spv::ScopeDevice),
            get(value));
  }
  w.effect(spv::OpBranch, {branch.join});
  w.beginBlock(branch.join);
}
