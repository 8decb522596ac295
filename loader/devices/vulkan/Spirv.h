// What the loader itself reads of a SPIR-V module, which may say anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sextant::loader::vulkan {

inline constexpr size_t spirvHeaderWords = 5;

/// Whether the instructions fill the module exactly. Of other words nothing below may be asked.
bool isWhole(std::span<const uint32_t> words);
/// Whether there is a compute entry point of that name.
bool hasEntryPoint(std::span<const uint32_t> words, const std::string &name);
/// Whether a grid may have several rows: the code asks for their length, or does not ask
/// which block it is.
bool mayHaveRows(std::span<const uint32_t> words);

} // namespace sextant::loader::vulkan
