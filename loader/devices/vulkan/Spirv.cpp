#include "loader/devices/vulkan/Spirv.h"
#include "loader/devices/vulkan/Opcodes.h"

#include <cstring>

namespace sextant::loader::vulkan {

namespace {
constexpr uint32_t glCompute = 5, physicalStorageBuffer64 = 5348, specId = 1, builtIn = 11,
                   workgroupId = 26;
} // namespace

std::vector<uint32_t> textWords(std::string_view text) {
  std::vector<uint32_t> words(text.size() / 4 + 1);
  for (size_t i = 0; i < text.size(); ++i)
    words[i / 4] |= uint32_t(uint8_t(text[i])) << (8 * (i % 4));
  return words;
}

bool isWhole(std::span<const uint32_t> words) {
  size_t at = spirvHeaderWords;
  while (at < words.size() && words[at] >> 16)
    at += words[at] >> 16;
  return at == words.size();
}

bool hasEntryPoint(std::span<const uint32_t> words, const std::string &name) {
  for (size_t at = spirvHeaderWords; at < words.size(); at += words[at] >> 16) {
    const size_t count = words[at] >> 16;
    if ((words[at] & 0xffff) == OpEntryPoint && count > 3 && words[at + 1] == glCompute &&
        std::strncmp(reinterpret_cast<const char *>(&words[at + 3]), name.c_str(),
                     (count - 3) * sizeof(uint32_t)) == 0)
      return true;
  }
  return false;
}

bool takesTable(std::span<const uint32_t> words) {
  for (size_t at = spirvHeaderWords; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == OpMemoryModel && words[at] >> 16 == 3)
      return words[at + 1] == physicalStorageBuffer64;
  return false;
}

bool mayHaveRows(std::span<const uint32_t> words) {
  bool asks = false;
  for (size_t at = spirvHeaderWords; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) != OpDecorate || words[at] >> 16 != 4)
      continue;
    if (words[at + 2] == specId && words[at + 3] == rowConstant)
      return true;
    asks |= words[at + 2] == builtIn && words[at + 3] == workgroupId;
  }
  return !asks;
}

} // namespace sextant::loader::vulkan
