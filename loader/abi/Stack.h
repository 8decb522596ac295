// The stack that tasks on the CPU have: what the compiler lets a task's frame take, and what every
// thread of the loader that runs tasks has.
#pragma once

#include <cstdint>

namespace sextant::abi {

/// Bytes of stack that a thread has for a call of a task. Tasks of the conformance suite take up to
/// 3.4 MB, where each of 64 lanes holds tiles of f64.
inline constexpr uint64_t taskStack = uint64_t(6) << 20;

/// The most that the frame of a task's function takes. The rest is for the small functions that it
/// calls, for the loader's own call of it, and for what aligns the frame.
inline constexpr uint64_t taskFrame = taskStack - (uint64_t(64) << 10);

} // namespace sextant::abi
