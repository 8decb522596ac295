// Rewrites code so that its arrays may begin anywhere in their buffers. Vulkan binds a buffer only
// at multiples of minStorageBufferOffsetAlignment. So the loader binds it at the multiple before
// the array, and this code adds the rest to each index. Only launches that need it run such code.
#include "loader/devices/vulkan/Opcodes.h"
#include "loader/devices/vulkan/Spirv.h"

#include <algorithm>
#include <bit>

namespace sextant::loader::vulkan {
namespace {

enum Decoration : uint32_t {
  Block = 2,
  ArrayStride = 6,
  NonWritable = 24,
  Binding = 33,
  DescriptorSet = 34,
  Offset = 35,
};
constexpr uint32_t storageBuffer = 12;

/// The first word of an instruction.
constexpr uint32_t head(uint32_t words, Opcode opcode) { return words << 16 | opcode; }

/// The places that the instructions below leave open: ids, and the binding's number.
enum Slot : uint32_t {
  FirstSlot = 0xffff0000, // no word of theirs is so large
  Array = FirstSlot,
  BlockType,
  BlockPointer,
  WordPointer,
  Offsets, ///< the variable
  U32,
  BindingNumber,
  Constant, ///< zero is the first
  Value,
  PlaceOfArray, ///< place of the array's offset, its constant
  Shift,        ///< from bytes to elements, its constant
  Index,
  At,
  Bytes,
  Elements,
  Sum,
  LastSlot
};
using Slots = uint32_t[LastSlot - FirstSlot];

constexpr uint32_t annotations[] = {head(4, OpDecorate),
                                    Array,
                                    ArrayStride,
                                    4,
                                    head(3, OpDecorate),
                                    BlockType,
                                    Block, //
                                    head(5, OpMemberDecorate),
                                    BlockType,
                                    0,
                                    Offset,
                                    0,
                                    head(4, OpMemberDecorate),
                                    BlockType,
                                    0,
                                    NonWritable,
                                    head(4, OpDecorate),
                                    Offsets,
                                    DescriptorSet,
                                    0,
                                    head(4, OpDecorate),
                                    Offsets,
                                    Binding,
                                    BindingNumber};
constexpr uint32_t declarations[] = {
    head(3, OpTypeRuntimeArray), Array,        U32,   //
    head(3, OpTypeStruct),       BlockType,    Array, //
    head(4, OpTypePointer),      BlockPointer, storageBuffer, BlockType,
    head(4, OpTypePointer),      WordPointer,  storageBuffer, U32,
    head(4, OpVariable),         BlockPointer, Offsets,       storageBuffer};
constexpr uint32_t constant[] = {head(4, OpConstant), U32, Constant, Value};
constexpr uint32_t access[] = {head(6, OpAccessChain),
                               WordPointer,
                               At,
                               Offsets,
                               Constant,
                               PlaceOfArray,
                               head(4, OpLoad),
                               U32,
                               Bytes,
                               At, //
                               head(5, OpShiftRightLogical),
                               U32,
                               Elements,
                               Bytes,
                               Shift,
                               head(5, OpIAdd),
                               U32,
                               Sum,
                               Index,
                               Elements};

constexpr uint32_t shifts = 5; ///< from bytes to elements: 0 to 4

/// The facts that a module states about an id.
struct About {
  uint32_t binding = UINT32_MAX;
  uint32_t bytes = 0;   ///< size of a scalar or vector, a power of two of at most 16
  uint32_t pointee = 0; ///< a pointer's type: the type that it points to
};

} // namespace

std::vector<uint32_t> withOffsets(std::span<const uint32_t> words, uint32_t binding,
                                  std::span<uint32_t> strides) {
  const uint32_t bound = words[3];
  std::vector<About> ids(std::min<size_t>(bound, words.size()) + 1);
  auto about = [&](uint32_t id) -> About & { return ids[std::min<size_t>(id, ids.size() - 1)]; };
  std::vector<uint32_t> out(words.begin(), words.begin() + spirvHeaderWords);
  Slots slots{};
  auto slot = [&](uint32_t which) -> uint32_t & { return slots[which - FirstSlot]; };
  auto put = [&](std::span<const uint32_t> instructions) {
    for (const uint32_t word : instructions)
      out.push_back(word >= FirstSlot ? slot(word) : word);
  };
  uint32_t next = bound;
  for (uint32_t one = Array; one <= Offsets; ++one)
    slot(one) = next++;
  slot(BindingNumber) = binding;
  const uint32_t constants = next; // ids of 0, 1, 2, …
  const uint32_t firstAdded =
      constants + static_cast<uint32_t>(std::max<size_t>(strides.size(), shifts));
  next = firstAdded;
  bool hasTypes = false, hasFunctions = false;
  for (size_t at = spirvHeaderWords, count; at < words.size(); at += count) {
    const uint32_t *const one = &words[at], opcode = *one & 0xffff;
    count = *one >> 16;
    if (!hasTypes && opcode >= OpFirstType && opcode < OpConstant) {
      hasTypes = true;
      put(annotations);
    } else if (!hasFunctions && opcode == OpFunction) {
      hasFunctions = true;
      put(declarations);
      for (slot(Value) = 0; constants + slot(Value) < firstAdded; ++slot(Value)) {
        slot(Constant) = constants + slot(Value);
        put(constant);
      }
      slot(Constant) = constants;
    }
    uint32_t changed = 0; // the index of an access
    if (count == 4 && opcode == OpDecorate && one[2] == Binding) {
      about(one[1]).binding = one[3];
    } else if (count >= 3 && (opcode == OpTypeInt || opcode == OpTypeFloat)) {
      about(one[1]).bytes = one[2] / 8;
      if (count == 4 && one[2] == 32 && one[3] == 0)
        slot(U32) = one[1];
    } else if (count == 4 && opcode == OpTypeVector) {
      about(one[1]).bytes = about(one[2]).bytes * one[3];
    } else if (count == 4 && opcode == OpTypePointer) {
      about(one[1]).pointee = one[3];
    } else if (count == 6 && opcode == OpAccessChain && about(one[3]).binding < strides.size()) {
      const uint32_t array = about(one[3]).binding, bytes = about(about(one[1]).pointee).bytes;
      strides[array] = std::max(strides[array], bytes);
      slot(PlaceOfArray) = constants + array;
      slot(Shift) = constants + static_cast<uint32_t>(std::countr_zero(bytes)) % shifts;
      slot(Index) = one[5];
      for (uint32_t id = At; id <= Sum; ++id)
        slot(id) = next++;
      put(access);
      changed = slot(Sum);
    }
    out.insert(out.end(), one, one + count);
    if (changed)
      out.back() = changed;
  }
  if (next == firstAdded) // it reaches no array, and may not even have words
    return {words.begin(), words.end()};
  out[3] = next;
  return out;
}

} // namespace sextant::loader::vulkan
