// libFuzzer's hooks for inputs that are modules. Included by each such target once.
#pragma once

#include "tests/module/fuzz/Mutate.h"

#include <algorithm>
#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

static std::span<const std::byte> bytesOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const std::byte *>(data), size};
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                          unsigned int seed) {
  const auto out = sextant::fuzz::mutate(bytesOf(data, size), most, seed, &LLVMFuzzerMutate);
  if (!out.empty())
    std::memcpy(data, out.data(), out.size());
  return out.size();
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t most, unsigned int seed) {
  auto made =
      sextant::fuzz::crossOver(bytesOf(first, firstSize), bytesOf(second, secondSize), seed);
  made.resize(std::min(made.size(), most));
  if (!made.empty())
    std::memcpy(out, made.data(), made.size());
  return made.size();
}
