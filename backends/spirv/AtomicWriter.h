// Atomic operations: instructions on integers, and on reals if the variant may use them; otherwise
// a loop of compare-and-swaps on the bits. They are relaxed, as the dialect orders no other memory.
#pragma once

#include "backends/spirv/MemoryWriter.h"

namespace sextant::spirv {

class AtomicWriter : FunctionPart {
public:
  AtomicWriter(FunctionCode &code, MemoryWriter &memory) : FunctionPart(code), memory(memory) {}

  /// Return the element before.
  Id rmw(simt::AtomicRmwOp op);
  Id cas(simt::AtomicCasOp op);
  /// VectorAdds.cpp. Additions of f32 that are instructions.
  void addVector(simt::AtomicAddVectorOp op);

private:
  Id addReal(mlir::Type type, Id at, Id scope, Id value);
  void addTransposed(simt::AtomicAddVectorOp op, Id first);
  Id narrowRmw(simt::AtomicRmwOp op, Id scope);
  Id narrowCas(simt::AtomicCasOp op, Id scope);
  Id nativeOnReals(simt::AtomicRmwOp op, Id at, Id scope, Id value);
  Id addTogether(simt::AtomicRmwOp op, Id at, Id scope);
  Id minMaxOfBits(simt::AtomicRmwOp op, Id at, Id scope);
  Id quieted(Id value, mlir::Type type);
  void requireAtomics(const Memory &place);
  Id scopeOf(const Memory &place);

  MemoryWriter &memory;
};

} // namespace sextant::spirv
