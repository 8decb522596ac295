// Computes the sizes of a module that Reader::verify has accepted, by Format.h.
#include "packager/Sizes.h"
#include "loader/format/Format.h"
#include "loader/format/Try.h"
#include "packager/ElfParts.h"
#include "packager/Json.h"
#include "packager/Words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

namespace sextant::packager {

using namespace module;
using namespace module::format;

namespace {

const char *const rest = "(everything else)";

/// Returns entry `index` of a table whose entries have `stride` bytes.
template <class Entry>
Entry load(std::span<const std::byte> file, uint64_t table, uint32_t stride, uint64_t index) {
  return loadHashed<Entry>(file.data() + table + stride * index, stride);
}

/// Divides `total` in proportion to `weights`. The parts add up to it.
std::vector<uint64_t> split(uint64_t total, std::span<const uint64_t> weights) {
  double sum = 0, before = 0;
  for (const uint64_t weight : weights)
    sum += double(weight);
  std::vector<uint64_t> parts;
  uint64_t given = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    before += double(weights[i]);
    const bool isLast = i + 1 == weights.size();
    const uint64_t upTo =
        isLast || sum == 0 ? total : std::min(total, uint64_t(double(total) * (before / sum)));
    parts.push_back(upTo - given);
    given = upTo;
  }
  return parts;
}

/// The contents of a module's frames.
struct Stored {
  std::vector<uint64_t> records, images; ///< bytes of the file for each kernel and image
  uint64_t attachments = 0;              ///< bytes of all of them
};

Stored storedOf(std::span<const std::byte> file, const Header &header,
                std::span<const uint64_t> imageBytes) {
  Stored stored;
  stored.records.resize(header.kernelCount);
  std::vector<KernelEntry> kernels;
  // Before 1.1 there are no packs, and their number may be anything.
  const bool hasPacks = (header.required & requiredPacks) != 0;
  std::vector<std::vector<uint32_t>> kernelsOf(hasPacks ? header.packCount : 0);
  for (uint32_t i = 0; i < header.kernelCount; ++i) {
    kernels.push_back(load<KernelEntry>(file, header.kernelEntries, header.kernelEntryBytes, i));
    stored.records[i] = kernels[i].bytes;
    if (kernels[i].pack < kernelsOf.size())
      kernelsOf[kernels[i].pack].push_back(i);
  }
  if (!hasPacks) { // a frame each
    for (uint32_t i = 0; i < header.imageCount; ++i)
      stored.images.push_back(
          load<ImageEntry>(file, header.imageEntries, header.imageEntryBytes, i).storedBytes);
    return stored;
  }
  for (uint32_t pack = 0; pack < header.packCount; ++pack) {
    const auto entry = load<PackEntry>(file, header.packEntries, header.packEntryBytes, pack);
    if (entry.imageCount != 0) {
      const auto shares =
          split(entry.storedBytes, imageBytes.subspan(entry.firstImage, entry.imageCount));
      stored.images.insert(stored.images.end(), shares.begin(), shares.end());
      continue;
    }
    const std::vector<uint32_t> &members = kernelsOf[pack];
    if (members.empty())
      stored.attachments += entry.storedBytes;
    std::vector<uint64_t> weights;
    for (const uint32_t i : members)
      weights.push_back(kernels[i].bytes);
    const std::vector<uint64_t> shares = split(entry.storedBytes, weights);
    for (size_t i = 0; i < members.size(); ++i)
      stored.records[members[i]] = shares[i];
  }
  return stored;
}

uint64_t sumOf(std::span<const uint64_t> numbers) {
  uint64_t sum = 0;
  for (const uint64_t number : numbers)
    sum += number;
  return sum;
}

/// Rows by name while they grow.
class Rows {
public:
  void add(const std::string &name, uint64_t count, uint64_t bytes, uint64_t stored) {
    SizeRow &row = rows[name];
    row.count += count;
    row.bytes += bytes;
    row.stored += stored;
  }
  /// Sorts the rows, and adds a row for the rest of the file.
  std::vector<SizeRow> finish(uint64_t fileBytes) {
    std::vector<SizeRow> list;
    for (auto &[name, row] : rows) {
      row.name = name;
      list.push_back(row);
      fileBytes -= row.stored;
    }
    std::sort(list.begin(), list.end(), [](const SizeRow &a, const SizeRow &b) {
      return a.stored != b.stored ? a.stored > b.stored : a.name < b.name;
    });
    list.push_back({rest, 0, 0, fileBytes});
    return list;
  }

private:
  std::map<std::string, SizeRow> rows;
};

/// The parts of the file. Every byte belongs to one part.
Result<std::vector<SizeRow>> partsOf(std::span<const std::byte> file, const Header &header,
                                     const ModuleInfo &info, const Stored &stored,
                                     uint64_t imageBytes) {
  uint64_t attachmentBytes = 0;
  for (const Attachment &attachment : info.attachments)
    attachmentBytes += attachment.bytes;
  const bool hasPacks = (header.required & requiredPacks) != 0;
  uint64_t recordBytes = 0;
  for (uint32_t i = 0; i < header.kernelCount; ++i)
    recordBytes += load<KernelEntry>(file, header.kernelEntries, header.kernelEntryBytes, i).bytes;
  const uint64_t kernelTable = uint64_t(header.kernelCount) * header.kernelEntryBytes;
  const uint64_t otherTable = hasPacks ? uint64_t(header.packCount) * header.packEntryBytes
                                       : uint64_t(header.imageCount) * header.imageEntryBytes;
  std::vector<SizeRow> parts = {
      {"header", 1, header.headerBytes, header.headerBytes},
      {"table of kernels", header.kernelCount, kernelTable, kernelTable},
      {hasPacks ? "table of packs" : "table of images",
       hasPacks ? header.packCount : header.imageCount, otherTable, otherTable},
      {"sources and fields", uint64_t(header.sourceCount) + header.globalCount, header.infoBytes,
       header.infoBytes},
      {"kernel descriptions", header.kernelCount, recordBytes, sumOf(stored.records)},
      {"images", header.imageCount, imageBytes, sumOf(stored.images)},
  };
  if (!info.attachments.empty())
    parts.push_back({"attachments", info.attachments.size(), attachmentBytes, stored.attachments});
  uint64_t sum = 0;
  for (const SizeRow &part : parts)
    sum += part.stored;
  if (sum > file.size())
    return Status{Code::Corrupt, "parts of the module lie over each other; build it again"};
  parts.push_back({"padding", 0, file.size() - sum, file.size() - sum});
  return parts;
}

/// The variant that uses an image.
struct User {
  const Kernel *kernel = nullptr; ///< null: nobody
  const Variant *variant = nullptr;
};

/// The users of each image: at least one, which may be nobody.
std::vector<std::vector<User>> usersOf(const std::vector<Kernel> &kernels, uint32_t imageCount) {
  std::vector<std::vector<User>> users(imageCount);
  for (const Kernel &kernel : kernels)
    for (const Variant &variant : kernel.variants)
      users[variant.image].push_back({&kernel, &variant});
  for (std::vector<User> &all : users)
    if (all.empty())
      all.push_back({});
  return users;
}

/// An image's parts by kind. One that is not an ELF file has one.
using Parts = std::map<std::string_view, uint64_t>;

/// Rows of the images and of the kernels' records, by each of the things that they belong to.
struct Tables {
  Rows kernels, targets, variants, sections;

  /// Users of one image have equal shares of it.
  void addUsers(const std::vector<User> &users, uint64_t imageBytes, uint64_t storedBytes) {
    const std::vector<uint64_t> evenly(users.size(), 1);
    const std::vector<uint64_t> bytes = split(imageBytes, evenly);
    const std::vector<uint64_t> shares = split(storedBytes, evenly);
    for (size_t user = 0; user < users.size(); ++user) {
      const auto [kernel, variant] = users[user];
      const std::string name = kernel != nullptr ? kernel->instance : "(no kernel)";
      const std::string target = variant != nullptr ? str(variant->target) : "(no variant)";
      kernels.add(name, 1, bytes[user], shares[user]);
      targets.add(target, 1, bytes[user], shares[user]);
      variants.add(name + "@" + target, 1, bytes[user], shares[user]);
    }
  }
  void addSections(const std::string &format, const Parts &parts, uint64_t storedBytes) {
    std::vector<uint64_t> weights;
    for (const auto &[kind, size] : parts)
      weights.push_back(size);
    const std::vector<uint64_t> shares = split(storedBytes, weights);
    size_t next = 0;
    for (const auto &[kind, size] : parts)
      sections.add(format + " " + std::string(kind), 1, size, shares[next++]);
  }
};

} // namespace

Result<Sizes> sizesOf(std::span<const std::byte> file, ReaderLimits limits) {
  const Result<Reader> reader = Reader::fromMemory(file, limits);
  SXT_MODULE_TRY(reader);
  SXT_MODULE_TRY(reader->verify());
  const Header header = loadHeader(file.data());

  std::vector<Parts> images;
  std::vector<uint64_t> imageBytes;
  Status status = reader->forEachImage([&](uint32_t, const EachImage &image) -> Status {
    const Result<std::vector<std::byte>> bytes = image.read();
    SXT_MODULE_TRY(bytes);
    imageBytes.push_back(bytes->size());
    images.push_back(elfParts(*bytes));
    if (images.back().empty())
      images.back().emplace("whole", bytes->size());
    return {};
  });
  SXT_MODULE_TRY(status);
  const Stored stored = storedOf(file, header, imageBytes);

  const Result<std::vector<Kernel>> kernels = reader->kernels();
  SXT_MODULE_TRY(kernels);
  const std::vector<std::vector<User>> users = usersOf(*kernels, header.imageCount);
  Tables tables;
  for (uint32_t i = 0; i < header.kernelCount; ++i)
    tables.kernels.add((*kernels)[i].instance, 0, 0, stored.records[i]);
  for (uint32_t i = 0; i < header.imageCount; ++i) {
    tables.addUsers(users[i], imageBytes[i], stored.images[i]);
    const Variant *first = users[i].front().variant;
    tables.addSections(first != nullptr ? first->format : "image", images[i], stored.images[i]);
  }

  Sizes sizes;
  sizes.fileBytes = file.size();
  const Result<ModuleInfo> info = reader->info();
  SXT_MODULE_TRY(info);
  Result<std::vector<SizeRow>> parts = partsOf(file, header, *info, stored, sumOf(imageBytes));
  SXT_MODULE_TRY(parts);
  sizes.parts = std::move(*parts);
  sizes.kernels = tables.kernels.finish(file.size());
  sizes.targets = tables.targets.finish(file.size());
  sizes.variants = tables.variants.finish(file.size());
  sizes.sections = tables.sections.finish(file.size());
  return sizes;
}

//===--- Words -------------------------------------------------------------===//

namespace {

/// Returns the first `top` rows, one row for those that follow, and the last, which holds the
/// unattributed bytes.
std::vector<SizeRow> topOf(const std::vector<SizeRow> &rows, size_t top) {
  if (rows.size() <= top + 2) // to fold a single row saves nothing
    return rows;
  std::vector<SizeRow> list(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(top));
  SizeRow others;
  others.name = "(" + std::to_string(rows.size() - 1 - top) + " others)";
  for (size_t i = top; i + 1 < rows.size(); ++i) {
    others.count += rows[i].count;
    others.bytes += rows[i].bytes;
    others.stored += rows[i].stored;
  }
  list.push_back(others);
  list.push_back(rows.back());
  return list;
}

std::string shareText(uint64_t part, uint64_t whole) {
  char text[32];
  const long tenths = std::lround(1000.0 * double(part) / double(whole));
  std::snprintf(text, sizeof(text), "%ld.%ld%%", tenths / 10, tenths % 10);
  return text;
}

std::string sizeTable(const char *what, const char *counted, const std::vector<SizeRow> &rows,
                      uint64_t fileBytes) {
  std::vector<std::vector<std::string>> table = {{what, counted, "bytes", "stored", "share"}};
  for (const SizeRow &row : rows) {
    const bool isRest = row.name == rest;
    table.push_back({row.name, isRest ? "" : std::to_string(row.count),
                     isRest ? "" : std::to_string(row.bytes), std::to_string(row.stored),
                     shareText(row.stored, fileBytes)});
  }
  table.push_back({"total", "", "", std::to_string(fileBytes), "100.0%"});
  return tableText(table, {false, true, true, true, true}, "");
}

void putRows(JsonWriter &json, const char *name, const std::vector<SizeRow> &rows) {
  json.key(name).beginArray();
  for (const SizeRow &row : rows) {
    json.beginObject().member("name", row.name).member("count", row.count);
    json.member("bytes", row.bytes).member("stored", row.stored).endObject();
  }
  json.endArray();
}

std::string largest(const std::vector<SizeRow> &rows) {
  std::string text;
  for (size_t i = 0; i + 1 < rows.size() && i < 5; ++i)
    text += (i == 0 ? "" : ", ") + rows[i].name + " " + std::to_string(rows[i].stored);
  return text.empty() ? "none" : text;
}

} // namespace

std::string sizesText(const Sizes &sizes, size_t top) {
  const uint64_t all = sizes.fileBytes;
  return sizeTable("part", "count", sizes.parts, all) + "\n" +
         sizeTable("kernel", "variants", topOf(sizes.kernels, top), all) + "\n" +
         sizeTable("target", "variants", topOf(sizes.targets, top), all) + "\n" +
         sizeTable("section", "images", topOf(sizes.sections, top), all);
}

std::string sizesJson(const Sizes &sizes, size_t top) {
  JsonWriter json;
  json.beginDocument().member("bytes", sizes.fileBytes);
  putRows(json, "parts", sizes.parts);
  putRows(json, "kernels", topOf(sizes.kernels, top));
  putRows(json, "targets", topOf(sizes.targets, top));
  putRows(json, "variants", topOf(sizes.variants, top));
  putRows(json, "sections", topOf(sizes.sections, top));
  json.endObject();
  return json.str();
}

//===--- Limits ------------------------------------------------------------===//

std::optional<uint64_t> parseByteCount(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data())
    return std::nullopt;
  const std::string_view unit(end, text.data() + text.size());
  constexpr std::pair<std::string_view, uint64_t> units[] = {
      {"", 1},          {"B", 1},         {"KB", 1000},     {"MB", 1000000}, {"GB", 1000000000},
      {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
  };
  for (const auto &[name, factor] : units)
    if (unit == name && number <= UINT64_MAX / factor)
      return number * factor;
  return std::nullopt;
}

Status checkSize(std::span<const std::byte> file, uint64_t limit) {
  if (file.size() <= limit)
    return {};
  const Result<Sizes> sizes = sizesOf(file);
  SXT_MODULE_TRY(sizes);
  return {Code::TooLarge, "the module has " + std::to_string(file.size()) + " bytes, " +
                              std::to_string(file.size() - limit) + " more than the " +
                              std::to_string(limit) + " of --max-size; most are of targets " +
                              largest(sizes->targets) + "; of kernels " + largest(sizes->kernels)};
}

} // namespace sextant::packager
