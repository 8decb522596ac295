// Adds execution modes of floating-point types (SPV_KHR_float_controls), and avoids a fault of one
// driver.
#include "loader/devices/vulkan/Adapt.h"
#include "loader/devices/vulkan/Opcodes.h"
#include "loader/devices/vulkan/Spirv.h"

#include <algorithm>
#include <string_view>

namespace sextant::loader::vulkan {
namespace {

constexpr size_t headerWords = spirvHeaderWords;
//===--- Floating-point modes ----------------------------------------------===//

constexpr uint32_t denormPreserve = 4464, denormPreserveMode = 4459;
constexpr uint32_t infNanPreserve = 4466, infNanPreserveMode = 4461;

/// The places in the module where modes and capabilities go, and the float types that it has.
struct Outline {
  size_t capabilitiesEnd = headerWords, entryPointsEnd = headerWords;
  std::vector<uint32_t> entryPoints;
  bool f16 = false, f32 = false, f64 = false;
};

Outline outlineOf(std::span<const uint32_t> words) {
  Outline outline;
  for (size_t at = headerWords, next; at < words.size(); at = next) {
    const uint32_t count = words[at] >> 16, opcode = words[at] & 0xffff;
    next = at + count;
    if (count < 3 && (opcode == OpEntryPoint || opcode == OpTypeFloat))
      continue; // not SPIR-V, which the driver will say
    switch (opcode) {
    case OpCapability:
      outline.capabilitiesEnd = next;
      break;
    case OpEntryPoint:
      outline.entryPointsEnd = next;
      outline.entryPoints.push_back(words[at + 2]);
      break;
    case OpTypeFloat:
      outline.f16 |= words[at + 2] == 16;
      outline.f32 |= words[at + 2] == 32;
      outline.f64 |= words[at + 2] == 64;
      break;
    default:
      break;
    }
  }
  return outline;
}

/// The widths that must keep subnormal numbers. If the device treats some widths alike, all of
/// these must get the same mode.
std::vector<uint32_t> denormWidths(const Outline &o,
                                   const VkPhysicalDeviceFloatControlsProperties &can) {
  bool f16 = can.shaderDenormPreserveFloat16, f32 = can.shaderDenormPreserveFloat32,
       f64 = can.shaderDenormPreserveFloat64;
  std::vector<uint32_t> widths;
  switch (can.denormBehaviorIndependence) {
  case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE:
    if (f16 && f32 && f64)
      widths = {16, 32, 64};
    break;
  case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY:
    if (f32 && o.f32)
      widths.push_back(32);
    if (f16 && f64 && (o.f16 || o.f64))
      widths.insert(widths.end(), {16, 64});
    break;
  default:
    if (f16 && o.f16)
      widths.push_back(16);
    if (f32 && o.f32)
      widths.push_back(32);
    if (f64 && o.f64)
      widths.push_back(64);
  }
  return widths;
}

std::vector<uint32_t> infNanWidths(const Outline &o,
                                   const VkPhysicalDeviceFloatControlsProperties &can) {
  std::vector<uint32_t> widths;
  if (can.shaderSignedZeroInfNanPreserveFloat16 && o.f16)
    widths.push_back(16);
  if (can.shaderSignedZeroInfNanPreserveFloat32 && o.f32)
    widths.push_back(32);
  if (can.shaderSignedZeroInfNanPreserveFloat64 && o.f64)
    widths.push_back(64);
  return widths;
}

void addFloatModes(std::vector<uint32_t> &words,
                   const VkPhysicalDeviceFloatControlsProperties &can) {
  const Outline outline = outlineOf(words);
  if (!outline.f16 && !outline.f32 && !outline.f64)
    return;
  if (outline.capabilitiesEnd > outline.entryPointsEnd)
    return; // no entry points, or not SPIR-V, which the driver will say
  const std::vector<uint32_t> denorms = denormWidths(outline, can),
                              infNans = infNanWidths(outline, can);
  if (denorms.empty() && infNans.empty())
    return;
  std::vector<uint32_t> modes, head;
  auto add = [&](const std::vector<uint32_t> &widths, uint32_t capability, uint32_t mode) {
    if (!widths.empty())
      head.insert(head.end(), {2u << 16 | OpCapability, capability});
    for (uint32_t entryPoint : outline.entryPoints)
      for (uint32_t width : widths)
        modes.insert(modes.end(), {4u << 16 | OpExecutionMode, entryPoint, mode, width});
  };
  add(denorms, denormPreserve, denormPreserveMode);
  add(infNans, infNanPreserve, infNanPreserveMode);
  constexpr uint32_t firstWithout = 0x10400; // the version that has it without an extension
  if (words[1] < firstWithout) {
    const std::vector<uint32_t> name = textWords("SPV_KHR_float_controls");
    head.push_back(uint32_t(name.size() + 1) << 16 | OpExtension);
    head.insert(head.end(), name.begin(), name.end());
  }
  // Inserts at the later place first, so that the earlier place does not move.
  words.insert(words.begin() + ptrdiff_t(outline.entryPointsEnd), modes.begin(), modes.end());
  words.insert(words.begin() + ptrdiff_t(outline.capabilitiesEnd), head.begin(), head.end());
}

//===--- llvmpipe ----------------------------------------------------------===//

/// Mesa's llvmpipe makes threads wait at memory barriers (seen in 22.3). Threads that reach more of
/// them than the others then never finish. x86 processors keep the order of stores and of loads
/// anyway, and accesses that threads wait on are volatile or atomic.
void dropMemoryBarriers(std::span<uint32_t> words) {
  for (size_t at = headerWords, count; at < words.size(); at += count) {
    count = words[at] >> 16;
    if ((words[at] & 0xffff) == OpMemoryBarrier)
      std::fill_n(words.begin() + ptrdiff_t(at), count, 1u << 16 | OpNop);
  }
}

/// True if the device is llvmpipe on x86, which needs the above.
bool waitsAtMemoryBarriers(const VkPhysicalDeviceProperties &properties) {
#ifdef __x86_64__
  return std::string_view(properties.deviceName).starts_with("llvmpipe");
#else
  return false;
#endif
}

} // namespace

std::vector<uint32_t> adapt(std::span<const uint32_t> words, const Abilities &abilities) {
  std::vector<uint32_t> adapted(words.begin(), words.end());
  if (waitsAtMemoryBarriers(abilities.properties))
    dropMemoryBarriers(adapted);
  addFloatModes(adapted, abilities.floats);
  return adapted;
}

} // namespace sextant::loader::vulkan
