// The loader's own view of a SPIR-V module. The module is untrusted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::loader::vulkan {

inline constexpr size_t spirvHeaderWords = 5;

/// The id of the specialization constant that holds the number of blocks in a row, for grids of
/// several rows. The compiler and the loader agree on it.
inline constexpr uint32_t rowConstant = 0;

/// Returns the words of a literal string: its bytes, the first one lowest, and a zero.
std::vector<uint32_t> textWords(std::string_view text);
/// Returns true if the instructions fill the module exactly. The functions below require that.
bool isWhole(std::span<const uint32_t> words);
/// Returns true if there is a compute entry point of that name.
bool hasEntryPoint(std::span<const uint32_t> words, const std::string &name);
/// Returns true if the code takes its arrays in a table of addresses.
bool takesTable(std::span<const uint32_t> words);
/// Returns true if a grid may have several rows: the code asks for their length, or does not ask
/// which block it is.
bool mayHaveRows(std::span<const uint32_t> words);
/// Returns the module with only that compute entry point, without the functions and variables that
/// it does not reach. A module that the walk does not understand is returned as it is.
std::vector<uint32_t> isolate(std::span<const uint32_t> words, const std::string &entryPoint);
/// Returns code for arrays that begin after the place where they are bound. The storage buffer at
/// `binding` holds as many words as there are `strides`: for each of the bindings from 0 on, the
/// bytes from that place to the array. They must be a multiple of the binding's stride, which is
/// set; it stays 0 if the code does not use the binding.
std::vector<uint32_t> withOffsets(std::span<const uint32_t> words, uint32_t binding,
                                  std::span<uint32_t> strides);

} // namespace sextant::loader::vulkan
