// Variables for debuggers, in code that is not optimised. Each variable of the source has a place
// in memory, which every assignment writes. If code runs for many lanes, a variable is an array
// with one element for each lane, unless all lanes always agree on it. A debugger reads the
// argument block and shared arrays in place.
#include "backends/cpu/MemoryEmitter.h"
#include "backends/cpu/ShownVariables.h"

#include "frontend/ir/DebugInfo.h"
#include "loader/abi/BlockLayout.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace scf = mlir::scf;

//===--- Types -------------------------------------------------------------===//

static unsigned bytesOf(mlir::Type type) { return divideCeil(type.getIntOrFloatBitWidth(), 8); }

/// The type of a scalar, with its name in the language.
static DIType *scalarOf(mlir::Type type, DIBuilder &di) {
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<mlir::FloatType>(type))
    return di.createBasicType(("f" + Twine(bits)).str(), bits, dwarf::DW_ATE_float);
  if (bits == 1)
    return di.createBasicType("u1", 8, dwarf::DW_ATE_boolean);
  bool isSigned = !type.isUnsignedInteger();
  return di.createBasicType(((isSigned ? "i" : "u") + Twine(bits)).str(), bits,
                            isSigned ? dwarf::DW_ATE_signed : dwarf::DW_ATE_unsigned);
}

static DIType *arrayOf(DIType *element, unsigned bytes, ArrayRef<uint64_t> shape, DIBuilder &di) {
  SmallVector<Metadata *> extents;
  uint64_t count = 1;
  for (uint64_t extent : shape) {
    extents.push_back(di.getOrCreateSubrange(0, int64_t(extent)));
    count *= extent;
  }
  if (extents.empty())
    return element;
  return di.createArrayType(count * bytes * 8, 0, element, di.getOrCreateArray(extents));
}

/// The components of a vector or matrix, in the order of indices.
static SmallVector<uint64_t> extentsOf(unsigned rows, unsigned cols) {
  if (rows == 1 && cols == 1)
    return {};
  if (cols == 1)
    return {rows};
  return {rows, cols};
}

/// The size of an extent in the argument block; 0: it is known.
static unsigned extentBytes(int64_t extent) {
  return extent == simt::ShownArgument::inBlock       ? 4
         : extent == simt::ShownArgument::wideInBlock ? 8
                                                      : 0;
}

/// The type of an array argument: its address in the argument block, followed by the extents.
static DIType *bufferOf(const simt::ShownArgument &argument, DIBuilder &di) {
  SmallVector<Metadata *> extents;
  for (auto [axis, extent] : enumerate(argument.shape)) {
    const uint64_t bytes = extentBytes(extent);
    if (!bytes) {
      extents.push_back(di.getOrCreateSubrange(0, extent));
      continue;
    }
    uint64_t offset = 8 + bytes * axis;
    DIExpression *count =
        di.createExpression({dwarf::DW_OP_push_object_address, dwarf::DW_OP_plus_uconst, offset,
                             dwarf::DW_OP_deref_size, bytes});
    extents.push_back(di.getOrCreateSubrange(count, nullptr, nullptr, nullptr));
  }
  for (uint64_t extent : extentsOf(argument.rows, argument.cols))
    extents.push_back(di.getOrCreateSubrange(0, int64_t(extent)));
  DIExpression *data = di.createExpression({dwarf::DW_OP_push_object_address, dwarf::DW_OP_deref});
  return di.createArrayType(0, 0, scalarOf(argument.type, di), di.getOrCreateArray(extents), data);
}

//===--- Declarations ------------------------------------------------------===//

/// Says that a variable is at the address in `slot`, plus `offset` bytes.
void ShownVariables::declareAt(Value *slot, uint64_t offset, DILocalVariable *variable,
                               DebugLines::Scope in, bool isPointer) {
  DIBuilder &di = code.lines.di();
  SmallVector<uint64_t> path{dwarf::DW_OP_deref};
  if (offset)
    path.append({dwarf::DW_OP_plus_uconst, offset});
  if (isPointer)
    path.push_back(dwarf::DW_OP_deref);
  DILocation *at = DILocation::get(b.getContext(), variable->getLine(), 0, in.scope, in.inlinedAt);
  di.insertDeclare(slot, variable, di.createExpression(path), at, b.GetInsertBlock());
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

void ShownVariables::declareArguments() {
  DIBuilder &di = code.lines.di();
  DebugLines::Scope in = code.lines.taskScope();
  auto *arguments = b.entryAlloca(b.getPtrTy(), "args.shown");
  b.CreateStore(code.args, arguments);
  abi::BlockPlaces ofArguments;
  unsigned number = 0;
  DIFile *file = code.lines.fileOf(code.task.getLoc());
  unsigned line = code.lines.lineOf(code.task.getLoc());
  for (const simt::ShownArgument &argument : simt::getShownArguments(code.task)) {
    uint64_t rest = argument.isBuffer ? 0 : uint64_t(argument.rows) * argument.cols - 1;
    uint32_t offset =
        argument.isBuffer ? ofArguments.addBuffer() : ofArguments.addValue(bytesOf(argument.type));
    for (uint64_t i = 0; i < rest; ++i)
      ofArguments.addValue(bytesOf(argument.type));
    for (int64_t extent : argument.shape)
      if (argument.isBuffer && extentBytes(extent))
        ofArguments.addValue(extentBytes(extent));
    bool isScalar = argument.isBuffer && argument.shape.empty(); // in memory of its own
    if (isIdentifier(argument.name)) {
      DIType *type = argument.isBuffer && !isScalar
                         ? bufferOf(argument, di)
                         : arrayOf(scalarOf(argument.type, di), bytesOf(argument.type),
                                   extentsOf(argument.rows, argument.cols), di);
      auto *variable = di.createParameterVariable(in.scope, argument.name, ++number, file, line,
                                                  type, /*AlwaysPreserve=*/true);
      declareAt(arguments, offset, variable, in, isScalar);
    }
  }
}

void ShownVariables::declareShared() {
  DIBuilder &di = code.lines.di();
  DebugLines::Scope in = code.lines.taskScope();
  Value *slot = nullptr;
  uint64_t offset = 0;
  for (auto shared : code.task.getBody().front().getOps<simt::SharedOp>()) {
    if (!slot) {
      slot = b.entryAlloca(b.getPtrTy(), "shared.shown");
      b.CreateStore(code.shared, slot);
    }
    simt::BufferType type = shared.getType();
    unsigned bytes = bytesOf(type.getElementType());
    offset = alignTo(offset, sharedAlign);
    if (isIdentifier(shared.getName())) {
      DIType *array =
          arrayOf(scalarOf(type.getElementType(), di), bytes, {uint64_t(type.getCount())}, di);
      auto *variable =
          di.createAutoVariable(in.scope, shared.getName(), code.lines.fileOf(code.task.getLoc()),
                                code.lines.lineOf(shared.getLoc()), array, true);
      declareAt(slot, offset, variable, in);
    }
    offset += uint64_t(type.getCount()) * bytes;
  }
}

/// Declares in every function which thread runs: for an inlined function, a debugger shows only its
/// own names.
void ShownVariables::declareThread(DebugLines::Scope in) {
  DIBuilder &di = code.lines.di();
  mlir::Builder types(code.task.getContext());
  mlir::Type u32 = types.getIntegerType(32, /*isSigned=*/false), boolean = types.getI1Type();
  SmallVector<uint64_t> ofLanes;
  if (lanes.width > 1)
    ofLanes.push_back(lanes.width);
  auto declare = [&](StringRef name, Value *slot, mlir::Type type, ArrayRef<uint64_t> shape) {
    DIType *shown = arrayOf(scalarOf(type, di), bytesOf(type), shape, di);
    auto *variable = di.createAutoVariable(in.scope, name, in.scope->getFile(), 0, shown, true,
                                           DINode::FlagArtificial);
    DILocation *at = DILocation::get(b.getContext(), 0, 0, in.scope, in.inlinedAt);
    di.insertDeclare(slot, variable, di.createExpression(), at, b.GetInsertBlock());
  };
  declare("block_idx", block, u32, {});
  declare("thread_idx", thread, u32, ofLanes);
  declare("lane", lane, u32, ofLanes);
  if (lanes.width > 1)
    declare("active", active, boolean, ofLanes);
}

/// The nearest op around `op` at which lanes diverge, or null.
static mlir::Operation *divergence(mlir::Operation *op, const ShapeAnalysis &shapes, bool &inLoop) {
  mlir::Operation *nearest = nullptr;
  for (mlir::Operation *at = op->getParentOp(); at && !isa<mlir::func::FuncOp>(at);
       at = at->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(at);
    bool parts = branch ? !shapes.isUniform(branch.getCondition()) : shapes.hasDivergentExit(at);
    inLoop |= parts && !branch;
    if (parts && !nearest)
      nearest = at;
  }
  return nearest;
}

/// True if the lanes may have different values: the values differ, or some lanes were absent at one
/// assignment and present at an earlier one.
static bool isOfLanes(ArrayRef<simt::DebugValueOp> assigned, const ShapeAnalysis &shapes) {
  bool inLoop = false;
  mlir::Operation *first = divergence(assigned.front(), shapes, inLoop);
  return any_of(assigned, [&](simt::DebugValueOp op) {
    return !shapes.isUniform(op.getValue()) || divergence(op, shapes, inLoop) != first || inLoop;
  });
}

void ShownVariables::prepare() {
  if (!code.lines.hasVariables())
    return;
  DIBuilder &di = code.lines.di();
  declareArguments();
  declareShared();
  Type *i32 = b.getInt32Ty();
  block = b.entryAlloca(i32, "block_idx");
  thread = b.entryAlloca(b.widen(i32), "thread_idx");
  lane = b.entryAlloca(b.widen(i32), "lane");
  if (lanes.width > 1)
    active = b.entryAlloca(b.widen(b.getInt8Ty()), "active");
  declareThread(code.lines.taskScope());
  DenseSet<DILocation *> calls;
  code.task.walk([&](mlir::Operation *op) {
    DebugLines::Scope in = code.lines.scopeOf(op->getLoc());
    while (in.inlinedAt && calls.insert(in.inlinedAt).second) {
      declareThread(in);
      in = {in.inlinedAt->getScope(), in.inlinedAt->getInlinedAt()};
    }
  });

  // A frame with all places. If chunks wait for one another, each chunk has one.
  MapVector<unsigned, SmallVector<simt::DebugValueOp>> byVariable;
  code.task.walk([&](simt::DebugValueOp op) { byVariable[op.getVariable()].push_back(op); });
  if (byVariable.empty())
    return;
  frame = b.entryAlloca(b.getPtrTy(), "frame");
  for (auto &[number, assigned] : byVariable) {
    simt::DebugValueOp op = assigned.front();
    unsigned bytes = bytesOf(op.getShown());
    SmallVector<uint64_t> shape = extentsOf(op.getRows(), op.getCols());
    Place &place = places[number];
    place.isOfLanes = lanes.width > 1 && isOfLanes(assigned, values.shapes);
    place.bytes = bytes;
    if (place.isOfLanes) {
      shape.push_back(lanes.width);
      place.bytes *= lanes.width;
    }
    place.offset = frameBytes = alignTo(frameBytes, bytes);
    frameBytes += uint64_t(place.bytes) * op.getRows() * op.getCols();
    mlir::Location declared = cast<mlir::LocationAttr>(op.getDeclared());
    DebugLines::Scope in = code.lines.scopeOf(declared);
    DIType *type = arrayOf(scalarOf(op.getShown(), di), bytes, shape, di);
    DIFile *file = code.lines.fileOf(declared);
    unsigned line = code.lines.lineOf(declared), parameter = simt::getParameter(op);
    auto *variable =
        parameter
            ? di.createParameterVariable(in.scope, op.getName(), parameter, file, line, type, true)
            : di.createAutoVariable(in.scope, op.getName(), file, line, type, true);
    declareAt(frame, place.offset, variable, in);
  }
  frameBytes = alignTo(frameBytes, 8);
  unsigned count = containsBarrier(code.task) ? lanes.chunks() : 1;
  frames = b.entryAlloca(ArrayType::get(b.getInt64Ty(), frameBytes / 8), "frames", count);
  b.CreateStore(frames, frame);
}

//===--- What code keeps up to date ----------------------------------------===//

void ShownVariables::showBlock() {
  if (block)
    b.CreateStore(code.blockIndex, block);
}

void ShownVariables::showChunk() {
  if (!block)
    return;
  Value *number = b.CreateAdd(b.splat(code.threadBase), b.iota(b.getInt32Ty()));
  b.CreateStore(number, thread);
  b.CreateStore(b.CreateAnd(number, b.splat(b.getInt32(lanes.wave - 1))), lane);
  if (frame && containsBarrier(code.task)) {
    Value *offset = b.CreateMul(b.CreateZExt(code.chunk, b.getInt64Ty()), b.getInt64(frameBytes));
    b.CreateStore(b.CreateGEP(b.getInt8Ty(), frames, offset), frame);
  }
}

void ShownVariables::showMask() {
  if (active)
    b.CreateStore(b.CreateZExt(b.maskVector(), b.widen(b.getInt8Ty())), active);
}

void ShownVariables::emitDebugValue(simt::DebugValueOp op) {
  auto found = places.find(op.getVariable());
  if (found == places.end())
    return;
  const Place &place = found->second;
  Value *value = place.isOfLanes ? values.vector(op.getValue()) : values.scalar(op.getValue());
  if (value->getType()->getScalarType()->isIntegerTy(1))
    value = b.CreateZExt(value, value->getType()->getWithNewBitWidth(8));
  Value *address = b.CreateConstGEP1_64(b.getInt8Ty(), b.CreateLoad(b.getPtrTy(), frame),
                                        place.offset + uint64_t(place.bytes) * op.getComponent());
  Align align(bytesOf(op.getShown()));
  if (place.isOfLanes) // the lanes that are off keep theirs
    value = b.whereActive(value, b.CreateAlignedLoad(value->getType(), address, align));
  b.CreateAlignedStore(value, address, align);
}
