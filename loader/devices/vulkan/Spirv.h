// What the loader itself reads of a SPIR-V module, which may say anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sextant::loader::vulkan {

inline constexpr size_t spirvHeaderWords = 5;

/// Number of the constant in the code that holds the blocks of a row, where a grid has
/// several; also between compiler and loader.
inline constexpr uint32_t rowConstant = 0;

/// Whether the instructions fill the module exactly. Of other words nothing below may be asked.
bool isWhole(std::span<const uint32_t> words);
/// Whether there is a compute entry point of that name.
bool hasEntryPoint(std::span<const uint32_t> words, const std::string &name);
/// Whether a grid may have several rows: the code asks for their length, or does not ask
/// which block it is.
bool mayHaveRows(std::span<const uint32_t> words);
/// The module with that compute entry point alone, and without the functions and variables
/// that the entry point does not reach. A module that is not understood stays as it is.
std::vector<uint32_t> isolate(std::span<const uint32_t> words, const std::string &entryPoint);

} // namespace sextant::loader::vulkan
