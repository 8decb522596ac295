#include "tests/module/fuzz/Draft.h"
#include "loader/format/Hash.h"
#include "packager/Sign.h"
#include "tests/module/fuzz/Frames.h"

#include <sodium.h>

namespace sextant::fuzz {

using namespace module;
using namespace module::format;

namespace {

constexpr uint64_t mostContent = 1 << 20; ///< the fuzzer's own limit
constexpr uint32_t mostEntries = 512;

bool inside(std::span<const std::byte> file, uint64_t at, uint64_t bytes) {
  return at <= file.size() && bytes <= file.size() - at;
}

Bytes cut(std::span<const std::byte> file, uint64_t at, uint64_t bytes) {
  if (!inside(file, at, bytes))
    return {};
  const auto part = file.subspan(at, bytes);
  return {part.begin(), part.end()};
}

/// The entries of a table that lie in the file.
std::vector<Bytes> entries(std::span<const std::byte> file, uint64_t at, uint32_t count,
                           uint32_t stride, uint32_t least) {
  std::vector<Bytes> list;
  if (stride < least || stride > 4096)
    return list;
  for (uint32_t i = 0; i < std::min(count, mostEntries); ++i) {
    if (!inside(file, at, uint64_t(i + 1) * stride))
      break;
    list.push_back(cut(file, at + uint64_t(i) * stride, stride));
  }
  return list;
}

const Bytes *baseOf(const std::vector<Draft::Part> &packs, const PackEntry &entry, size_t index) {
  return entry.base < index && entry.base < packs.size() ? &packs[entry.base].content : nullptr;
}

void pad(Bytes &file) { file.resize((file.size() + 7) / 8 * 8); }

template <class Entry> void place(Bytes &file, Draft::Part &part) {
  auto entry = load<Entry>(part.entry);
  pad(file);
  entry.offset = file.size();
  entry.storedBytes = part.frame.size();
  const auto hash = hash128(part.content);
  if (part.isChanged)
    std::memcpy(entry.contentHash, hash.data(), hash.size());
  if constexpr (std::is_same_v<Entry, PackEntry>)
    if (part.entry.size() >= sizeof(PackEntry)) {
      const Sha256 digest = packager::sha256(part.frame);
      std::memcpy(entry.frameDigest, digest.data(), digest.size());
    }
  store(part.entry, 0, entry);
  file.insert(file.end(), part.frame.begin(), part.frame.end());
}

uint64_t placeTable(Bytes &file, const std::vector<Bytes> &list,
                    std::vector<Places::Entry> &places) {
  pad(file);
  const uint64_t at = file.size();
  for (const Bytes &entry : list) {
    places.push_back({file.size(), entry.size()});
    file.insert(file.end(), entry.begin(), entry.end());
  }
  return at;
}

template <class List> std::vector<Bytes> entriesOf(const List &list) {
  std::vector<Bytes> out;
  for (const auto &item : list)
    out.push_back(item.entry);
  return out;
}

void hashEntry(Bytes &file, const Places::Entry &place, uint64_t seed) {
  if (place.bytes < 8 || !inside(file, place.at, place.bytes))
    return;
  const size_t front = place.bytes - sizeof(uint64_t);
  store(file, place.at + front, hash64(file.data() + place.at, front, seed));
}

/// Digest and signature of the tables.
void seal(Bytes &file, size_t headerBytes) {
  const auto header = load<Header>(file);
  if (headerBytes < sizeof(Header) || header.tableBytes < headerBytes ||
      header.tableBytes > file.size())
    return;
  const Sha256 digest = digestOfTables(std::span(file).first(header.tableBytes),
                                       static_cast<uint32_t>(headerBytes), packager::crypto());
  store(file, offsetof(Header, tableDigest), digest);
  const PublicKey key = packager::publicKeyOf(testKey());
  if (std::memcmp(header.publicKey, key.data(), key.size()) != 0)
    return;
  PublicKey same{};
  std::array<uint8_t, crypto_sign_ed25519_SECRETKEYBYTES> pair{};
  crypto_sign_ed25519_seed_keypair(same.data(), pair.data(), testKey().seed.data());
  const SignedMessage message = signedMessage(digest);
  packager::Signature signature{};
  crypto_sign_ed25519_detached(signature.data(), nullptr, message.data(), message.size(),
                               pair.data());
  store(file, offsetof(Header, signature), signature);
}

} // namespace

const packager::SecretKey &testKey() {
  static const packager::SecretKey key = [] {
    packager::SecretKey made;
    made.seed.fill(7);
    return made;
  }();
  return key;
}

Bytes Draft::record(size_t kernel) const {
  if (!hasPacks())
    return kernels[kernel].record;
  const auto entry = load<KernelEntry>(kernels[kernel].entry);
  if (entry.pack >= packs.size())
    return {};
  return cut(packs[entry.pack].content, entry.offset, entry.bytes);
}

void Draft::setRecord(size_t kernel, const Bytes &record) {
  Kernel &to = kernels[kernel];
  auto entry = load<KernelEntry>(to.entry);
  entry.recordHash = hash64(record.data(), record.size());
  if (!hasPacks()) {
    to.record = record;
  } else if (entry.pack < packs.size()) {
    Part &pack = packs[entry.pack];
    if (record.size() > entry.bytes || !inside(pack.content, entry.offset, record.size())) {
      pad(pack.content);
      entry.offset = pack.content.size();
      pack.content.resize(pack.content.size() + record.size());
    }
    std::copy(record.begin(), record.end(),
              pack.content.begin() + static_cast<ptrdiff_t>(entry.offset));
    pack.isChanged = true;
  }
  entry.bytes = static_cast<uint32_t>(record.size());
  store(to.entry, 0, entry);
}

std::optional<Draft> takeApart(std::span<const std::byte> file) {
  const auto header = load<Header>(file);
  if (file.size() < headerBytes10 || header.headerBytes < headerBytes10 ||
      header.headerBytes > file.size() || header.headerBytes > 4096)
    return std::nullopt;
  Draft draft;
  draft.header = cut(file, 0, header.headerBytes);
  draft.info = cut(file, header.infoOffset, header.infoBytes);
  for (Bytes &entry : entries(file, header.kernelEntries, header.kernelCount,
                              header.kernelEntryBytes, sizeof(KernelEntry))) {
    const auto facts = load<KernelEntry>(entry);
    Draft::Kernel kernel{std::move(entry), {}};
    if (!draft.hasPacks())
      kernel.record = cut(file, facts.offset, facts.bytes);
    draft.kernels.push_back(std::move(kernel));
  }
  if (draft.hasPacks()) {
    for (Bytes &entry :
         entries(file, header.packEntries, header.packCount, header.packEntryBytes, 64)) {
      const auto facts = load<PackEntry>(entry);
      Draft::Part part{std::move(entry), cut(file, facts.offset, facts.storedBytes), {}};
      const Bytes *base = baseOf(draft.packs, facts, draft.packs.size());
      part.content = decodeFrame(facts.codec, part.frame, base, std::min(facts.bytes, mostContent));
      draft.packs.push_back(std::move(part));
    }
  } else {
    for (Bytes &entry : entries(file, header.imageEntries, header.imageCount,
                                header.imageEntryBytes, sizeof(ImageEntry))) {
      const auto facts = load<ImageEntry>(entry);
      Draft::Part part{std::move(entry), cut(file, facts.offset, facts.storedBytes), {}};
      part.content =
          decodeFrame(facts.codec, part.frame, nullptr, std::min(facts.imageBytes, mostContent));
      draft.images.push_back(std::move(part));
    }
  }
  if (draft.kernels.empty() && draft.packs.empty() && draft.images.empty())
    return std::nullopt;
  return draft;
}

Bytes putTogether(Draft &draft, Places &places) {
  Bytes file(draft.header.size());
  for (size_t i = 0; i < draft.packs.size(); ++i) {
    Draft::Part &pack = draft.packs[i];
    auto entry = load<PackEntry>(pack.entry);
    const Bytes *base = baseOf(draft.packs, entry, i);
    if (base && draft.packs[entry.base].isChanged && !pack.content.empty())
      pack.isChanged = true;
    if (pack.isChanged) {
      pack.frame = encodeFrame(entry.codec, pack.content, base);
      entry.bytes = pack.content.size();
      store(pack.entry, 0, entry);
    }
    place<PackEntry>(file, pack);
  }
  for (Draft::Part &image : draft.images) {
    auto entry = load<ImageEntry>(image.entry);
    if (image.isChanged) {
      image.frame = encodeFrame(entry.codec, image.content, nullptr);
      entry.imageBytes = image.content.size();
      store(image.entry, 0, entry);
    }
    place<ImageEntry>(file, image);
  }
  if (!draft.hasPacks())
    for (Draft::Kernel &kernel : draft.kernels) {
      pad(file);
      auto entry = load<KernelEntry>(kernel.entry);
      entry.offset = file.size();
      entry.bytes = static_cast<uint32_t>(kernel.record.size());
      entry.recordHash = hash64(kernel.record.data(), kernel.record.size());
      store(kernel.entry, 0, entry);
      file.insert(file.end(), kernel.record.begin(), kernel.record.end());
    }
  auto header = load<Header>(draft.header);
  header.kernelCount = static_cast<uint32_t>(draft.kernels.size());
  header.kernelEntries = placeTable(file, entriesOf(draft.kernels), places.kernels);
  if (!draft.kernels.empty())
    header.kernelEntryBytes = static_cast<uint32_t>(draft.kernels[0].entry.size());
  if (draft.hasPacks()) {
    header.packCount = static_cast<uint32_t>(draft.packs.size());
    header.packEntries = placeTable(file, entriesOf(draft.packs), places.packs);
    if (!draft.packs.empty())
      header.packEntryBytes = static_cast<uint32_t>(draft.packs[0].entry.size());
  } else {
    header.imageEntries = placeTable(file, entriesOf(draft.images), places.images);
    header.imageCount = static_cast<uint32_t>(draft.images.size());
    if (!draft.images.empty())
      header.imageEntryBytes = static_cast<uint32_t>(draft.images[0].entry.size());
  }
  pad(file);
  header.infoOffset = file.size();
  header.infoBytes = static_cast<uint32_t>(draft.info.size());
  header.infoHash = hash64(draft.info.data(), draft.info.size());
  file.insert(file.end(), draft.info.begin(), draft.info.end());
  header.fileBytes = file.size();
  if (draft.header.size() > headerBytes10 && header.tableBytes != 0)
    header.tableBytes = file.size(); // the tables are at the end
  header.headerBytes = static_cast<uint32_t>(draft.header.size());
  store(draft.header, 0, header);
  std::copy(draft.header.begin(), draft.header.end(), file.begin());
  places.headerBytes = draft.header.size();
  hashAgain(file, places);
  return file;
}

void hashAgain(Bytes &file, const Places &places) {
  for (size_t i = 0; i < places.kernels.size(); ++i)
    hashEntry(file, places.kernels[i], i);
  for (size_t i = 0; i < places.packs.size(); ++i)
    hashEntry(file, places.packs[i], i);
  for (size_t i = 0; i < places.images.size(); ++i)
    hashEntry(file, places.images[i], i);
  seal(file, places.headerBytes);
  hashEntry(file, {0, places.headerBytes}, 0);
}

} // namespace sextant::fuzz
