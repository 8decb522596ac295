// Changes modules where it matters: fields, items, texts, expressions, frames, tables. What
// comes out has sound hashes mostly, so that the checks after them are reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sextant::fuzz {

/// Changes bytes at random, to `most` of them: libFuzzer's LLVMFuzzerMutate, or another.
using MutateBytes = size_t (*)(uint8_t *data, size_t size, size_t most);

/// Given bytes that are not a module: a sample, changed.
std::vector<std::byte> mutate(std::span<const std::byte> file, size_t most, unsigned seed,
                              MutateBytes mutateBytes);

/// `first` with parts of `second`.
std::vector<std::byte> crossOver(std::span<const std::byte> first,
                                 std::span<const std::byte> second, unsigned seed);

} // namespace sextant::fuzz
