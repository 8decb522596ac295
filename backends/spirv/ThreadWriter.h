// A thread's place, and what it does with other threads: barriers, fences, subgroup operations.
#pragma once

#include "backends/spirv/FunctionCode.h"

namespace sextant::spirv {

/// Memory semantics: acquire and release, of buffers and of shared memory.
inline constexpr uint32_t allMemory = uint32_t(spv::MemorySemanticsAcquireReleaseMask) |
                                      uint32_t(spv::MemorySemanticsUniformMemoryMask) |
                                      uint32_t(spv::MemorySemanticsWorkgroupMemoryMask);

void fence(simt::Scope scope, uint32_t semantics, Writer &w);

class ThreadWriter : FunctionPart {
public:
  using FunctionPart::FunctionPart;

  Id threadIdx();
  Id blockIdx(simt::BlockIdxOp op);
  Id gridDim();
  Id lane();
  Id clock(simt::ClockOp op);
  void barrier(spv::Scope execution);
  Id shuffle(simt::ShuffleOp op);
  Id ballot(simt::BallotOp op);
  Id vote(simt::VoteOp op);
  Id reduce(simt::ReduceOp op);
  Id scan(simt::ScanOp op);

private:
  Id builtin(spv::BuiltIn which, unsigned components);
  Id builtinX(spv::BuiltIn which);
  void requireSubgroup(spv::Capability capability, abi::VulkanFeature feature);
  Id ballotWords(Id predicate);
  Id overSubgroup(simt::CombineKind kind, mlir::Type type, Id value, spv::GroupOperation operation);
};

} // namespace sextant::spirv
