// Pointers to elements, loads and stores, of vectors too, and elements that share a word.
#include "backends/spirv/MemoryWriter.h"
#include "backends/spirv/BufferUse.h"
#include "backends/spirv/ControlFlow.h"
#include "backends/spirv/Marks.h"
#include "backends/spirv/ThreadWriter.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

static spv::Scope accessScope(simt::BufferType type) {
  return type.getSpace() == simt::Space::Shared ? spv::ScopeWorkgroup : spv::ScopeDevice;
}

//===--- Places ------------------------------------------------------------===//

/// Returns the pointer to the block of a buffer.
Id MemoryWriter::blockOf(const Memory &memory, Id declared) {
  const bool reads =
      memory.storage == spv::StorageClassPhysicalStorageBuffer && !declarations.keepsAddresses();
  return reads ? declarations.addressOf(memory.binding, declared) : declared;
}

/// The index has 32 bits, unless bindings may have more elements than these can count.
Id MemoryWriter::elementIndex(mlir::Value index) {
  return index.getType().isInteger(64) && !module.options.wideIndices
             ? w.op(spv::OpUConvert, w.u32Type(), {get(index)})
             : get(index);
}

/// The index of the word of 32 bits that holds an element, of which it holds 2 or 4.
Id MemoryWriter::wordIndex(mlir::Value index, unsigned log2Elements) {
  const unsigned width = index.getType().isInteger(64) && module.options.wideIndices ? 64 : 32;
  const Id type = w.intType(width);
  return w.op(spv::OpShiftRightLogical, type,
              {elementIndex(index), w.constant(type, width, log2Elements)});
}

Id MemoryWriter::pointer(mlir::Value buffer, mlir::Value index) {
  return pointerAt(buffer, elementIndex(index));
}

Id MemoryWriter::pointerAt(mlir::Value buffer, Id at) {
  const Memory &memory = code.memories[buffer];
  SmallVector<uint32_t> operands{blockOf(memory, memory.variable)};
  if (bufferType(buffer).getSpace() == simt::Space::Global)
    operands.push_back(w.u32(0));
  operands.push_back(at);
  return w.op(spv::OpAccessChain, w.pointerType(memory.storage, memoryType(memory, w)), operands);
}

/// Appends the memory operands of a plain access. Accesses through a physical address must state
/// their alignment.
void MemoryWriter::addAccess(SmallVectorImpl<uint32_t> &operands, const Memory &memory,
                             bool isVolatile, simt::Cache cache, unsigned count) {
  const bool tells = memory.storage == spv::StorageClassPhysicalStorageBuffer;
  const bool streams = cache == simt::Cache::Stream;
  if (!isVolatile && !tells && !streams)
    return;
  operands.push_back((isVolatile ? uint32_t(spv::MemoryAccessVolatileMask) : 0) |
                     (tells ? uint32_t(spv::MemoryAccessAlignedMask) : 0) |
                     (streams ? uint32_t(spv::MemoryAccessNontemporalMask) : 0));
  if (tells)
    operands.push_back(memory.element.getIntOrFloatBitWidth() / 8 * count);
}

Id MemoryWriter::load(simt::LoadOp op) {
  mlir::Value buffer = op.getBuffer();
  const Memory &memory = code.memories[buffer];
  if (isPacked(memory)) {
    Id value = loadPart(buffer, op.getIndex());
    if (op->hasAttr(marks::fenced))
      fence(simt::Scope::Block, allMemory, w);
    return value;
  }
  if (op.getVolatile_() && isAtomicAccess(op, bufferType(buffer))) {
    Id at = pointer(buffer, op.getIndex());
    Id value = w.op(spv::OpAtomicLoad, memoryType(memory, w),
                    {at, w.u32(accessScope(bufferType(buffer))), w.u32(0)});
    if (op->hasAttr(marks::fenced))
      fence(simt::Scope::Block, allMemory, w);
    return fromMemory(value, memory, w);
  }
  SmallVector<uint32_t> operands{pointer(buffer, op.getIndex())};
  addAccess(operands, memory, op.getVolatile_(), op.getCache());
  return fromMemory(w.op(spv::OpLoad, memoryType(memory, w), operands), memory, w);
}

void MemoryWriter::store(simt::StoreOp op) {
  if (auto alias = op->getAttrOfType<mlir::StringAttr>(marks::alias))
    return storeToAlias(op, alias);
  mlir::Value buffer = op.getBuffer();
  if (isPacked(code.memories[buffer]))
    return storePart(op);
  Id value = get(op.getValue()), at = pointer(buffer, op.getIndex());
  if (op.getVolatile_() && isAtomicAccess(op, bufferType(buffer)))
    return w.effect(spv::OpAtomicStore, {at, w.u32(spv::ScopeDevice), w.u32(0),
                                         toMemory(value, code.memories[buffer], w)});
  SmallVector<uint32_t> operands{at, toMemory(value, code.memories[buffer], w)};
  addAccess(operands, code.memories[buffer], op.getVolatile_(), op.getCache());
  w.effect(spv::OpStore, operands);
}

Id MemoryWriter::vectorPointer(mlir::Value buffer, mlir::Value index, size_t count) {
  const Memory &memory = code.memories[buffer];
  const Id type =
      w.pointerType(memory.storage, memoryVector(bufferType(buffer).getElementType(), count, w));
  const Id block = blockOf(memory, memory.vectors.at(unsigned(count)));
  return w.op(spv::OpAccessChain, type, {block, w.u32(0), elementIndex(index)});
}

void MemoryWriter::loadVector(simt::LoadVectorOp op) {
  const size_t count = op.getNumResults();
  SmallVector<uint32_t> operands{vectorPointer(op.getBuffer(), op.getIndex(), count)};
  addAccess(operands, code.memories[op.getBuffer()], false, op.getCache(), unsigned(count));
  const Id whole = w.op(
      spv::OpLoad, memoryVector(bufferType(op.getBuffer()).getElementType(), count, w), operands);
  for (auto [k, element] : enumerate(op.getElements()))
    code.values[element] = w.op(spv::OpCompositeExtract, w.typeOf(element), {whole, uint32_t(k)});
}

void MemoryWriter::storeVector(simt::StoreVectorOp op) {
  SmallVector<uint32_t> parts;
  for (mlir::Value value : op.getValues())
    parts.push_back(get(value));
  const Id at = vectorPointer(op.getBuffer(), op.getIndex(), parts.size());
  SmallVector<uint32_t> operands{
      at, w.op(spv::OpCompositeConstruct,
               memoryVector(bufferType(op.getBuffer()).getElementType(), parts.size(), w), parts)};
  addAccess(operands, code.memories[op.getBuffer()], false, op.getCache(), unsigned(parts.size()));
  w.effect(spv::OpStore, operands);
}

void MemoryWriter::storeToAlias(simt::StoreOp op, StringRef alias) {
  const Memory &memory = code.memories[op.getBuffer()];
  Id at = w.op(spv::OpAccessChain, w.pointerType(memory.storage, memoryType(memory, w)),
               {memory.aliases.at(alias.str()), w.u32(0), elementIndex(op.getIndex())});
  w.effect(spv::OpStore, {at, get(op.getValue())});
}

/// An integer of 64 bits.
Id MemoryWriter::address(simt::AddressOp op) {
  const Memory &memory = code.memories[op.getBuffer()];
  const Id type = w.typeOf(op.getBytes());
  if (simt::constantInteger(op.getIndex()) == 0)
    return declarations.addressOf(memory.binding, type);
  const Id bytes = w.constant(type, 64, memory.element.getIntOrFloatBitWidth() / 8);
  Id index = get(op.getIndex());
  if (!op.getIndex().getType().isInteger(64))
    index = w.op(spv::OpSConvert, type, {index});
  const Id begin = declarations.addressOf(memory.binding, type);
  return w.op(spv::OpIAdd, type, {begin, w.op(spv::OpIMul, type, {index, bytes})});
}

//===--- Elements that share a word ----------------------------------------===//

WordPart MemoryWriter::partOf(mlir::Value buffer, mlir::Value at) {
  const Memory &memory = code.memories[buffer];
  Id index = get(at);
  if (at.getType().isInteger(64))
    index = w.op(spv::OpUConvert, w.u32Type(), {index});
  unsigned width = memory.element.getIntOrFloatBitWidth();
  bool isByte = width == 8;
  Id word = wordIndex(at, isByte ? 2 : 1);
  Id place = w.op(spv::OpBitwiseAnd, w.u32Type(), {index, w.u32(isByte ? 3 : 1)});
  Id offset = w.op(spv::OpShiftLeftLogical, w.u32Type(), {place, w.u32(isByte ? 3 : 4)});
  SmallVector<uint32_t> path{blockOf(memory, memory.words)};
  if (!isPacked(memory))
    path.push_back(w.u32(0)); // the block's member
  path.push_back(word);
  Id pointer = w.op(spv::OpAccessChain, w.pointerType(memory.storage, w.u32Type()), path);
  return {pointer, offset, width};
}

/// Loads an element of a packed array. Other lanes may be storing its neighbours.
Id MemoryWriter::loadPart(mlir::Value array, mlir::Value index) {
  WordPart part = partOf(array, index);
  Id word =
      w.op(spv::OpAtomicLoad, w.u32Type(), {part.pointer, w.u32(spv::ScopeWorkgroup), w.u32(0)});
  mlir::Type type = code.memories[array].element;
  return type.isF16() ? w.bitcast(partIn(word, part), integerLike(type), type) : partIn(word, part);
}

/// Stores an element of a packed array, and leaves its neighbours as they are.
void MemoryWriter::storePart(simt::StoreOp op) {
  WordPart part = partOf(op.getBuffer(), op.getIndex());
  mlir::Type type = code.memories[op.getBuffer()].element;
  Id value = get(op.getValue());
  Id bits = type.isF16() ? w.bitcast(value, type, integerLike(type)) : value;
  casLoop(w, part.pointer, w.u32Type(), w.u32(spv::ScopeWorkgroup),
          [&](Id word) { return withPart(word, bits, part); });
}

Id MemoryWriter::partIn(Id word, const WordPart &part) {
  return w.op(spv::OpBitFieldUExtract, w.u32Type(), {word, part.offset, w.u32(part.width)});
}

Id MemoryWriter::withPart(Id word, Id bits, const WordPart &part) {
  return w.op(spv::OpBitFieldInsert, w.u32Type(), {word, bits, part.offset, w.u32(part.width)});
}
