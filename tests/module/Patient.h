// A module that is damaged and then hashed anew, so that damage gets past the hashes
// to the checks after them.
#pragma once

#include "loader/format/Format.h"
#include "loader/format/Hash.h"
#include "loader/format/Packs.h"
#include "loader/format/Reader.h"
#include "tests/module/Sample.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

namespace sextant::test {

using namespace module;
using namespace module::format;

/// A module under damage.
struct Patient {
  std::vector<std::byte> bytes;

  template <class T> T get(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }
  template <class T> void put(uint64_t offset, const T &value) {
    std::memcpy(bytes.data() + offset, &value, sizeof(T));
  }
  template <class T> void edit(uint64_t offset, const std::function<void(T &)> &change) {
    T value = get<T>(offset);
    change(value);
    put(offset, value);
  }

  bool fits(uint64_t offset, uint64_t size) const {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  }
  /// Bytes of the header and of a pack's entry, as it states them where that makes sense.
  uint32_t headerBytes() const {
    const auto stated = get<uint32_t>(offsetof(Header, headerBytes));
    const bool makesSense = stated >= headerBytes10 && stated <= maxFixedBytes && fits(0, stated);
    return makesSense ? stated : headerBytes10;
  }
  uint32_t packEntryBytes() const {
    const uint32_t stated = header().packEntryBytes;
    return stated >= packEntryBytes11 && stated <= maxFixedBytes ? stated : packEntryBytes11;
  }
  Header header() const { return loadHashed<Header>(bytes.data(), headerBytes()); }
  uint64_t kernelEntryAt(uint32_t i) const {
    return header().kernelEntries + i * sizeof(KernelEntry);
  }
  uint64_t imageEntryAt(uint32_t i) const { return header().imageEntries + i * sizeof(ImageEntry); }
  uint64_t packEntryAt(uint32_t i) const {
    return header().packEntries + uint64_t(i) * packEntryBytes();
  }
  KernelEntry kernelEntry(uint32_t i) const { return get<KernelEntry>(kernelEntryAt(i)); }
  PackEntry packEntry(uint32_t i) const {
    return loadHashed<PackEntry>(bytes.data() + packEntryAt(i), packEntryBytes());
  }
  bool hasPacks() const { return (header().required & requiredPacks) != 0; }

  /// Where a kernel's record lies in the file. Its pack has to be stored.
  uint64_t recordAt(uint32_t kernel) const {
    const KernelEntry entry = kernelEntry(kernel);
    return entry.offset + (hasPacks() ? packEntry(entry.pack).offset : 0);
  }

  /// Stores all packs as they are, so that what is in them can be damaged.
  void storePacks() {
    const std::vector<std::byte> packed = bytes;
    const Header head = header();
    PackCache cache;
    for (uint32_t i = 0; i < head.packCount; ++i) {
      const auto content = packContent(ByteSource(packed), head, i, 1 << 30, cache);
      PackEntry entry = packEntry(i);
      std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(entry.offset), entry.storedBytes,
                  std::byte{0}); // belongs to nothing now
      bytes.resize((bytes.size() + 7) / 8 * 8);
      entry.offset = bytes.size();
      const std::span<const std::byte> all = (*content)->bytes();
      entry.storedBytes = entry.bytes = all.size();
      entry.codec = static_cast<uint32_t>(Codec::Stored);
      entry.base = noBase;
      bytes.insert(bytes.end(), all.begin(), all.end());
      put(packEntryAt(i), entry);
    }
    edit<Header>(0, [&](Header &h) { h.fileBytes = bytes.size(); });
    hashAgain();
  }

  /// Number and record of the kernel `total`.
  uint32_t total() const { return *Reader::fromMemory(bytes)->findKernel("total"); }

  void hashAgain() {
    if (bytes.size() < headerBytes10)
      return;
    Header head = header();
    if (fits(head.infoOffset, head.infoBytes))
      head.infoHash = hash64(bytes.data() + head.infoOffset, head.infoBytes);
    const uint32_t packs = hasPacks() ? head.packCount : 0;
    for (uint32_t i = 0; i < head.kernelCount && fits(kernelEntryAt(i), sizeof(KernelEntry)); ++i) {
      KernelEntry entry = kernelEntry(i);
      const bool isInPack = entry.pack < packs && fits(packEntryAt(entry.pack), packEntryBytes());
      const uint64_t at = entry.offset + (isInPack ? packEntry(entry.pack).offset : 0);
      const bool isPlain = !hasPacks() || (isInPack && packEntry(entry.pack).codec == 0);
      if (isPlain && fits(at, entry.bytes))
        entry.recordHash = hash64(bytes.data() + at, entry.bytes);
      putHashed(kernelEntryAt(i), entry, i);
    }
    for (uint32_t i = 0; i < packs && fits(packEntryAt(i), packEntryBytes()); ++i) {
      PackEntry entry = packEntry(i);
      if (entry.codec == 0 && fits(entry.offset, entry.storedBytes)) {
        const auto hash = hash128(bytes.data() + entry.offset, entry.storedBytes);
        std::memcpy(entry.contentHash, hash.data(), sizeof(entry.contentHash));
      }
      putHashed(packEntryAt(i), entry, i);
    }
    if (!hasPacks())
      for (uint32_t i = 0; i < head.imageCount && fits(imageEntryAt(i), sizeof(ImageEntry)); ++i)
        putHashed(imageEntryAt(i), get<ImageEntry>(imageEntryAt(i)), i);
    putHashed(0, head, 0);
  }
  /// Puts the header or an entry, as many bytes of it as the module has, and their hash.
  template <class T> void putHashed(uint64_t offset, const T &value, uint64_t seed) {
    uint32_t stated = sizeof(T);
    if constexpr (std::is_same_v<T, Header>)
      stated = headerBytes();
    else if constexpr (std::is_same_v<T, PackEntry>)
      stated = packEntryBytes();
    const uint64_t hashAt = stated - sizeof(uint64_t);
    std::memcpy(bytes.data() + offset, &value,
                std::min<uint64_t>(sizeof(T) - sizeof(uint64_t), hashAt));
    put(offset + hashAt, hash64(bytes.data() + offset, hashAt, seed));
  }

  std::string openError() const {
    const auto reader = Reader::fromMemory(bytes);
    return reader.ok() ? "" : reader.error().message;
  }
  std::string verifyError() const {
    const auto reader = Reader::fromMemory(bytes);
    return reader.ok() ? reader->verify().message : reader.error().message;
  }
};

/// Returns what the reader says of a damaged part.
inline std::string about(const std::string &who, const std::string &what) {
  return "corrupt module: " + who + ": " + what + "; build or copy it again";
}

/// Returns what the reader says of the sample's kernel `total`.
inline std::string total(const std::string &what) { return about("kernel 'total'", what); }

/// The sample with all packs stored.
inline Patient plainSample() {
  Patient patient{sampleModule()};
  patient.storePacks();
  return patient;
}

/// Returns what the reader says when the record of kernel `total`, which lies at `at`, was changed.
inline std::string afterRecordEdit(const std::function<void(Patient &, uint64_t at)> &change) {
  Patient patient = plainSample();
  change(patient, patient.recordAt(patient.total()));
  patient.hashAgain();
  return patient.verifyError();
}

/// The same of the record's head.
inline std::string afterRecordEdit(const std::function<void(KernelRecord &)> &change) {
  return afterRecordEdit(
      [&](Patient &patient, uint64_t at) { patient.edit<KernelRecord>(at, change); });
}

/// The same of an item: `table` is where the record's head has its table.
template <class Item>
std::string afterItemEdit(Table KernelRecord::*table, uint32_t index,
                          const std::function<void(Item &)> &change) {
  return afterRecordEdit([&](Patient &patient, uint64_t at) {
    const Table where = patient.get<KernelRecord>(at).*table;
    REQUIRE(index < where.count);
    patient.edit<Item>(at + where.offset + index * sizeof(Item), change);
  });
}

/// A module of version 1.0, in which images have entries of their own.
inline Patient oldSample() {
  std::ifstream file(std::string(SEXTANT_GOLDEN_DIR) + "/v1.0.sxt", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto *first = reinterpret_cast<const std::byte *>(text.data());
  return {{first, first + text.size()}};
}

} // namespace sextant::test
