#include "packager/Bundle.h"

#include <map>

namespace sextant::packager {

using module::Code;
using module::Result;
using module::Status;

namespace {

constexpr std::string_view magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr uint64_t alignment = 4096;

void append(std::vector<std::byte> &to, std::string_view text) {
  const auto *first = reinterpret_cast<const std::byte *>(text.data());
  to.insert(to.end(), first, first + text.size());
}

void append(std::vector<std::byte> &to, uint64_t number) {
  for (unsigned byte = 0; byte < 8; ++byte)
    to.push_back(static_cast<std::byte>(number >> (8 * byte)));
}

} // namespace

Result<std::vector<std::byte>> offloadBundle(std::span<const Extracted> images) {
  std::map<std::string, const Extracted *> known;
  struct Entry {
    std::string id;
    uint64_t offset = 0;
    std::span<const std::byte> bytes;
  };
  std::vector<Entry> entries = {{"host-x86_64-unknown-linux-gnu-", 0, {}}};
  for (const Extracted &image : images) {
    if (image.format != "hsaco")
      return Status{Code::InvalidInput, "a bundle holds code objects of AMD, and " +
                                            str(image.target) + " is " + image.format +
                                            "; name targets such as --target=amdgpu"};
    const auto [other, isNew] = known.emplace(image.target.arch, &image);
    if (!isNew)
      return Status{Code::InvalidInput,
                    "a bundle holds one image for each processor; " + str(other->second->target) +
                        " and " + str(image.target) +
                        " are two: name one wave size, such as --target='amdgpu:*/wave32'"};
    entries.push_back({"hipv4-amdgcn-amd-amdhsa--" + image.target.arch, 0, image.bytes});
  }
  uint64_t at = magic.size() + sizeof(uint64_t);
  for (const Entry &entry : entries)
    at += 3 * sizeof(uint64_t) + entry.id.size();
  for (Entry &entry : entries) {
    if (!entry.bytes.empty())
      at = (at + alignment - 1) / alignment * alignment;
    entry.offset = at;
    at += entry.bytes.size();
  }
  std::vector<std::byte> bundle;
  append(bundle, magic);
  append(bundle, entries.size());
  for (const Entry &entry : entries) {
    append(bundle, entry.offset);
    append(bundle, entry.bytes.size());
    append(bundle, entry.id.size());
    append(bundle, entry.id);
  }
  for (const Entry &entry : entries) {
    bundle.resize(entry.offset);
    bundle.insert(bundle.end(), entry.bytes.begin(), entry.bytes.end());
  }
  return bundle;
}

} // namespace sextant::packager
