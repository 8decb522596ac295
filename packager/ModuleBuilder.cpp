// Collects kernels and images, then lays the file out as Format.h says.
#include "packager/ModuleBuilder.h"
#include "loader/format/Decode.h"
#include "loader/format/Format.h"
#include "loader/format/Hash.h"
#include "packager/Records.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>
#include <zstd.h>

namespace sextant::packager {

using namespace module::format;
using module::Code;
using module::Result;
using module::Status;

namespace {

Status invalid(std::string message) { return {Code::InvalidInput, std::move(message)}; }

uint64_t asKey(const std::array<uint8_t, 16> &hash) {
  uint64_t key = 0;
  std::memcpy(&key, hash.data(), sizeof(key));
  return key;
}

std::vector<const module::Hidden *> returnsOf(const module::Plan &plan) {
  std::vector<const module::Hidden *> returns;
  for (const module::Hidden &buffer : plan.hidden)
    if (buffer.role == module::Hidden::Return)
      returns.push_back(&buffer);
  return returns;
}

bool sameReturns(const module::Plan &a, const module::Plan &b) {
  const auto first = returnsOf(a), second = returnsOf(b);
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const auto *x, const auto *y) { return *x == *y; });
}

/// The file while it grows.
class Output {
public:
  std::vector<std::byte> bytes;

  uint64_t align() {
    bytes.resize((bytes.size() + 7) / 8 * 8);
    return bytes.size();
  }
  uint64_t append(std::span<const std::byte> data) {
    const uint64_t offset = align();
    bytes.insert(bytes.end(), data.begin(), data.end());
    return offset;
  }
  uint64_t reserve(size_t size) {
    const uint64_t offset = align();
    bytes.resize(bytes.size() + size);
    return offset;
  }
  /// Puts a struct whose last member is the hash of what precedes it.
  template <class Entry> void putHashed(uint64_t offset, Entry entry, uint64_t seed) {
    entry.hash = module::hash64(&entry, sizeof(Entry) - sizeof(uint64_t), seed);
    std::memcpy(bytes.data() + offset, &entry, sizeof(Entry));
  }
};

struct Frame {
  std::vector<std::byte> bytes;
  Codec codec = Codec::Stored;
};

/// One frame, or the bytes themselves where it would be longer.
Result<Frame> compress(ZSTD_CCtx *context, std::span<const std::byte> image) {
  Frame frame;
  frame.bytes.resize(ZSTD_compressBound(image.size()));
  const size_t size =
      ZSTD_compress2(context, frame.bytes.data(), frame.bytes.size(), image.data(), image.size());
  if (ZSTD_isError(size) != 0U)
    return invalid(std::string("zstd cannot compress an image: ") + ZSTD_getErrorName(size));
  if (size < image.size()) {
    frame.bytes.resize(size);
    frame.codec = Codec::Zstd;
  } else {
    frame.bytes.assign(image.begin(), image.end());
  }
  return frame;
}

} // namespace

ModuleBuilder::ModuleBuilder(std::string compiler, std::string options) {
  info.compiler = std::move(compiler);
  info.options = std::move(options);
}

uint32_t ModuleBuilder::addSource(std::string_view path, std::span<const std::byte> bytes) {
  for (uint32_t i = 0; i < info.sources.size(); ++i)
    if (info.sources[i].path == path)
      return i;
  info.sources.push_back({std::string(path), module::hash128(bytes)});
  return static_cast<uint32_t>(info.sources.size() - 1);
}

uint32_t ModuleBuilder::addImage(std::span<const std::byte> bytes) {
  const std::array<uint8_t, 16> hash = module::hash128(bytes);
  const auto [first, last] = imagesByHash.equal_range(asKey(hash));
  for (auto known = first; known != last; ++known)
    if (std::equal(bytes.begin(), bytes.end(), images[known->second].bytes.begin(),
                   images[known->second].bytes.end()))
      return known->second;
  const auto number = static_cast<uint32_t>(images.size());
  images.push_back({{bytes.begin(), bytes.end()}, hash});
  imagesByHash.emplace(asKey(hash), number);
  return number;
}

Result<uint32_t> ModuleBuilder::addKernel(module::Kernel kernel) {
  const auto number = static_cast<uint32_t>(kernels.size());
  if (!instances.emplace(kernel.instance, number).second)
    return invalid("the module has two kernels '" + kernel.instance +
                   "'; rename one, or compile them into two modules");
  kernel.plans.clear();
  kernel.variants.clear();
  kernel.refusals.clear();
  kernels.push_back(std::move(kernel));
  return number;
}

Status ModuleBuilder::resolveGlobals(const module::Kernel &kernel, module::Plan &plan) {
  for (module::Hidden &buffer : plan.hidden) {
    buffer.global = module::Hidden::noGlobal;
    if (buffer.role != module::Hidden::Field)
      continue;
    const module::Global wanted{buffer.name,  kernel.source, buffer.dtype, buffer.count,
                                buffer.shape, buffer.rows,   buffer.cols};
    auto known = std::find_if(info.globals.begin(), info.globals.end(), [&](const auto &global) {
      return global.source == kernel.source && global.name == buffer.name;
    });
    if (known == info.globals.end())
      known = info.globals.insert(known, wanted);
    else if (!(*known == wanted))
      return invalid("kernel '" + kernel.instance + "': field '" + buffer.name +
                     "' differs from the one of that name in another kernel");
    buffer.global = static_cast<uint32_t>(known - info.globals.begin());
  }
  return {};
}

Status ModuleBuilder::addVariant(uint32_t kernelNumber, const module::Plan &plan,
                                 module::Variant variant) {
  if (kernelNumber >= kernels.size())
    return invalid("no kernel " + std::to_string(kernelNumber));
  module::Kernel &kernel = kernels[kernelNumber];
  const std::string who = "kernel '" + kernel.instance + "', " + str(variant.target) + ": ";
  if (variant.image >= images.size())
    return invalid(who + "no image " + std::to_string(variant.image));
  module::Plan resolved = plan;
  if (Status status = resolveGlobals(kernel, resolved); !status.ok())
    return status;
  if (!kernel.plans.empty() && !sameReturns(kernel.plans.front(), resolved))
    return invalid(who + "it returns other types than another variant");
  for (const module::Variant &other : kernel.variants)
    if (other.target == variant.target)
      return invalid(who + "the target is there twice");
  const auto known = std::find(kernel.plans.begin(), kernel.plans.end(), resolved);
  variant.plan = static_cast<uint32_t>(known - kernel.plans.begin());
  if (known == kernel.plans.end())
    kernel.plans.push_back(std::move(resolved));
  std::sort(variant.requirements.begin(), variant.requirements.end());
  std::sort(variant.target.features.begin(), variant.target.features.end());
  kernel.variants.push_back(std::move(variant));
  return {};
}

Status ModuleBuilder::addRefusal(uint32_t kernel, module::Target target, std::string reason) {
  if (kernel >= kernels.size())
    return invalid("no kernel " + std::to_string(kernel));
  kernels[kernel].refusals.push_back({std::move(target), std::move(reason)});
  return {};
}

Result<std::vector<std::byte>> ModuleBuilder::build(const BuildOptions &options) const {
  const module::Counts counts{static_cast<uint32_t>(info.sources.size()),
                              static_cast<uint32_t>(info.globals.size()),
                              static_cast<uint32_t>(images.size())};
  if (std::string problem = checkInfo(info); !problem.empty())
    return invalid(problem);
  const Result<std::vector<std::byte>> infoRecord = encodeInfo(info);
  if (!infoRecord)
    return infoRecord.error();

  struct Entry {
    uint64_t nameHash = 0;
    std::string_view instance;
    std::vector<std::byte> record;
  };
  std::vector<Entry> entries;
  for (const module::Kernel &kernel : kernels) {
    module::Kernel complete = kernel;
    complete.abiHash = abiHashOf(complete);
    if (std::string problem = checkKernel(complete, counts); !problem.empty())
      return invalid("kernel '" + kernel.instance + "': " + problem);
    Result<std::vector<std::byte>> record = encodeKernel(complete);
    if (!record)
      return record.error();
    entries.push_back({module::hash64(kernel.instance.data(), kernel.instance.size()),
                       kernel.instance, std::move(*record)});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.nameHash, a.instance) < std::tie(b.nameHash, b.instance);
  });

  Output output;
  Header header{};
  output.reserve(sizeof(Header));
  std::memcpy(header.magic, magic, sizeof(magic));
  header.major = versionMajor;
  header.minor = versionMinor;
  header.headerBytes = sizeof(Header);
  header.kernelCount = static_cast<uint32_t>(entries.size());
  header.imageCount = counts.images;
  header.sourceCount = counts.sources;
  header.globalCount = counts.globals;
  header.kernelEntryBytes = sizeof(KernelEntry);
  header.imageEntryBytes = sizeof(ImageEntry);
  header.kernelEntries = output.reserve(entries.size() * sizeof(KernelEntry));
  header.imageEntries = output.reserve(images.size() * sizeof(ImageEntry));
  header.infoOffset = output.append(*infoRecord);
  header.infoBytes = static_cast<uint32_t>(infoRecord->size());
  header.infoHash = module::hash64(infoRecord->data(), infoRecord->size());
  for (size_t i = 0; i < entries.size(); ++i) {
    KernelEntry entry{};
    entry.nameHash = entries[i].nameHash;
    entry.offset = output.append(entries[i].record);
    entry.bytes = static_cast<uint32_t>(entries[i].record.size());
    entry.recordHash = module::hash64(entries[i].record.data(), entries[i].record.size());
    output.putHashed(header.kernelEntries + i * sizeof(KernelEntry), entry, i);
  }

  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  if (!context || ZSTD_isError(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel,
                                                      options.level)) != 0U)
    return invalid("zstd has no compression level " + std::to_string(options.level) +
                   "; use 1 to 22");
  for (size_t i = 0; i < images.size(); ++i) {
    const Result<Frame> frame = compress(context.get(), images[i].bytes);
    if (!frame)
      return frame.error();
    ImageEntry entry{};
    entry.offset = output.append(frame->bytes);
    entry.storedBytes = frame->bytes.size();
    entry.imageBytes = images[i].bytes.size();
    std::memcpy(entry.contentHash, images[i].hash.data(), sizeof(entry.contentHash));
    entry.codec = static_cast<uint32_t>(frame->codec);
    output.putHashed(header.imageEntries + i * sizeof(ImageEntry), entry, i);
  }
  header.fileBytes = output.bytes.size();
  output.putHashed(0, header, 0);
  return std::move(output.bytes);
}

} // namespace sextant::packager
