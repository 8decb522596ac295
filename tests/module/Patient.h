// A module that is damaged and then hashed anew, so that damage gets past the hashes
// to the checks behind them.
#pragma once

#include "loader/format/Format.h"
#include "loader/format/Hash.h"
#include "loader/format/Reader.h"

#include <cstring>
#include <functional>

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
  Header header() const { return get<Header>(0); }
  uint64_t kernelEntryAt(uint32_t i) const {
    return header().kernelEntries + i * sizeof(KernelEntry);
  }
  uint64_t imageEntryAt(uint32_t i) const { return header().imageEntries + i * sizeof(ImageEntry); }
  KernelEntry kernelEntry(uint32_t i) const { return get<KernelEntry>(kernelEntryAt(i)); }

  /// Number and record of the kernel `total`.
  uint32_t total() const { return *Reader::fromMemory(bytes)->findKernel("total"); }

  void hashAgain() {
    if (bytes.size() < sizeof(Header))
      return;
    Header head = header();
    if (fits(head.infoOffset, head.infoBytes))
      head.infoHash = hash64(bytes.data() + head.infoOffset, head.infoBytes);
    for (uint32_t i = 0; i < head.kernelCount && fits(kernelEntryAt(i), sizeof(KernelEntry)); ++i) {
      KernelEntry entry = kernelEntry(i);
      if (fits(entry.offset, entry.bytes))
        entry.recordHash = hash64(bytes.data() + entry.offset, entry.bytes);
      putHashed(kernelEntryAt(i), entry, i);
    }
    for (uint32_t i = 0; i < head.imageCount && fits(imageEntryAt(i), sizeof(ImageEntry)); ++i)
      putHashed(imageEntryAt(i), get<ImageEntry>(imageEntryAt(i)), i);
    putHashed(0, head, 0);
  }
  template <class T> void putHashed(uint64_t offset, T value, uint64_t seed) {
    value.hash = hash64(&value, sizeof(T) - sizeof(uint64_t), seed);
    put(offset, value);
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

} // namespace sextant::test
