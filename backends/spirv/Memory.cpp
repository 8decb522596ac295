// Arguments as descriptors and push constants, arrays of the block and of the thread, and plain
// accesses to all of them.
#include "backends/spirv/Features.h"
#include "backends/spirv/Marks.h"
#include "backends/spirv/Task.h"
#include "loader/abi/BindingLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

/// The number of storage buffers that every Vulkan device can bind to a stage.
static constexpr unsigned bufferLimit = 4;

static simt::BufferType bufferType(mlir::Value buffer) {
  return cast<simt::BufferType>(buffer.getType());
}

//===--- What is done with a buffer ----------------------------------------===//

namespace {

struct BufferUse {
  bool loads = false, writes = false, isVolatile = false, asBits = false;
  bool plain = false;                  ///< loads or stores among them
  bool atomics = false;                ///< others among them
  SmallSetVector<unsigned, 2> vectors; ///< lengths of vectors that are loaded or stored
};

} // namespace

/// True if a volatile access becomes a relaxed atomic, which exists for 32 bits. In shared memory
/// `volatile` is not reliable: Metal does not have it there, and NVIDIA's Vulkan driver removes a
/// loop that only waits for such a load.
static bool isAtomicAccess(mlir::Operation *access, simt::BufferType type) {
  if (type.getSpace() == simt::Space::Shared)
    return type.getElementType().getIntOrFloatBitWidth() <= 32;
  return access->hasAttr(marks::relaxedAtomic);
}

static spv::Scope accessScope(simt::BufferType type) {
  return type.getSpace() == simt::Space::Shared ? spv::ScopeWorkgroup : spv::ScopeDevice;
}

static BufferUse useOf(mlir::Value buffer, const SpirvOptions &options) {
  BufferUse use;
  simt::BufferType type = bufferType(buffer);
  bool isFloat = isa<mlir::FloatType>(type.getElementType());
  auto noteVolatile = [&](mlir::Operation *access) {
    if (isAtomicAccess(access, type))
      use.asBits |= isFloat;
    else
      use.isVolatile = true;
  };
  for (mlir::Operation *user : buffer.getUsers()) {
    if (auto load = dyn_cast<simt::LoadOp>(user)) {
      use.loads = use.plain = true;
      if (load.getVolatile_())
        noteVolatile(load);
    } else if (auto store = dyn_cast<simt::StoreOp>(user)) {
      use.writes = use.plain = true;
      if (store.getVolatile_())
        noteVolatile(store);
    } else if (auto vector = dyn_cast<simt::LoadVectorOp>(user)) {
      use.loads = true;
      use.vectors.insert(vector.getNumResults());
    } else if (auto vector = dyn_cast<simt::StoreVectorOp>(user)) {
      use.writes = true;
      use.vectors.insert(unsigned(vector.getValues().size()));
    } else if (!isa<simt::ViewOp>(user)) {
      use.writes = use.atomics = true;
      auto rmw = dyn_cast<simt::AtomicRmwOp>(user);
      use.asBits |= isFloat && rmw && !isNativeOnReals(rmw, options);
    }
  }
  return use;
}

bool sextant::spirv::holdsBits(mlir::Value buffer, const SpirvOptions &options) {
  return useOf(buffer, options).asBits;
}

/// True if threads of the task may wait for each other's writes.
static bool ordersMemory(mlir::func::FuncOp task) {
  return task
      .walk([&](mlir::Operation *op) {
        return isa<simt::FenceOp>(op) || (isa<simt::BarrierOp>(op) && !op->hasAttr(marks::coherent))
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

//===--- Types in memory ---------------------------------------------------===//

mlir::Type TaskEmitter::integerLike(mlir::Type type) {
  return mlir::IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
}

Id TaskEmitter::memoryType(const Memory &memory) {
  mlir::Type type = memory.asBits ? integerLike(memory.element) : memory.element;
  unsigned width = type.getIntOrFloatBitWidth();
  const bool isBuffer = memory.storage == spv::StorageClassStorageBuffer ||
                        memory.storage == spv::StorageClassPhysicalStorageBuffer;
  if (!isBuffer || width > 16)
    return typeOf(type);
  if (width == 8) {
    w.capability(spv::CapabilityStorageBuffer8BitAccess);
    w.extension("SPV_KHR_8bit_storage");
    require(abi::VulkanFeature::Storage8);
  } else {
    w.capability(spv::CapabilityStorageBuffer16BitAccess);
    require(abi::VulkanFeature::Storage16);
  }
  return isa<mlir::FloatType>(type) ? typeOf(type) : w.intType(width);
}

Id TaskEmitter::toMemory(Id value, const Memory &memory) {
  if (memory.asBits)
    return bitcastId(value, memory.element, integerLike(memory.element));
  if (isNarrowInteger(memory.element) && !memory.wide)
    return w.op(spv::OpUConvert, memoryType(memory), {value});
  return value;
}

Id TaskEmitter::fromMemory(Id value, const Memory &memory) {
  if (memory.asBits)
    return bitcastId(value, integerLike(memory.element), memory.element);
  if (isNarrowInteger(memory.element) && !memory.wide)
    return w.op(spv::OpUConvert, u32Type(), {value});
  return value;
}

//===--- Arguments ---------------------------------------------------------===//

namespace {

enum BlockFlags : uint32_t { NonWritable = 1, Coherent = 2, Volatile = 4 };

} // namespace

/// A block of one run-time array. Drivers know the decorations best on the member, where GLSL's
/// compilers put them.
Id TaskEmitter::blockType(Id element, unsigned width, uint32_t flags) {
  Id &block = state.blocks[{element, flags}];
  if (block)
    return block;
  Id &array = state.arrays[element];
  if (!array) {
    array = w.unique(spv::OpTypeRuntimeArray, {element});
    w.decorate(array, spv::DecorationArrayStride, {width / 8});
  }
  block = w.structType({array});
  w.decorate(block, spv::DecorationBlock);
  w.decorateMember(block, 0, spv::DecorationOffset, {0});
  if (flags & NonWritable)
    w.decorateMember(block, 0, spv::DecorationNonWritable);
  if (flags & Coherent)
    w.decorateMember(block, 0, spv::DecorationCoherent);
  if (flags & Volatile)
    w.decorateMember(block, 0, spv::DecorationVolatile);
  return block;
}

Id TaskEmitter::declareBlock(const Memory &memory, Id element, unsigned width, uint32_t flags) {
  const Id type = blockType(element, width, flags);
  if (memory.storage == spv::StorageClassPhysicalStorageBuffer)
    return w.pointerType(memory.storage, type);
  Id variable = w.variable(memory.storage, type);
  w.decorate(variable, spv::DecorationDescriptorSet, {0});
  w.decorate(variable, spv::DecorationBinding, {memory.binding});
  w.decorate(variable, spv::DecorationAliased);
  return variable;
}

/// Returns the table as an array of pointers of that type. Nothing writes the table, so drivers may
/// read it once.
Id TaskEmitter::tableOf(Id pointer) {
  Id &table = state.tables[pointer];
  if (table)
    return table;
  table = w.variable(spv::StorageClassStorageBuffer, blockType(pointer, 64, NonWritable));
  w.decorate(table, spv::DecorationDescriptorSet, {0});
  w.decorate(table, spv::DecorationBinding, {0});
  w.decorate(table, spv::DecorationRestrict);
  return table;
}

/// Returns the pointer to the block of a buffer. With a table, it is read at each access: of many
/// arrays, not all addresses fit in registers.
Id TaskEmitter::blockOf(const Memory &memory, Id declared) {
  if (memory.storage != spv::StorageClassPhysicalStorageBuffer)
    return declared;
  Id at = w.op(spv::OpAccessChain, w.pointerType(spv::StorageClassStorageBuffer, declared),
               {tableOf(declared), u32(0), u32(memory.binding)});
  return w.op(spv::OpLoad, declared, {at});
}

/// Declares the buffer as each type that it is accessed as. All of these are the same memory, so
/// what the task does by one of them is said of all.
void TaskEmitter::declareBuffer(mlir::Value buffer, uint32_t binding) {
  SmallVector<mlir::Value> views{buffer};
  for (mlir::Operation *user : buffer.getUsers())
    if (auto view = dyn_cast<simt::ViewOp>(user))
      views.push_back(view);
  BufferUse all;
  for (mlir::Value view : views) {
    const BufferUse use = useOf(view, state.options);
    all.loads |= use.loads;
    all.writes |= use.writes;
    all.isVolatile |= use.isVolatile;
  }
  uint32_t flags = all.writes ? 0 : NonWritable;
  // A thread that waits for another's write must not find an old value in a cache.
  if (all.loads && all.writes && ordersMemory(source))
    flags |= Coherent;
  if (all.isVolatile)
    flags |= Coherent | Volatile;
  for (mlir::Value view : views)
    declareView(view, flags, binding);
}

void TaskEmitter::declareView(mlir::Value buffer, uint32_t flags, uint32_t binding) {
  const BufferUse use = useOf(buffer, state.options);
  Memory memory;
  memory.element = bufferType(buffer).getElementType();
  memory.binding = binding;
  if (takesTable())
    memory.storage = spv::StorageClassPhysicalStorageBuffer;
  bool isHalf = memory.element.isF16();
  memory.asBits = use.asBits && !isHalf;
  // No device can swap 8 or 16 bits in a loop. A buffer that has only such accesses needs no
  // elements of that size.
  if ((isHalf && use.asBits) || (isNarrowInteger(memory.element) && use.atomics))
    memory.words = declareBlock(memory, u32Type(), 32, flags);
  const unsigned width = memory.element.getIntOrFloatBitWidth();
  if (use.plain || (use.atomics && !memory.words))
    memory.variable = declareBlock(memory, memoryType(memory), width, flags);
  for (unsigned count : use.vectors)
    memory.vectors[count] = declareBlock(memory, vectorType(buffer, count), width * count, flags);
  declareAliases(buffer, memory);
  memories[buffer] = memory;
}

void TaskEmitter::declareAliases(mlir::Value buffer, Memory &memory) {
  for (mlir::Operation *user : buffer.getUsers()) {
    auto name = user->getAttrOfType<mlir::StringAttr>(marks::alias);
    if (!name)
      continue;
    Id &variable = memory.aliases[name.str()];
    if (variable)
      continue;
    const unsigned width = memory.element.getIntOrFloatBitWidth();
    variable = declareBlock(memory, memoryType(memory), width, 0);
    w.name(variable, name.str() + std::to_string(memory.binding));
  }
}

/// The struct of all scalar arguments. Narrow ones and halves take 32 bits.
void TaskEmitter::declareValues() {
  std::vector<Id> members;
  std::vector<uint32_t> offsets;
  abi::BindingPlaces places;
  for (mlir::Type type : source.getArgumentTypes()) {
    if (isa<simt::BufferType>(type)) {
      places.addBuffer();
      continue;
    }
    unsigned width = std::max(32u, type.getIntOrFloatBitWidth());
    bool asIs = type.getIntOrFloatBitWidth() == width;
    members.push_back(asIs ? typeOf(type) : u32Type());
    offsets.push_back(places.addValue(width / 8));
  }
  Id type = w.structType(members);
  w.decorate(type, spv::DecorationBlock);
  for (auto [number, offset] : llvm::enumerate(offsets))
    w.decorateMember(type, number, spv::DecorationOffset, {offset});
  if (places.valueBytes() <= abi::BindingPlaces::mostPushBytes) {
    state.values = w.variable(spv::StorageClassPushConstant, type);
    return;
  }
  for (uint32_t number = 0; number < members.size(); ++number)
    w.decorateMember(type, number, spv::DecorationNonWritable);
  state.valueStorage = spv::StorageClassStorageBuffer;
  state.values = w.variable(spv::StorageClassStorageBuffer, type);
  w.decorate(state.values, spv::DecorationDescriptorSet, {0});
  w.decorate(state.values, spv::DecorationBinding, {takesTable() ? 1 : places.buffers()});
}

Id TaskEmitter::loadArgument(mlir::Value argument, uint32_t member) {
  mlir::Type type = argument.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Id memory = width < 32 ? u32Type() : typeOf(type);
  Id at = w.op(spv::OpAccessChain, w.pointerType(state.valueStorage, memory),
               {state.values, u32(member)});
  Id value = w.op(spv::OpLoad, memory, {at});
  if (width == 1)
    return w.op(spv::OpINotEqual, w.boolType(), {value, u32(0)});
  if (type.isF16())
    return bitcastId(value, integerLike(type), type);
  return value;
}

void TaskEmitter::declareArguments() {
  if (takesTable()) {
    w.physicalAddresses(); // tells the loader, too
    require(abi::VulkanFeature::BufferAddresses);
  }
  abi::BindingPlaces places;
  uint32_t member = 0;
  for (mlir::BlockArgument argument : source.getArguments()) {
    if (isa<simt::BufferType>(argument.getType())) {
      uint32_t binding = places.addBuffer();
      if (!argument.use_empty())
        declareBuffer(argument, binding);
      continue;
    }
    if (!argument.use_empty()) {
      if (!state.values)
        declareValues();
      values[argument] = loadArgument(argument, member);
    }
    ++member;
  }
  uint32_t buffers = takesTable() ? 1 : places.buffers();
  if (state.valueStorage == spv::StorageClassStorageBuffer)
    ++buffers;
  if (buffers > bufferLimit)
    require(std::string(abi::numbers::storageBuffers) + ">=" + std::to_string(buffers));
}

//===--- Arrays ------------------------------------------------------------===//

/// True if the elements cannot be accessed as they are.
static bool isNarrowInShared(simt::SharedOp op, const SpirvOptions &options) {
  mlir::Type element = op.getType().getElementType();
  return isNarrowInteger(element) || (element.isF16() && holdsBits(op, options));
}

/// The bytes of the task's shared arrays, in which narrow elements take 32 bits or their own width.
static uint64_t sharedBytesOf(mlir::func::FuncOp task, const SpirvOptions &options, bool packs) {
  uint64_t total = 0;
  task.walk([&](simt::SharedOp op) {
    const uint64_t width = !packs && isNarrowInShared(op, options)
                               ? 32
                               : op.getType().getElementType().getIntOrFloatBitWidth();
    total += alignTo(op.getType().getCount() * width / 8, 16);
  });
  return total;
}

/// Up to what common devices have, elements of 8 and 16 bits take 32 each, so that a store is one
/// instruction. Beyond it they share words.
static bool packsShared(mlir::func::FuncOp task, const SpirvOptions &options) {
  return sharedBytesOf(task, options, /*packs=*/false) > usualShared;
}

uint64_t sextant::spirv::sharedBytes(mlir::func::FuncOp task, const SpirvOptions &options) {
  return sharedBytesOf(task, options, packsShared(task, options));
}

void TaskEmitter::declareArray(mlir::Value array) {
  simt::BufferType type = bufferType(array);
  Memory memory;
  memory.element = type.getElementType();
  memory.wide = isNarrowInteger(memory.element);
  bool isShared = type.getSpace() == simt::Space::Shared;
  memory.storage = isShared ? spv::StorageClassWorkgroup : spv::StorageClassFunction;
  auto shared = array.getDefiningOp<simt::SharedOp>();
  if (shared && isNarrowInShared(shared, state.options) && packsShared(source, state.options)) {
    const uint64_t bits = uint64_t(type.getCount()) * memory.element.getIntOrFloatBitWidth();
    memory.words = w.variable(spv::StorageClassWorkgroup,
                              w.arrayType(u32Type(), uint32_t(divideCeil(bits, 32))));
    memories[array] = memory;
    return;
  }
  memory.asBits = useOf(array, state.options).asBits;
  Id arrayType = w.arrayType(memoryType(memory), uint32_t(std::max<int64_t>(type.getCount(), 1)));
  memory.variable =
      isShared ? w.variable(spv::StorageClassWorkgroup, arrayType) : w.localVariable(arrayType);
  memories[array] = memory;
}

//===--- Accesses ----------------------------------------------------------===//

/// Of 32 bits, unless bindings may have more elements than these can count.
Id TaskEmitter::elementIndex(mlir::Value index) {
  return index.getType().isInteger(64) && !state.options.wideIndices
             ? w.op(spv::OpUConvert, u32Type(), {get(index)})
             : get(index);
}

/// The index of the word of 32 bits that holds an element, of which it holds 2 or 4.
Id TaskEmitter::wordIndex(mlir::Value index, unsigned log2Elements) {
  const unsigned width = index.getType().isInteger(64) && state.options.wideIndices ? 64 : 32;
  const Id type = w.intType(width);
  return w.op(spv::OpShiftRightLogical, type,
              {elementIndex(index), w.constant(type, width, log2Elements)});
}

Id TaskEmitter::pointer(mlir::Value buffer, mlir::Value index) {
  const Memory &memory = memories[buffer];
  Id at = elementIndex(index);
  SmallVector<uint32_t> operands{blockOf(memory, memory.variable)};
  if (bufferType(buffer).getSpace() == simt::Space::Global)
    operands.push_back(u32(0));
  operands.push_back(at);
  return w.op(spv::OpAccessChain, w.pointerType(memory.storage, memoryType(memory)), operands);
}

/// Appends the memory operands of a plain access. Accesses through a physical address must state
/// their alignment.
void TaskEmitter::addAccess(SmallVectorImpl<uint32_t> &operands, const Memory &memory,
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

Id TaskEmitter::load(simt::LoadOp op) {
  mlir::Value buffer = op.getBuffer();
  const Memory &memory = memories[buffer];
  if (isPacked(memory)) {
    Id value = loadPart(buffer, op.getIndex());
    if (op->hasAttr(marks::fenced))
      fence(simt::Scope::Block);
    return value;
  }
  if (op.getVolatile_() && isAtomicAccess(op, bufferType(buffer))) {
    Id at = pointer(buffer, op.getIndex());
    Id value = w.op(spv::OpAtomicLoad, memoryType(memory),
                    {at, scope(accessScope(bufferType(buffer))), u32(0)});
    if (op->hasAttr(marks::fenced))
      fence(simt::Scope::Block);
    return fromMemory(value, memory);
  }
  SmallVector<uint32_t> operands{pointer(buffer, op.getIndex())};
  addAccess(operands, memory, op.getVolatile_(), op.getCache());
  return fromMemory(w.op(spv::OpLoad, memoryType(memory), operands), memory);
}

void TaskEmitter::store(simt::StoreOp op) {
  if (auto alias = op->getAttrOfType<mlir::StringAttr>(marks::alias))
    return storeToAlias(op, alias);
  mlir::Value buffer = op.getBuffer();
  if (isPacked(memories[buffer]))
    return storePart(op);
  Id value = get(op.getValue()), at = pointer(buffer, op.getIndex());
  if (op.getVolatile_() && isAtomicAccess(op, bufferType(buffer)))
    return w.effect(spv::OpAtomicStore,
                    {at, scope(spv::ScopeDevice), u32(0), toMemory(value, memories[buffer])});
  SmallVector<uint32_t> operands{at, toMemory(value, memories[buffer])};
  addAccess(operands, memories[buffer], op.getVolatile_(), op.getCache());
  w.effect(spv::OpStore, operands);
}

/// Vectors hold the elements as they are: another view of the binding may have them as bits.
Id TaskEmitter::vectorType(mlir::Value buffer, size_t count) {
  Memory plain;
  plain.element = bufferType(buffer).getElementType();
  return w.vectorType(memoryType(plain), unsigned(count));
}

Id TaskEmitter::vectorPointer(mlir::Value buffer, mlir::Value index, size_t count) {
  const Memory &memory = memories[buffer];
  const Id type = w.pointerType(memory.storage, vectorType(buffer, count));
  const Id block = blockOf(memory, memory.vectors.at(unsigned(count)));
  return w.op(spv::OpAccessChain, type, {block, u32(0), elementIndex(index)});
}

void TaskEmitter::loadVector(simt::LoadVectorOp op) {
  const size_t count = op.getNumResults();
  SmallVector<uint32_t> operands{vectorPointer(op.getBuffer(), op.getIndex(), count)};
  addAccess(operands, memories[op.getBuffer()], false, op.getCache(), unsigned(count));
  const Id whole = w.op(spv::OpLoad, vectorType(op.getBuffer(), count), operands);
  for (auto [k, element] : enumerate(op.getElements()))
    values[element] = w.op(spv::OpCompositeExtract, typeOf(element), {whole, uint32_t(k)});
}

void TaskEmitter::storeVector(simt::StoreVectorOp op) {
  SmallVector<uint32_t> parts;
  for (mlir::Value value : op.getValues())
    parts.push_back(get(value));
  const Id at = vectorPointer(op.getBuffer(), op.getIndex(), parts.size());
  SmallVector<uint32_t> operands{
      at, w.op(spv::OpCompositeConstruct, vectorType(op.getBuffer(), parts.size()), parts)};
  addAccess(operands, memories[op.getBuffer()], false, op.getCache(), unsigned(parts.size()));
  w.effect(spv::OpStore, operands);
}

void TaskEmitter::storeToAlias(simt::StoreOp op, StringRef alias) {
  const Memory &memory = memories[op.getBuffer()];
  Id at = w.op(spv::OpAccessChain, w.pointerType(memory.storage, memoryType(memory)),
               {memory.aliases.at(alias.str()), u32(0), elementIndex(op.getIndex())});
  w.effect(spv::OpStore, {at, get(op.getValue())});
}
