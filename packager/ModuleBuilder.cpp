// Collects kernels and images, then lays the file out as Format.h says.
#include "packager/ModuleBuilder.h"
#include "loader/format/Decode.h"
#include "loader/format/Format.h"
#include "loader/format/Hash.h"
#include "loader/format/Text.h"
#include "loader/format/Try.h"
#include "packager/Canonical.h"
#include "packager/Instructions.h"
#include "packager/Packs.h"
#include "packager/Records.h"
#include "packager/Sections.h"
#include "packager/Sign.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

namespace sextant::packager {

using namespace module::format;
using module::Code;
using module::Result;
using module::Status;

namespace {

Status invalid(std::string message) { return {Code::InvalidInput, std::move(message)}; }

/// Returns true if some kernel records faults, which readers before 1.2 do not know.
bool hasFaults(const std::vector<module::Kernel> &kernels) {
  for (const module::Kernel &kernel : kernels)
    for (const module::Plan &plan : kernel.plans)
      for (const module::Hidden &buffer : plan.hidden)
        if (buffer.role == module::Hidden::Fault)
          return true;
  return false;
}

/// Returns true if some argument is an array of structs in one piece.
bool hasStructures(const std::vector<module::Kernel> &kernels) {
  for (const module::Kernel &kernel : kernels)
    for (const module::Argument &argument : kernel.arguments)
      if (!argument.structure.empty())
        return true;
  return false;
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
  /// Appends a struct whose last member is the hash of the members before it.
  template <class Entry> void putHashed(uint64_t offset, Entry entry, uint64_t seed) {
    entry.hash = module::hash64(&entry, sizeof(Entry) - sizeof(uint64_t), seed);
    std::memcpy(bytes.data() + offset, &entry, sizeof(Entry));
  }
};

/// The size of a pack of records. Finding a kernel decompresses its pack.
constexpr size_t recordPackBytes = 32 << 10;

/// The place of each image: with those of its backend, target and kernel, taken from the first
/// variant that uses it.
std::vector<PackItem> imageItems(const std::vector<std::span<const std::byte>> &images,
                                 const std::vector<module::Kernel> &kernels) {
  std::map<std::string, uint32_t> families, targets;
  auto number = [](std::map<std::string, uint32_t> &numbers, const std::string &name) {
    return numbers.emplace(name, static_cast<uint32_t>(numbers.size())).first->second;
  };
  constexpr uint32_t unknown = 0xffffffff;
  std::vector<PackItem> items;
  for (const std::span<const std::byte> image : images)
    items.push_back({image, unknown, unknown, unknown});
  for (uint32_t kernel = 0; kernel < kernels.size(); ++kernel)
    for (const module::Variant &variant : kernels[kernel].variants)
      if (PackItem &item = items[variant.image]; item.family == unknown) {
        item.family = number(families, variant.target.backend);
        item.target = number(targets, str(variant.target));
        item.kernel = kernel;
      }
  return items;
}

} // namespace

ModuleBuilder::ModuleBuilder(std::string compiler, std::string options) {
  info.compiler = std::move(compiler);
  info.options = std::move(options);
}

uint32_t ModuleBuilder::addSource(std::string_view path, std::span<const std::byte> bytes) {
  return addSource({std::string(path), module::hash128(bytes)});
}

uint32_t ModuleBuilder::addSource(const module::Source &source) {
  const auto [known, isNew] =
      sources.try_emplace(source.path, static_cast<uint32_t>(info.sources.size()));
  if (isNew)
    info.sources.push_back(source);
  return known->second;
}

Result<uint32_t> ModuleBuilder::addKernel(module::Kernel kernel) {
  const auto number = static_cast<uint32_t>(kernels.size());
  if (const auto [known, isNew] = instances.emplace(kernel.instance, number); !isNew) {
    const uint32_t first = kernels[known->second].source;
    const std::string places = first == kernel.source
                                   ? "both of '" + info.sources[first].path + "'"
                                   : "of '" + info.sources[first].path + "' and of '" +
                                         info.sources[kernel.source].path + "'";
    return invalid("the module has two kernels '" + kernel.instance + "', " + places +
                   "; rename one, or compile them into two modules");
  }
  kernel.plans.clear();
  kernel.variants.clear();
  kernel.refusals.clear();
  kernels.push_back(std::move(kernel));
  indices.emplace_back();
  return number;
}

void ModuleBuilder::describeField(uint32_t source, const std::string &name,
                                  const std::string &structure) {
  if (!structure.empty())
    structures.try_emplace(std::pair(source, name), structure);
}

Status ModuleBuilder::resolveGlobals(const module::Kernel &kernel, module::Plan &plan) {
  for (module::Hidden &buffer : plan.hidden) {
    buffer.global = module::Hidden::noGlobal;
    if (buffer.role != module::Hidden::Field)
      continue;
    const bool isHere = buffer.source == module::Hidden::noGlobal;
    const std::pair key(isHere ? kernel.source : buffer.source, buffer.name);
    buffer.source = module::Hidden::noGlobal;
    module::Global wanted{buffer.name,  key.first,   buffer.dtype, buffer.count,
                          buffer.shape, buffer.rows, buffer.cols};
    if (const auto structure = structures.find(key); structure != structures.end())
      wanted.structure = structure->second;
    const auto [known, isNew] =
        globals.try_emplace(key, static_cast<uint32_t>(info.globals.size()));
    if (isNew)
      info.globals.push_back(wanted);
    else if (!(info.globals[known->second] == wanted))
      return invalid("kernel '" + kernel.instance + "': field '" + buffer.name +
                     "' differs from the one of that name in another kernel");
    buffer.global = known->second;
  }
  return {};
}

namespace {

bool isLess(const module::Target &a, const module::Target &b) {
  return std::tie(a.backend, a.arch, a.features, a.wave) <
         std::tie(b.backend, b.arch, b.features, b.wave);
}

bool returnsAsBefore(const module::Kernel &kernel, const module::Plan &plan) {
  return kernel.plans.empty() ||
         module::sameReturns(returnsOf(kernel.plans.front()), returnsOf(plan));
}

/// Equal plans have equal hashes. No byte of the module depends on the hashes.
uint64_t hashOf(const module::Plan &plan) {
  uint64_t hash = plan.hidden.size();
  const auto add = [&](const void *data, size_t bytes) {
    hash = module::hash64(data, bytes, hash);
  };
  for (const module::Hidden &buffer : plan.hidden) {
    add(buffer.name.data(), buffer.name.size());
    add(&buffer.count, sizeof(buffer.count));
    add(&buffer.global, sizeof(buffer.global));
  }
  for (const module::Task &task : plan.tasks) {
    add(task.symbol.data(), task.symbol.size());
    add(&task.blockDim, sizeof(task.blockDim));
    if (task.iterations)
      for (const module::LaunchExpr::Item &item : task.iterations->items)
        add(&item.value, sizeof(item.value));
  }
  return hash;
}

} // namespace

ModuleBuilder::KernelIndex::KernelIndex() : targets(&isLess) {}

Status ModuleBuilder::addVariant(uint32_t kernel, const module::Plan &plan,
                                 module::Variant variant) {
  if (kernel < kernels.size() && !returnsAsBefore(kernels[kernel], plan))
    return invalid("kernel '" + kernels[kernel].instance + "', " + str(variant.target) +
                   ": it returns other types than another variant");
  const Result<uint32_t> number = addPlan(kernel, plan);
  SXT_MODULE_TRY(number);
  variant.plan = *number;
  return addVariant(kernel, std::move(variant));
}

Status ModuleBuilder::addVariant(uint32_t kernelNumber, module::Variant variant) {
  if (kernelNumber >= kernels.size())
    return invalid("no kernel " + std::to_string(kernelNumber));
  module::Kernel &kernel = kernels[kernelNumber];
  const std::string who = "kernel '" + kernel.instance + "', " + str(variant.target) + ": ";
  if (variant.image >= images.all().size())
    return invalid(who + "no image " + std::to_string(variant.image));
  if (variant.plan >= kernel.plans.size())
    return invalid(who + "no plan " + std::to_string(variant.plan));
  std::sort(variant.target.features.begin(), variant.target.features.end());
  if (!indices[kernelNumber].targets.insert(variant.target).second)
    return invalid(who + "the target is there twice");
  std::sort(variant.requirements.begin(), variant.requirements.end());
  kernel.variants.push_back(std::move(variant));
  return {};
}

Result<uint32_t> ModuleBuilder::addPlan(uint32_t kernelNumber, const module::Plan &plan) {
  if (kernelNumber >= kernels.size())
    return invalid("no kernel " + std::to_string(kernelNumber));
  module::Kernel &kernel = kernels[kernelNumber];
  module::Plan resolved = plan;
  SXT_MODULE_TRY(resolveGlobals(kernel, resolved));
  if (!returnsAsBefore(kernel, resolved))
    return invalid("kernel '" + kernel.instance + "': it returns other types than another variant");
  std::unordered_multimap<uint64_t, uint32_t> &known = indices[kernelNumber].plans;
  const uint64_t hash = hashOf(resolved);
  for (auto [at, end] = known.equal_range(hash); at != end; ++at)
    if (kernel.plans[at->second] == resolved)
      return at->second;
  const auto number = static_cast<uint32_t>(kernel.plans.size());
  kernel.plans.push_back(std::move(resolved));
  known.emplace(hash, number);
  return number;
}

Status ModuleBuilder::addRefusal(uint32_t kernel, module::Target target, std::string reason) {
  if (kernel >= kernels.size())
    return invalid("no kernel " + std::to_string(kernel));
  std::sort(target.features.begin(), target.features.end());
  kernels[kernel].refusals.push_back({std::move(target), std::move(reason)});
  return {};
}

void ModuleBuilder::canonicalize() {
  packager::canonicalize(info, kernels);
  for (uint32_t i = 0; i < info.sources.size(); ++i)
    sources[info.sources[i].path] = i;
  globals.clear();
  for (uint32_t i = 0; i < info.globals.size(); ++i)
    globals.emplace(std::pair(info.globals[i].source, info.globals[i].name), i);
  indices = std::vector<KernelIndex>(kernels.size());
  for (uint32_t i = 0; i < kernels.size(); ++i) {
    instances[kernels[i].instance] = i;
    for (const module::Variant &variant : kernels[i].variants)
      indices[i].targets.insert(variant.target);
    for (uint32_t plan = 0; plan < kernels[i].plans.size(); ++plan)
      indices[i].plans.emplace(hashOf(kernels[i].plans[plan]), plan);
  }
}

namespace {

/// A kernel's record, and its place in the packs.
struct Entry {
  uint64_t nameHash = 0;
  std::vector<std::byte> record;
  uint32_t pack = 0;
  uint64_t offset = 0;
};

Result<std::vector<Entry>> encodeKernels(const std::vector<module::Kernel> &kernels,
                                         const std::vector<uint32_t> &imageNumbers,
                                         const module::Counts &counts) {
  std::vector<Entry> entries;
  for (const module::Kernel &kernel : kernels) {
    module::Kernel complete = kernel;
    complete.abiHash = abiHashOf(complete);
    for (module::Variant &variant : complete.variants)
      variant.image = imageNumbers[variant.image];
    if (std::string problem = checkKernel(complete, counts); !problem.empty())
      return invalid("kernel '" + module::printable(kernel.instance) + "': " + problem);
    Result<std::vector<std::byte>> record = encodeKernel(complete);
    SXT_MODULE_TRY(record);
    entries.push_back(
        {module::hash64(kernel.instance.data(), kernel.instance.size()), std::move(*record)});
  }
  return entries;
}

/// The number that each image has in the module: images are counted in the order of their packs.
std::vector<uint32_t> numberImages(const std::vector<PackPlan> &packs, uint32_t count) {
  std::vector<uint32_t> numbers(count);
  uint32_t next = 0;
  for (const PackPlan &pack : packs)
    for (const uint32_t image : pack.items)
      numbers[image] = next++;
  return numbers;
}

/// Packs the records in the kernels' own order, in which neighbours are similar, and notes their
/// places.
std::vector<PackPlan> packRecords(std::vector<Entry> &entries) {
  std::vector<PackItem> records;
  for (uint32_t i = 0; i < entries.size(); ++i)
    records.push_back({entries[i].record, 0, 0, i});
  std::vector<PackPlan> packs = planPacks(records, recordPackBytes, PackForm::Records);
  for (uint32_t pack = 0; pack < packs.size(); ++pack) {
    uint64_t offset = 0;
    for (const uint32_t i : packs[pack].items) {
      entries[i].pack = pack;
      entries[i].offset = offset;
      offset += (entries[i].record.size() + 7) / 8 * 8;
    }
  }
  return packs;
}

/// Adds a pack for each attachment, and returns the facts with their table. Each is a family of its
/// own, so that none has a base.
module::ModuleInfo withAttachments(module::ModuleInfo info,
                                   const std::map<std::string, std::vector<std::byte>> &attachments,
                                   std::vector<PackPlan> &packs) {
  for (const auto &[name, bytes] : attachments) {
    info.attachments.push_back({name, bytes.size(), static_cast<uint32_t>(packs.size())});
    const auto family = static_cast<uint32_t>(info.attachments.size());
    packs.push_back({{}, bytes, PackForm::Records, family});
  }
  return info;
}

/// The bits of Header::required that images need. Uncompressed ones are stored each by itself and
/// whole, so that they can be used in place.
uint32_t requiredByImages(std::span<const std::span<const std::byte>> contents,
                          Compression compression) {
  if (compression == Compression::None || std::none_of(contents.begin(), contents.end(), hasCuts))
    return 0;
  const bool hasSpirv = std::any_of(contents.begin(), contents.end(), isSpirv);
  return requiredSplit | (hasSpirv ? requiredInstructions : 0);
}

/// Reserves the header and the tables, which have an entry for each kernel and pack, and appends
/// what the module says of itself.
Header beginFile(Output &output, size_t kernelCount, size_t packCount, const module::Counts &counts,
                 std::span<const std::byte> infoRecord) {
  Header header{};
  output.reserve(sizeof(Header));
  std::memcpy(header.magic, magic, sizeof(magic));
  header.major = versionMajor;
  header.minor = versionMinor;
  header.headerBytes = sizeof(Header);
  header.kernelCount = static_cast<uint32_t>(kernelCount);
  header.imageCount = counts.images;
  header.sourceCount = counts.sources;
  header.globalCount = counts.globals;
  header.kernelEntryBytes = sizeof(KernelEntry);
  header.kernelEntries = output.reserve(kernelCount * sizeof(KernelEntry));
  header.packCount = static_cast<uint32_t>(packCount);
  header.packEntryBytes = sizeof(PackEntry);
  header.packEntries = output.reserve(packCount * sizeof(PackEntry));
  header.infoOffset = output.append(infoRecord);
  header.infoBytes = static_cast<uint32_t>(infoRecord.size());
  header.infoHash = module::hash64(infoRecord.data(), infoRecord.size());
  header.tableBytes = output.align();
  return header;
}

/// Writes the table of kernels, which is sorted by the names' hashes.
void putKernels(Output &output, const Header &header, std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.nameHash, a.pack, a.offset) < std::tie(b.nameHash, b.pack, b.offset);
  });
  for (size_t i = 0; i < entries.size(); ++i) {
    KernelEntry entry{};
    entry.nameHash = entries[i].nameHash;
    entry.offset = entries[i].offset;
    entry.bytes = static_cast<uint32_t>(entries[i].record.size());
    entry.recordHash = module::hash64(entries[i].record.data(), entries[i].record.size());
    entry.pack = entries[i].pack;
    output.putHashed(header.kernelEntries + i * sizeof(KernelEntry), entry, i);
  }
}

/// Appends the packs, and writes their table.
void putPacks(Output &output, const Header &header, const std::vector<PackPlan> &packs,
              const std::vector<PackedFrame> &frames) {
  uint32_t firstImage = 0;
  for (size_t i = 0; i < packs.size(); ++i) {
    const PackedFrame &frame = frames[i];
    PackEntry entry{};
    entry.offset = output.append(frame.bytes);
    entry.storedBytes = frame.bytes.size();
    entry.bytes = packs[i].content.size();
    const std::array<uint8_t, 16> hash = module::hash128(packs[i].content);
    std::memcpy(entry.contentHash, hash.data(), sizeof(entry.contentHash));
    entry.codec = static_cast<uint32_t>(frame.codec);
    entry.base = frame.base;
    entry.firstImage = firstImage;
    entry.imageCount =
        packs[i].form != PackForm::Records ? static_cast<uint32_t>(packs[i].items.size()) : 0;
    firstImage += entry.imageCount;
    const module::Sha256 digest = sha256(frame.bytes);
    std::memcpy(entry.frameDigest, digest.data(), sizeof(entry.frameDigest));
    output.putHashed(header.packEntries + i * sizeof(PackEntry), entry, i);
  }
}

} // namespace

Status ModuleBuilder::attach(const std::string &name, std::span<const std::byte> bytes) {
  module::ModuleInfo alone;
  alone.attachments.push_back({name, bytes.size(), 0});
  if (std::string problem = checkInfo(alone); !problem.empty())
    return invalid(problem);
  const auto [known, isNew] = attachments.try_emplace(name, bytes.begin(), bytes.end());
  if (!isNew && !std::equal(bytes.begin(), bytes.end(), known->second.begin(), known->second.end()))
    return invalid("two attachments have the name '" + module::printable(name) +
                   "'; give one of them another");
  return {};
}

Result<std::vector<std::byte>> ModuleBuilder::build(const BuildOptions &options) const {
  const module::Counts counts{static_cast<uint32_t>(info.sources.size()),
                              static_cast<uint32_t>(info.globals.size()),
                              static_cast<uint32_t>(images.all().size())};
  if (std::string problem = checkInfo(info); !problem.empty())
    return invalid(problem);

  // Images come first, because their packs number them.
  const std::vector<std::span<const std::byte>> contents(images.all().begin(), images.all().end());
  const Effort effort = effortOf(options.compression);
  const uint32_t imageBits = requiredByImages(contents, options.compression);
  const bool isSplit = (imageBits & requiredSplit) != 0;
  std::vector<PackPlan> imagePacks = planPacks(imageItems(contents, kernels), effort.imageBytes,
                                               isSplit ? PackForm::SplitImages : PackForm::Images);
  Result<std::vector<Entry>> entries =
      encodeKernels(kernels, numberImages(imagePacks, counts.images), counts);
  SXT_MODULE_TRY(entries);
  std::vector<PackPlan> packs = packRecords(*entries);
  const Result<std::vector<std::byte>> infoRecord =
      encodeInfo(withAttachments(info, attachments, packs));
  SXT_MODULE_TRY(infoRecord);
  packs.insert(packs.end(), std::make_move_iterator(imagePacks.begin()),
               std::make_move_iterator(imagePacks.end()));
  const Result<std::vector<PackedFrame>> frames =
      compressPacks(packs, effort, options.jobs, options.frames);
  SXT_MODULE_TRY(frames);

  Output output;
  Header header = beginFile(output, entries->size(), packs.size(), counts, *infoRecord);
  header.required = requiredPacks | (hasFaults(kernels) ? requiredFaults : 0) | imageBits |
                    (hasStructures(kernels) ? requiredStructures : 0);
  putKernels(output, header, std::move(*entries));
  putPacks(output, header, packs, *frames);
  header.fileBytes = output.bytes.size();
  sealTables(output.bytes, header);
  return std::move(output.bytes);
}

} // namespace sextant::packager
