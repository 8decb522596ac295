// libFuzzer's entry to what the loader itself reads of images and of files beside modules. The
// first byte says as what the others are taken.
#include "loader/Program.h"
#include "loader/devices/cpu/ElfDynamic.h"
#include "loader/devices/metal/Image.h"
#include "loader/devices/vulkan/Adapt.h"
#include "loader/devices/vulkan/Spirv.h"
#include "loader/format/Select.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace sextant;
using namespace sextant::loader;

namespace {

void always(bool condition) {
  if (!condition)
    std::abort();
}

/// Does to an image what the loader does, in memory that ends where the image does.
void elf(std::span<const std::byte> bytes) {
  ElfLayout layout;
  if (readLayout(bytes, 4096, layout) != nullptr || layout.all.bytes > uint64_t(1) << 20)
    return;
  std::vector<std::byte> memory(layout.all.bytes);
  for (const ElfPart &part : layout.parts)
    std::memcpy(memory.data() + (part.begin - layout.all.begin), bytes.data() + part.fileBegin,
                part.fileBytes);
  ElfDynamic dynamic;
  if (dynamic.read(layout, memory.data() - layout.all.begin) != SXT_OK)
    return;
  (void)dynamic.relocate([](const char *name) -> void * {
    static char function;
    return std::strlen(name) % 2 ? &function : nullptr;
  });
  (void)dynamic.find("saxpy_t0");
}

/// \param how which modes a device has
void spirv(std::span<const std::byte> bytes, unsigned how) {
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  if (words.size() < vulkan::spirvHeaderWords)
    return;
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  if (!vulkan::isWhole(words))
    return;
  (void)vulkan::hasEntryPoint(words, "main");
  (void)vulkan::mayHaveRows(words);
  const std::vector<uint32_t> alone = vulkan::isolate(words, "main");
  always(vulkan::isWhole(alone) && alone.size() <= words.size());
  (void)vulkan::takesTable(words);
  std::array<uint32_t, 3> strides{};
  always(vulkan::isWhole(vulkan::withOffsets(alone, 3, strides)));
  vulkan::Abilities abilities;
  VkBool32 *const modes[] = {&abilities.floats.shaderDenormPreserveFloat16,
                             &abilities.floats.shaderDenormPreserveFloat32,
                             &abilities.floats.shaderDenormPreserveFloat64,
                             &abilities.floats.shaderSignedZeroInfNanPreserveFloat32};
  for (unsigned i = 0; i < std::size(modes); ++i)
    *modes[i] = how >> i & 1;
  abilities.floats.denormBehaviorIndependence =
      static_cast<VkShaderFloatControlsIndependence>(how >> 4 & 1);
  if ((how & 32) != 0)
    std::strcpy(abilities.properties.deviceName, "llvmpipe");
  const std::vector<uint32_t> adapted = vulkan::adapt(words, abilities);
  always(vulkan::isWhole(adapted));
  always(adapted.size() <= 32 * words.size());
}

void metalText(std::string_view text) {
  size_t all = 0;
  for (const metal::Source &source : metal::splitImage(text))
    all += source.text.size();
  always(all == 0 || all == text.size());
}

void preferences(std::span<const std::byte> bytes) {
  static const int file = memfd_create("preferences", MFD_CLOEXEC);
  always(ftruncate(file, 0) == 0 &&
         pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  for (const Preference &preference : readPreferences(path.c_str(), *module::factsOf("sm_90")))
    always(!preference.kernel.empty() && !preference.target.empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  const auto *first = reinterpret_cast<const std::byte *>(data);
  // A copy of its own, so that a read past its end is seen.
  const std::vector<std::byte> bytes(first + 1, first + size);
  switch (data[0] & 3) {
  case 0:
    elf(bytes);
    break;
  case 1:
    spirv(bytes, data[0] >> 2);
    break;
  case 2:
    metalText({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    break;
  default:
    preferences(bytes);
  }
  return 0;
}
