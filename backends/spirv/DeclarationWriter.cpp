// Blocks of arrays, the table of addresses, push constants, and arrays of the block and the thread.
#include "backends/spirv/DeclarationWriter.h"
#include "backends/spirv/BufferUse.h"
#include "backends/spirv/Marks.h"
#include "loader/abi/BindingLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

/// The number of storage buffers that every Vulkan device can bind to a stage.
static constexpr unsigned bufferLimit = 4;

//===--- Blocks ------------------------------------------------------------===//

namespace {

enum BlockFlags : uint32_t { NonWritable = 1, Coherent = 2, Volatile = 4 };

} // namespace

/// A block of one run-time array. Drivers know the decorations best on the member, where GLSL's
/// compilers put them.
Id DeclarationWriter::blockType(Id element, unsigned width, uint32_t flags) {
  Id &block = module.blocks[{element, flags}];
  if (block)
    return block;
  Id &array = module.arrays[element];
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

Id DeclarationWriter::declareBlock(const Memory &memory, Id element, unsigned width,
                                   uint32_t flags) {
  const Id type = blockType(element, width, flags);
  if (memory.storage == spv::StorageClassPhysicalStorageBuffer) {
    const Id pointer = w.pointerType(memory.storage, type);
    return keepsAddresses() ? addressOf(memory.binding, pointer) : pointer;
  }
  Id variable = w.variable(memory.storage, type);
  w.decorate(variable, spv::DecorationDescriptorSet, {0});
  w.decorate(variable, spv::DecorationBinding, {memory.binding});
  w.decorate(variable, spv::DecorationAliased);
  return variable;
}

/// Returns the table as an array of pointers of that type. Nothing writes the table, so drivers may
/// read it once.
Id DeclarationWriter::tableOf(Id pointer) {
  Id &table = module.tables[pointer];
  if (table)
    return table;
  table = w.variable(spv::StorageClassStorageBuffer, blockType(pointer, 64, NonWritable));
  w.decorate(table, spv::DecorationDescriptorSet, {0});
  w.decorate(table, spv::DecorationBinding, {0});
  w.decorate(table, spv::DecorationRestrict);
  return table;
}

Id DeclarationWriter::addressOf(uint32_t array, Id type) {
  const Id at = w.op(spv::OpAccessChain, w.pointerType(spv::StorageClassStorageBuffer, type),
                     {tableOf(type), w.u32(0), w.u32(array)});
  return w.op(spv::OpLoad, type, {at});
}

bool DeclarationWriter::keepsAddresses() const {
  constexpr long mostKept = 8;
  return count_if(code.source.getArguments(), [](mlir::BlockArgument argument) {
           return isa<simt::BufferType>(argument.getType()) && !argument.use_empty();
         }) <= mostKept;
}

/// Declares the buffer as each type that it is accessed as. All of these are the same memory, so
/// what the task does by one of them is said of all.
void DeclarationWriter::declareBuffer(mlir::Value buffer, uint32_t binding) {
  SmallVector<mlir::Value> views{buffer};
  for (mlir::Operation *user : buffer.getUsers())
    if (auto view = dyn_cast<simt::ViewOp>(user))
      views.push_back(view);
  BufferUse all;
  for (mlir::Value view : views) {
    const BufferUse use = useOf(view, module.options);
    all.loads |= use.loads;
    all.writes |= use.writes;
    all.isVolatile |= use.isVolatile;
  }
  // Drivers keep what is not written in caches that writes to another array, which may be the same
  // memory, pass by, also if it is Aliased: seen in a loop on an H200, driver 580.
  uint32_t flags = all.writes || takesTable() || readInRounds.contains(buffer) ? 0 : NonWritable;
  // A thread that waits for another's write must not find an old value in a cache.
  if (all.loads && all.writes && ordersMemory(code.source))
    flags |= Coherent;
  if (all.isVolatile)
    flags |= Coherent | Volatile;
  for (mlir::Value view : views)
    declareView(view, flags, binding);
}

void DeclarationWriter::declareView(mlir::Value buffer, uint32_t flags, uint32_t binding) {
  const BufferUse use = useOf(buffer, module.options);
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
    memory.words = declareBlock(memory, w.u32Type(), 32, flags);
  const unsigned width = memory.element.getIntOrFloatBitWidth();
  if (use.plain || (use.atomics && !memory.words))
    memory.variable = declareBlock(memory, memoryType(memory, w), width, flags);
  for (unsigned count : use.vectors)
    memory.vectors[count] = declareBlock(
        memory, memoryVector(bufferType(buffer).getElementType(), count, w), width * count, flags);
  declareAliases(buffer, memory);
  code.memories[buffer] = memory;
}

void DeclarationWriter::declareAliases(mlir::Value buffer, Memory &memory) {
  for (mlir::Operation *user : buffer.getUsers()) {
    auto name = user->getAttrOfType<mlir::StringAttr>(marks::alias);
    if (!name)
      continue;
    Id &variable = memory.aliases[name.str()];
    if (variable)
      continue;
    const unsigned width = memory.element.getIntOrFloatBitWidth();
    variable = declareBlock(memory, memoryType(memory, w), width, 0);
    w.name(variable, name.str() + std::to_string(memory.binding));
  }
}

/// The struct of all scalar arguments. Narrow ones and halves take 32 bits.
void DeclarationWriter::declareValues() {
  std::vector<Id> members;
  std::vector<uint32_t> offsets;
  abi::BindingPlaces places;
  for (mlir::Type type : code.source.getArgumentTypes()) {
    if (isa<simt::BufferType>(type)) {
      places.addBuffer();
      continue;
    }
    unsigned width = std::max(32u, type.getIntOrFloatBitWidth());
    bool asIs = type.getIntOrFloatBitWidth() == width;
    members.push_back(asIs ? w.typeOf(type) : w.u32Type());
    offsets.push_back(places.addValue(width / 8));
  }
  Id type = w.structType(members);
  w.decorate(type, spv::DecorationBlock);
  for (auto [number, offset] : llvm::enumerate(offsets))
    w.decorateMember(type, number, spv::DecorationOffset, {offset});
  if (places.valueBytes() <= abi::BindingPlaces::mostPushBytes) {
    module.values = w.variable(spv::StorageClassPushConstant, type);
    return;
  }
  for (uint32_t number = 0; number < members.size(); ++number)
    w.decorateMember(type, number, spv::DecorationNonWritable);
  module.valueStorage = spv::StorageClassStorageBuffer;
  module.values = w.variable(spv::StorageClassStorageBuffer, type);
  w.decorate(module.values, spv::DecorationDescriptorSet, {0});
  w.decorate(module.values, spv::DecorationBinding, {takesTable() ? 1 : places.buffers()});
}

Id DeclarationWriter::loadArgument(mlir::Value argument, uint32_t member) {
  mlir::Type type = argument.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Id memory = width < 32 ? w.u32Type() : w.typeOf(type);
  Id at = w.op(spv::OpAccessChain, w.pointerType(module.valueStorage, memory),
               {module.values, w.u32(member)});
  Id value = w.op(spv::OpLoad, memory, {at});
  if (width == 1)
    return w.op(spv::OpINotEqual, w.boolType(), {value, w.u32(0)});
  if (type.isF16())
    return w.bitcast(value, integerLike(type), type);
  return value;
}

void DeclarationWriter::arguments() {
  if (takesTable()) {
    w.physicalAddresses(); // tells the loader, too
    w.require(abi::VulkanFeature::BufferAddresses);
  }
  readInRounds = readInWritingLoops(code.source);
  abi::BindingPlaces places;
  uint32_t member = 0;
  for (mlir::BlockArgument argument : code.source.getArguments()) {
    if (isa<simt::BufferType>(argument.getType())) {
      uint32_t binding = places.addBuffer();
      if (!argument.use_empty())
        declareBuffer(argument, binding);
      continue;
    }
    if (!argument.use_empty()) {
      if (!module.values)
        declareValues();
      code.values[argument] = loadArgument(argument, member);
    }
    ++member;
  }
  uint32_t buffers = takesTable() ? 1 : places.buffers();
  if (module.valueStorage == spv::StorageClassStorageBuffer)
    ++buffers;
  if (buffers > bufferLimit)
    w.require(std::string(abi::numbers::storageBuffers) + ">=" + std::to_string(buffers));
}

void DeclarationWriter::array(mlir::Value array) {
  simt::BufferType type = bufferType(array);
  Memory memory;
  memory.element = type.getElementType();
  memory.wide = isNarrowInteger(memory.element);
  bool isShared = type.getSpace() == simt::Space::Shared;
  memory.storage = isShared ? spv::StorageClassWorkgroup : spv::StorageClassFunction;
  if (isPackedShared(array, code.source, module.options)) {
    const uint64_t bits = uint64_t(type.getCount()) * memory.element.getIntOrFloatBitWidth();
    memory.words = w.variable(spv::StorageClassWorkgroup,
                              w.arrayType(w.u32Type(), uint32_t(divideCeil(bits, 32))));
    code.memories[array] = memory;
    return;
  }
  memory.asBits = useOf(array, module.options).asBits;
  Id arrayType =
      w.arrayType(memoryType(memory, w), uint32_t(std::max<int64_t>(type.getCount(), 1)));
  memory.variable =
      isShared ? w.variable(spv::StorageClassWorkgroup, arrayType) : w.localVariable(arrayType);
  code.memories[array] = memory;
}
