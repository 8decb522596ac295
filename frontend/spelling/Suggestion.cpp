#include "frontend/spelling/Suggestion.h"

#include "frontend/spelling/EditDistance.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace sextant {
namespace {

struct OtherName {
  std::string_view name, ours;
};

constexpr std::string_view gpus = "cuda, amdgpu, vulkan or metal; or all-major";
constexpr std::string_view x86 = "x86-64-v3 or cpu";

constexpr OtherName otherNames[] = {
    {"amd", "amdgpu"},
    {"amd64", x86},
    {"amdgcn", "amdgpu"},
    {"any", "all"},
    {"apple", "metal"},
    {"arm", "aarch64"},
    {"arm64", "aarch64"},
    {"armv8", "aarch64"},
    {"armv8-a", "aarch64"},
    {"avx2", x86},
    {"avx512", "x86-64-v4"},
    {"cuda-gpu", "cuda"},
    {"glsl", "vulkan"},
    {"gpu", gpus},
    {"gpu-nvidia", "cuda"},
    {"gpus", gpus},
    {"hip", "amdgpu"},
    {"host", "native"},
    {"hsa", "amdgpu"},
    {"i686", x86},
    {"intel", x86},
    {"ios", "metal"},
    {"local", "native"},
    {"macos", "metal"},
    {"msl", "metal"},
    {"mtl", "metal"},
    {"neon", "aarch64"},
    {"nvidia", "cuda"},
    {"nvptx", "cuda"},
    {"nvptx64", "cuda"},
    {"opencl", "vulkan"},
    {"radeon", "amdgpu"},
    {"rocm", "amdgpu"},
    {"spir-v", "vulkan"},
    {"spirv", "vulkan"},
    {"spv", "vulkan"},
    {"this", "native"},
    {"vk", "vulkan"},
    {"x64", x86},
    {"x86", x86},
    {"x86-64", x86},
    {"x86_64", x86},
    {"ptx", "compute_90, PTX for sm_90 and later, or cuda"},
};

} // namespace

std::vector<std::string> nearNames(std::string_view name,
                                   const std::vector<std::string> &candidates) {
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string &candidate : candidates) {
    const size_t most = std::max<size_t>(2, name.size() / 3);
    const size_t apart = std::max(name.size(), candidate.size()) -
                         std::min(name.size(), candidate.size()); // the distance is at least this
    const size_t distance = apart > most ? apart : editDistance(name, candidate);
    if (distance <= most)
      near.emplace_back(distance, candidate);
    else if (name.size() >= 3 && candidate.starts_with(name))
      near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::vector<std::string> names;
  for (auto &[distance, candidate] : near)
    names.push_back(std::move(candidate));
  return names;
}

std::string suggestion(std::string_view name, const std::vector<std::string> &candidates) {
  const std::vector<std::string> near = nearNames(name, candidates);
  std::string text;
  for (size_t index = 0; index < near.size() && index < 3; ++index)
    text += (index == 0 ? "did you mean '" : " or '") + near[index] + "'";
  return text.empty() ? text : text + "?";
}

std::string targetSuggestion(std::string_view name, const std::vector<std::string> &targets) {
  std::vector<std::string> words;
  for (const std::string &target : targets) {
    const size_t colon = target.find(':');
    const size_t arch = colon == target.npos ? 0 : colon + 1;
    words.push_back(target.substr(0, colon));
    words.push_back(target.substr(arch, target.find_first_of("+/", arch) - arch));
    // Whole targets are many and long: they are meant only by who wrote as much.
    if (name.find_first_of(":/+") != name.npos)
      words.push_back(name.find(':') == name.npos ? target.substr(arch) : target);
  }
  const std::string ours = ourTargetName(name);
  if (std::find(words.begin(), words.end(), ours) != words.end())
    return "did you mean '" + ours + "'?";
  return suggestion(name, words);
}

std::string ourTargetName(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return char(std::tolower(letter)); });
  for (const OtherName &other : otherNames)
    if (other.name == lower)
      return std::string(other.ours);
  return {};
}

} // namespace sextant
