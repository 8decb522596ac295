// The pipeline cache: in memory for each device, and in a file if SEXTANT_CACHE_DIR is set. A
// driver need not survive a cache that is not its own. So the file has a header and a hash; a file
// that does not fit is ignored and replaced.
#include "loader/devices/vulkan/Context.h"

#include "loader/format/Hash.h"
#include "loader/system/Environment.h"
#include "loader/system/File.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace sextant::loader::vulkan {
namespace {

/// The head of a file: the driver and device that it belongs to, and its content's size and hash.
struct Header {
  char magic[8];
  uint32_t vendor, device, driver;
  uint32_t reserved;
  uint8_t uuid[VK_UUID_SIZE];
  uint64_t bytes, hash;
};

constexpr uint64_t mostBytes = uint64_t(1) << 28;

Header headerFor(const Context &context) {
  const VkPhysicalDeviceProperties &properties = context.abilities.properties;
  Header header{};
  std::memcpy(header.magic, "SXTVKPC1", sizeof header.magic);
  header.vendor = properties.vendorID;
  header.device = properties.deviceID;
  header.driver = properties.driverVersion;
  std::memcpy(header.uuid, properties.pipelineCacheUUID, sizeof header.uuid);
  return header;
}

/// "DIR/vulkan-<hash of driver and device>.cache", or "" if no folder is named.
std::string pathFor(const Header &whose) {
  const char *folder = system::environment("SEXTANT_CACHE_DIR");
  if (!folder)
    return "";
  char name[64];
  std::snprintf(name, sizeof name, "/vulkan-%016" PRIx64 ".cache",
                module::hash64(&whose, sizeof whose));
  return std::string(folder) + name;
}

std::vector<std::byte> readCache(const std::string &path, const Header &whose) {
  std::vector<std::byte> data;
  system::File file;
  if (path.empty() || !file.open(path).empty())
    return data;
  Header header{};
  size_t got = 0;
  bool good = file.isRegular() &&
              file.read(0, std::as_writable_bytes(std::span(&header, 1)), got).empty() &&
              got == sizeof header && std::memcmp(&header, &whose, offsetof(Header, bytes)) == 0 &&
              header.bytes <= mostBytes && file.size() == sizeof header + header.bytes;
  if (good) {
    data.resize(header.bytes);
    good = file.read(sizeof header, data, got).empty() && got == data.size() &&
           module::hash64(data.data(), data.size()) == header.hash;
  }
  if (!good) {
    log(SXT_LOG_WARNING, "%s is not a pipeline cache of this driver: it is passed over",
        path.c_str());
    data.clear();
  }
  return data;
}

} // namespace

void openCache(Context &context) {
  const Header whose = headerFor(context);
  const std::vector<std::byte> data = readCache(pathFor(whose), whose);
  auto info = typed<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  if (context.vk.CreatePipelineCache(context.device, &info, nullptr, &context.cache) != VK_SUCCESS)
    context.cache = nullptr; // pipelines do without
}

/// Returns true if the path names what is not a file: a pipe, whose reader may be slow, or a
/// device.
static bool isSpecial(const std::string &path) {
  system::File there;
  return there.open(path).empty() && !there.isRegular();
}

static void saveCache(Context &context) {
  Header header = headerFor(context);
  const std::string path = pathFor(header);
  size_t size = 0;
  if (!path.empty() && !isSpecial(path) && context.pipelinesMade != 0 &&
      context.vk.GetPipelineCacheData(context.device, context.cache, &size, nullptr) ==
          VK_SUCCESS &&
      size != 0 && size <= mostBytes) {
    std::vector<std::byte> data(size);
    if (context.vk.GetPipelineCacheData(context.device, context.cache, &size, data.data()) ==
        VK_SUCCESS) {
      data.resize(size);
      header.bytes = size;
      header.hash = module::hash64(data.data(), size);
      const std::string why = system::replaceFile(path, std::as_bytes(std::span(&header, 1)), data);
      if (!why.empty())
        log(SXT_LOG_WARNING, "the pipeline cache %s cannot be written: %s", path.c_str(),
            why.c_str());
    }
  }
}

void closeCache(Context &context) {
  if (!context.cache)
    return;
  (void)guarded([&] {
    saveCache(context);
    return SXT_OK;
  });
  context.vk.DestroyPipelineCache(context.device, context.cache, nullptr);
}

} // namespace sextant::loader::vulkan
