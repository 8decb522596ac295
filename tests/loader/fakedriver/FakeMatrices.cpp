// The places are those of the figures in PTX ISA 8.5, "Matrix Fragments for mma.m16n8k16" and
// "m16n8k32". Numbers are those of the Vulkan registry.
#include "FakeMatrices.h"
#include "FakePhysicals.h"

#include <cstdint>
#include <cstring>
#include <iterator>

namespace {

struct Properties { // VkCooperativeMatrixPropertiesKHR
  VkStructureType type;
  void *next;
  uint32_t m, n, k, a, b, c, result;
  VkBool32 saturates;
  uint32_t scope;
};
struct Flags { // VkPhysicalDeviceCooperativeMatrixFeaturesKHR, …ShaderBfloat16FeaturesKHR
  VkStructureType type;
  void *next;
  VkBool32 flags[3];
};
constexpr auto featuresType = VkStructureType(1000506000),
               bfloatFeaturesType = VkStructureType(1000141000);
constexpr uint32_t f16 = 0, f32 = 1, i8 = 3, i32 = 5, u8 = 7, u32 = 9, bf16 = 1000141000,
                   subgroup = 3;
constexpr uint32_t rows[][5] = { // K and types; of others a driver may have some more
    {8, f16, f16, f16, f16},
    {16, f16, f16, f32, f32},
    {16, bf16, bf16, f32, f32},
    {32, i8, i8, i32, i32},
    {32, u8, u8, u32, u32}};

float fromF16(uint16_t bits) { // for whole numbers below 2048
  if (!bits)
    return 0;
  float value = 1 + float(bits & 1023) / 1024;
  for (int e = bits >> 10; e > 15; --e)
    value *= 2;
  return value;
}
uint32_t wordOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

enum Type { F16, BF16, I8, U8, Word };

/// An element as 32 bits: reals as f32.
uint32_t element(Type type, const std::byte *matrix, uint32_t number) {
  uint16_t half;
  int8_t byte;
  uint32_t word;
  switch (type) {
  case F16:
  case BF16:
    std::memcpy(&half, matrix + 2 * size_t(number), 2);
    return type == F16 ? wordOf(fromF16(half)) : uint32_t(half) << 16;
  case I8:
  case U8:
    std::memcpy(&byte, matrix + number, 1);
    return type == I8 ? uint32_t(int32_t(byte)) : uint8_t(byte);
  case Word:
    break;
  }
  std::memcpy(&word, matrix + 4 * size_t(number), 4);
  return word;
}

struct Place {
  uint32_t row, col;
};

// `k16` and `k32` name the figures. A fragment of `a` here has its upper rows' registers first.
Place leftPlace(bool k32, uint32_t lane, uint32_t i) {
  const uint32_t group = lane / 4, thread = lane % 4;
  if (k32) {
    const uint32_t upper = i < 8 ? 0 : 8, far = i % 8 < 4 ? 0 : 16;
    return {group + upper, thread * 4 + i % 4 + far};
  }
  const uint32_t upper = i < 4 ? 0 : 8, far = i % 4 < 2 ? 0 : 8;
  return {group + upper, thread * 2 + i % 2 + far};
}
/// Two fragments of `b` side by side.
Place rightPlace(bool k32, uint32_t lane, uint32_t i) {
  const uint32_t group = lane / 4, thread = lane % 4;
  if (k32)
    return {thread * 4 + i % 4 + (i % 8 < 4 ? 0u : 16u), group + (i < 8 ? 0u : 8u)};
  return {thread * 2 + i % 2 + (i % 4 < 2 ? 0u : 8u), group + (i < 4 ? 0u : 8u)};
}

} // namespace

bool fake::hasMatrices() { return is("matrices") || is("other-matrices"); }

void fake::addMatrixFeatures(VkPhysicalDeviceFeatures2 &features) {
  features.features.shaderInt16 = VK_TRUE;
  for (auto *block = static_cast<VkBaseOutStructure *>(features.pNext); block;
       block = block->pNext) {
    if (block->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES) {
      auto *model = reinterpret_cast<VkPhysicalDeviceVulkanMemoryModelFeatures *>(block);
      model->vulkanMemoryModel = model->vulkanMemoryModelDeviceScope = VK_TRUE;
    }
    if (block->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES) {
      auto *small = reinterpret_cast<VkPhysicalDeviceShaderFloat16Int8Features *>(block);
      small->shaderFloat16 = small->shaderInt8 = VK_TRUE;
    }
    auto *flags = reinterpret_cast<Flags *>(block)->flags;
    if (block->sType == featuresType)
      flags[0] = VK_TRUE; // cooperativeMatrix
    if (block->sType == bfloatFeaturesType)
      flags[0] = flags[2] = VK_TRUE; // the type, and matrices of it
  }
}

VkResult fake::listMatrices(VkPhysicalDevice, uint32_t *count, void *properties) {
  constexpr auto there = uint32_t(std::size(rows));
  auto *list = static_cast<Properties *>(properties);
  for (uint32_t i = 0; list && i < *count && i < there; ++i) {
    const auto &row = rows[i];
    list[i] = {list[i].type, nullptr, 16,     16,       row[0],  row[1],
               row[2],       row[3],  row[4], VK_FALSE, subgroup};
  }
  *count = there;
  return VK_SUCCESS;
}

void fake::showComponents(const std::byte *in, std::byte *out) {
  constexpr Type types[] = {F16, F16, BF16, BF16, I8, I8, U8, U8, Word, Word, Word};
  constexpr uint32_t lanes = 32, most = 16;
  for (size_t number = 0; number < std::size(types); ++number) {
    const Type type = types[number];
    const bool isByte = type == I8 || type == U8, isRight = type != Word && number % 2;
    const uint32_t cols = isRight || !isByte ? 16 : 32;
    for (uint32_t lane = 0; lane < lanes; ++lane)
      for (uint32_t i = 0; i < (isByte ? 16u : 8u); ++i) {
        Place place = isRight ? rightPlace(isByte, lane, i) : leftPlace(isByte, lane, i);
        if (is("other-matrices") && number == 9) // only the sums of i8
          place.row ^= 8;
        const uint32_t word = element(type, in, place.row * cols + place.col);
        std::memcpy(out + ((number * lanes + lane) * most + i) * 4, &word, 4);
      }
    in += isByte ? 512 : type == Word ? 1024 : 512;
  }
}
