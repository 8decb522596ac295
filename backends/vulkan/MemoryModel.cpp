// SPIRV-Tools have a pass for it, which makes each access of shared memory available or visible by
// itself. Our barriers say where that is due.
#include "backends/vulkan/MemoryModel.h"
#include "backends/vulkan/Parts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sextant;
using spirv::Words;

/// True of memory that other threads reach, too.
static bool isShared(uint32_t storage) {
  return storage == spv::StorageClassWorkgroup || storage == spv::StorageClassStorageBuffer ||
         storage == spv::StorageClassPhysicalStorageBuffer;
}

namespace {

class Upgrade {
public:
  Upgrade(ArrayRef<uint32_t> words) : head(words, functions) {}
  Words run();

private:
  void readHead();
  void note(uint32_t op, ArrayRef<uint32_t> one);
  /// A load's or store's operands from the mask on.
  Words access(ArrayRef<uint32_t> given, bool isStore);
  uint32_t semantics(uint32_t id);

  ArrayRef<uint32_t> functions;
  ModuleHead head;
  DenseMap<uint32_t, uint32_t> storageOfType, storageOf; ///< the memory that pointers point to
  DenseMap<uint32_t, uint32_t> constants;
};

} // namespace

/// Remembers which memory a pointer points to.
void Upgrade::note(uint32_t op, ArrayRef<uint32_t> one) {
  if (op == spv::OpTypePointer)
    storageOfType[one[1]] = one[2];
  else if (op == spv::OpConstant)
    constants[one[2]] = one[3];
  else if (one.size() > 2)
    if (const auto type = storageOfType.find(one[1]); type != storageOfType.end())
      storageOf[one[2]] = type->second;
}

void Upgrade::readHead() {
  Words kept;
  eachInstruction(head.words, [&](uint32_t op, ArrayRef<uint32_t> one) {
    const bool isMember = op == spv::OpMemberDecorate;
    const uint32_t decoration = isMember || op == spv::OpDecorate ? one[isMember ? 3 : 2] : 0;
    if (decoration == spv::DecorationCoherent || decoration == spv::DecorationVolatile)
      return; // accesses say it
    if (op == spv::OpTypePointer || op == spv::OpConstant || op == spv::OpVariable)
      note(op, one);
    Words words(one.begin(), one.end());
    if (op == spv::OpMemoryModel)
      words[2] = spv::MemoryModelVulkan;
    append_range(kept, words);
  });
  head.words = std::move(kept);
  head.capability(spv::CapabilityVulkanMemoryModel);
  head.capability(spv::CapabilityVulkanMemoryModelDeviceScope);
  head.extension("SPV_KHR_vulkan_memory_model");
}

Words Upgrade::access(ArrayRef<uint32_t> given, bool isStore) {
  Words operands(given.begin(), given.end());
  if (operands.empty())
    operands.push_back(0);
  operands[0] |= spv::MemoryAccessNonPrivatePointerMask;
  if (operands[0] & spv::MemoryAccessVolatileMask) {
    operands[0] |= isStore ? spv::MemoryAccessMakePointerAvailableMask
                           : spv::MemoryAccessMakePointerVisibleMask;
    operands.push_back(head.constant(spv::ScopeDevice));
  }
  return operands;
}

uint32_t Upgrade::semantics(uint32_t id) {
  const uint32_t acquires =
      spv::MemorySemanticsAcquireMask | spv::MemorySemanticsAcquireReleaseMask;
  const uint32_t releases =
      spv::MemorySemanticsReleaseMask | spv::MemorySemanticsAcquireReleaseMask;
  const uint32_t value = constants.lookup(id);
  return head.constant(value | (value & acquires ? spv::MemorySemanticsMakeVisibleMask : 0u) |
                       (value & releases ? spv::MemorySemanticsMakeAvailableMask : 0u));
}

Words Upgrade::run() {
  readHead();
  Words result;
  eachInstruction(functions, [&](uint32_t op, ArrayRef<uint32_t> one) {
    note(op, one);
    Words operands(one.begin() + 1, one.end());
    const size_t semanticsAt = op == spv::OpControlBarrier                         ? 2
                               : op == spv::OpMemoryBarrier                        ? 1
                               : op == spv::OpAtomicStore                          ? 2
                               : op >= spv::OpAtomicLoad && op <= spv::OpAtomicXor ? 4
                                                                                   : 0;
    if (op == spv::OpLoad && isShared(storageOf.lookup(one[3]))) {
      operands.resize(3);
      append_range(operands, access(one.drop_front(4), /*isStore=*/false));
    } else if (op == spv::OpStore && isShared(storageOf.lookup(one[1]))) {
      operands.resize(2);
      append_range(operands, access(one.drop_front(3), /*isStore=*/true));
    } else if (semanticsAt) {
      operands[semanticsAt] = semantics(operands[semanticsAt]);
      if (op == spv::OpAtomicCompareExchange)
        operands[5] = semantics(operands[5]);
    }
    append(result, op, operands);
  });
  return head.with(result);
}

Words sextant::withVulkanMemoryModel(const Words &words) { return Upgrade(words).run(); }
