// Memory effects, folds and verifiers of the dialect's ops.
#include "frontend/ir/SimtDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sextant::simt;

#define GET_OP_CLASSES
#include "frontend/ir/SimtOps.cpp.inc"

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

// A volatile access is also a write of unknown memory, so that no pass merges,
// moves or removes it.
void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getVolatile_())
    effects.emplace_back(MemoryEffects::Write::get());
}

void StoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
  if (getVolatile_())
    effects.emplace_back(MemoryEffects::Read::get());
}

void InstructionOp::getEffects(Effects &effects) {
  if (!getMemory())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

//===--- Folds -------------------------------------------------------------===//

OpFoldResult ToIntOp::fold(FoldAdaptor adaptor) {
  auto constant = dyn_cast_if_present<FloatAttr>(adaptor.getValue());
  if (!constant)
    return {};
  APSInt integer(getType().getIntOrFloatBitWidth(), getIsUnsigned());
  bool isExact = false;
  constant.getValue().convertToInteger(integer, APFloat::rmTowardZero, &isExact); // saturates
  return IntegerAttr::get(getType(), integer);
}

//===--- Verifiers ---------------------------------------------------------===//

static LogicalResult verifyAllocation(Operation *op, BufferType type, Space space) {
  if (type.getSpace() != space)
    return op->emitOpError() << "yields a buffer in " << stringifySpace(space) << " memory";
  if (!isa<func::FuncOp>(op->getParentOp()))
    return op->emitOpError("stands at the top level of a task");
  return success();
}

LogicalResult SharedOp::verify() { return verifyAllocation(*this, getType(), Space::Shared); }
LogicalResult PrivateOp::verify() { return verifyAllocation(*this, getType(), Space::Private); }

LogicalResult ViewOp::verify() {
  if (getType().getSpace() != Space::Global || getSource().getType().getSpace() != Space::Global)
    return emitOpError("is of global memory");
  if (!isa<BlockArgument>(getSource()) || !isa<func::FuncOp>((*this)->getParentOp()))
    return emitOpError("stands at the top level of a task and views a parameter");
  return success();
}

bool sextant::simt::isReal(CombineKind kind) {
  return kind == CombineKind::AddF || kind == CombineKind::MulF || kind == CombineKind::MinF ||
         kind == CombineKind::MaxF;
}

static LogicalResult verifyCombine(Operation *op, CombineKind kind, Type type) {
  if (isReal(kind) != isa<FloatType>(type))
    return op->emitOpError() << stringifyCombineKind(kind) << " does not take " << type;
  return success();
}

static LogicalResult verifyCollective(Operation *op, CombineKind kind, Type type) {
  if (kind == CombineKind::Exchange)
    return op->emitOpError("combines the lanes' values; `exchange` is for atomics");
  return verifyCombine(op, kind, type);
}

LogicalResult AtomicRmwOp::verify() {
  Type type = getValue().getType();
  if (getBuffer().getType().getSpace() == Space::Private)
    return emitOpError("needs a global or shared buffer");
  if (getKind() == CombineKind::Exchange)
    return success();
  return verifyCombine(*this, getKind(), type);
}

LogicalResult AtomicCasOp::verify() {
  if (getBuffer().getType().getSpace() == Space::Private)
    return emitOpError("needs a global or shared buffer");
  return success();
}

static LogicalResult verifyVector(Operation *op, BufferType buffer, TypeRange elements) {
  if (elements.size() < 2 || elements.size() > 4)
    return op->emitOpError() << "accesses 2 to 4 elements, not " << elements.size();
  for (Type element : elements)
    if (element != buffer.getElementType())
      return op->emitOpError() << "accesses " << element << " in " << buffer;
  return success();
}

LogicalResult LoadVectorOp::verify() {
  return verifyVector(*this, getBuffer().getType(), getElements().getTypes());
}
LogicalResult StoreVectorOp::verify() {
  return verifyVector(*this, getBuffer().getType(), getValues().getTypes());
}
LogicalResult AtomicAddVectorOp::verify() {
  return verifyVector(*this, getBuffer().getType(), getValues().getTypes());
}

LogicalResult MatchOp::verify() {
  if (getBits() < 1 || getBits() > 32)
    return emitOpError() << "compares 1 to 32 bits, not " << getBits();
  return success();
}

std::optional<unsigned> sextant::simt::log2TileOf(Operation *op) {
  if (!op->hasTrait<Tiled>())
    return std::nullopt;
  return unsigned(op->getAttrOfType<IntegerAttr>("log2Size").getInt());
}

LogicalResult sextant::simt::verifyTile(Operation *op) {
  const unsigned log2Size = *log2TileOf(op);
  auto module = op->getParentOfType<ModuleOp>();
  unsigned wave = module ? getWaveSize(module) : 128;
  if (log2Size > llvm::Log2_32(wave))
    return op->emitOpError() << "a tile of 2**" << log2Size << " lanes is wider than the wave of "
                             << wave;
  return success();
}

static LogicalResult verifyFaults(Operation *op, BufferType type) {
  if (type.getSpace() != Space::Global || !type.getElementType().isInteger(32))
    return op->emitOpError("records faults in a global buffer of i32");
  return success();
}

LogicalResult CheckOp::verify() {
  if (getValues().size() > 2)
    return emitOpError("takes two values at most");
  return verifyFaults(*this, getFaults().getType());
}

LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getOk(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult AgreeOp::verify() { return verifyFaults(*this, getFaults().getType()); }

LogicalResult ReduceOp::verify() {
  return verifyCollective(*this, getKind(), getValue().getType());
}

LogicalResult ScanOp::verify() { return verifyCollective(*this, getKind(), getValue().getType()); }
