// The pipeline cache: in memory for each device, and in a file if SEXTANT_CACHE_DIR is set. A
// driver need not survive a cache that is not its own. So the file has a header and a hash; a file
// that does not fit is ignored and replaced.
#include "loader/devices/vulkan/Context.h"

#include "loader/format/Hash.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

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

using File = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

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
  const char *folder = environment("SEXTANT_CACHE_DIR");
  if (!folder)
    return "";
  char name[64];
  std::snprintf(name, sizeof name, "/vulkan-%016llx.cache",
                static_cast<unsigned long long>(module::hash64(&whose, sizeof whose)));
  return std::string(folder) + name;
}

std::vector<std::byte> readCache(const std::string &path, const Header &whose) {
  std::vector<std::byte> data;
  const File file(path.empty() ? nullptr : std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file)
    return data;
  Header header{};
  bool good = std::fread(&header, sizeof header, 1, file.get()) == 1 &&
              std::memcmp(&header, &whose, offsetof(Header, bytes)) == 0 &&
              header.bytes <= mostBytes;
  struct stat facts{}; // before memory is asked for
  good = good && fstat(fileno(file.get()), &facts) == 0 &&
         static_cast<uint64_t>(facts.st_size) == sizeof header + header.bytes;
  if (good) {
    data.resize(header.bytes);
    good = std::fread(data.data(), 1, data.size(), file.get()) == data.size() &&
           module::hash64(data.data(), data.size()) == header.hash;
  }
  if (!good) {
    log(SXT_LOG_WARNING, "%s is no pipeline cache of this driver: it is passed over", path.c_str());
    data.clear();
  }
  return data;
}

/// Writes a temporary file first and renames it, so that concurrent readers see the old file or the
/// new one.
bool writeCache(const std::string &path, const Header &header, const std::vector<std::byte> &data) {
  std::string temporary = path + ".XXXXXX"; // other processes and loaders write too
  const int number = mkostemp(temporary.data(), O_CLOEXEC);
  std::FILE *file = number < 0 ? nullptr : fdopen(number, "wb");
  if (!file) {
    if (number >= 0)
      close(number);
    return false;
  }
  bool good = std::fwrite(&header, sizeof header, 1, file) == 1 &&
              std::fwrite(data.data(), 1, data.size(), file) == data.size();
  good = std::fclose(file) == 0 && good;
  good = good && std::rename(temporary.c_str(), path.c_str()) == 0;
  if (!good)
    (void)unlink(temporary.c_str());
  return good;
}

} // namespace

void openCache(Context &context) {
  const Header whose = headerFor(context);
  const std::vector<std::byte> data = readCache(pathFor(whose), whose);
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  if (context.vk.CreatePipelineCache(context.device, &info, nullptr, &context.cache) != VK_SUCCESS)
    context.cache = nullptr; // pipelines do without
}

static void saveCache(Context &context) {
  Header header = headerFor(context);
  const std::string path = pathFor(header);
  size_t size = 0;
  if (!path.empty() && context.pipelinesMade != 0 &&
      context.vk.GetPipelineCacheData(context.device, context.cache, &size, nullptr) ==
          VK_SUCCESS &&
      size != 0 && size <= mostBytes) {
    std::vector<std::byte> data(size);
    if (context.vk.GetPipelineCacheData(context.device, context.cache, &size, data.data()) ==
        VK_SUCCESS) {
      data.resize(size);
      header.bytes = size;
      header.hash = module::hash64(data.data(), size);
      if (!writeCache(path, header, data))
        log(SXT_LOG_WARNING, "the pipeline cache %s cannot be written: %s", path.c_str(),
            std::strerror(errno));
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
