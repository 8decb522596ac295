// A thread's place, and what it does with other threads: barriers, fences, subgroup operations.
#pragma once

#include "backends/spirv/FunctionCode.h"

namespace sextant::spirv {

/// Memory semantics: acquire and release, of buffers and of shared memory.
inline constexpr uint32_t allMemory = uint32_t(spv::MemorySemanticsAcquireReleaseMask) |
                                      uint32_t(spv::MemorySemanticsUniformMemoryMask) |
                                      uint32_t(spv::MemorySemanticsWorkgroupMemoryMask);

void fence(simt::Scope scope, uint32_t semantics, Writer &w);

/// The sum over the lanes that are active together.
Id sumOfActive(mlir::Type type, Id value, FunctionCode &code);
/// True in one of the lanes that are active together.
Id isFirstActive(FunctionCode &code);
/// True if all lanes that are active together have this value.
Id isSameInActive(Id value, FunctionCode &code);

/// True if `lanes` neighbours, of which this lane is one, are all active: 2 or 4. The code is the
/// same for all wave sizes.
Id areActive(unsigned lanes, FunctionCode &code);
Id laneIn(FunctionCode &code);
/// Shuffles of words: of the lane whose number differs in the bits of `mask`, and of any lane.
Id fromNeighbour(Id type, Id value, unsigned mask, FunctionCode &code);
Id fromLane(Id type, Id value, Id lane, FunctionCode &code);

/// The op's value, or 0 if it is about something else.
Id emitThreadValue(mlir::Operation &op, FunctionCode &code);
/// Emits an op without a value. False if it is about something else.
bool emitThreadEffect(mlir::Operation &op, FunctionCode &code);

} // namespace sextant::spirv
