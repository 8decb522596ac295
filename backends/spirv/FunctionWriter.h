// The walk over one task, or over a function that tasks call, that writes its SPIR-V function. The
// parts that it is made of write the ops.
#pragma once

#include "backends/spirv/AtomicWriter.h"
#include "backends/spirv/ControlFlow.h"

namespace sextant::spirv {

class FunctionWriter : private StructuredWalk<Id, Id, Writer::Phi> {
public:
  FunctionWriter(ModuleCode &module, mlir::func::FuncOp source);
  mlir::LogicalResult emitTask();
  /// Emits a function that tasks after it call.
  mlir::LogicalResult emitCallee();

private:
  void setLine(mlir::Location at) override;
  bool emitEffect(mlir::Operation &op) override;
  Id emitValue(mlir::Operation &op) override;
  Id call(mlir::func::CallOp op);

  Id currentBlock() override { return w.block(); }
  void enter(Id block) override { w.beginBlock(block); }
  void jump(Id to) override { w.effect(spv::OpBranch, {to}); }
  Writer::Phi phi(mlir::Type type, unsigned incoming) override {
    return w.phi(w.typeOf(type), incoming);
  }
  void setIncoming(Writer::Phi phi, unsigned number, Id value, Id from) override {
    w.setIncoming(phi, number, value, from);
  }
  Id valueOf(Writer::Phi phi) override { return phi.id; }
  Id lessThan(Id left, Id right) override {
    return w.op(spv::OpSLessThan, w.boolType(), {left, right});
  }
  Id add(mlir::Type type, Id left, Id right) override {
    return w.op(spv::OpIAdd, w.typeOf(type), {left, right});
  }
  Selection beginSelection(Id condition, bool hasElse) override {
    return spirv::beginSelection(w, condition, hasElse);
  }
  Loop beginLoop(LoopKind) override { return spirv::beginLoop(w); }
  void beginTest(const Loop &loop) override { spirv::beginTest(w, loop); }
  void beginBody(const Loop &loop, Id goesOn) override { spirv::beginBody(w, loop, goesOn); }
  Id endBody(const Loop &loop) override { return spirv::endBody(w, loop); }
  void endLoop(const Loop &loop) override { spirv::endLoop(w, loop); }

  FunctionCode code;
  ScalarWriter &w;
  DeclarationWriter declarations;
  MemoryWriter memory;
  AtomicWriter atomics;
};

} // namespace sextant::spirv
