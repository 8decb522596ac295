// A module taken apart, so that it can be changed and put together again with every offset,
// size and hash as it has to be. For the fuzzer; takes files that the reader would not.
#pragma once

#include "loader/format/Format.h"
#include "packager/Keys.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace sextant::fuzz {

using Bytes = std::vector<std::byte>;

/// The front of `bytes` as a T; what is missing is zero.
template <class T> T load(std::span<const std::byte> bytes, size_t at = 0) {
  T value{};
  if (at < bytes.size())
    std::memcpy(&value, bytes.data() + at, std::min(sizeof(T), bytes.size() - at));
  return value;
}
/// The other way: what does not fit is left out.
template <class T> void store(std::span<std::byte> bytes, size_t at, const T &value) {
  if (at < bytes.size())
    std::memcpy(bytes.data() + at, &value, std::min(sizeof(T), bytes.size() - at));
}

struct Draft {
  /// A pack, or an image of 1.0: an entry and what it is about.
  struct Part {
    Bytes entry; ///< as it lies in the file
    Bytes frame;
    Bytes content; ///< decompressed; empty where that failed
    bool isChanged = false;
  };
  struct Kernel {
    Bytes entry;
    Bytes record; ///< 1.0; else in its pack's content
  };
  Bytes header;
  Bytes info;
  std::vector<Kernel> kernels;
  std::vector<Part> packs, images;

  bool hasPacks() const {
    return (load<module::format::Header>(header).required & module::format::requiredPacks) != 0;
  }
  /// The record of a kernel, wherever it lies; empty where that is nowhere.
  Bytes record(size_t kernel) const;
  /// Puts it in the old one's place where it fits, else after all others.
  void setRecord(size_t kernel, const Bytes &record);
};

/// Nothing where the bytes have no header with tables inside.
std::optional<Draft> takeApart(std::span<const std::byte> file);

/// Where entries are in a file that was put together: their hashes are made by that, also
/// when the header says otherwise by then.
struct Places {
  struct Entry {
    size_t at = 0, bytes = 0;
  };
  size_t headerBytes = 0;
  std::vector<Entry> kernels, packs, images;
};

/// The file. Frames whose content changed, or whose base's did, are made anew.
Bytes putTogether(Draft &draft, Places &places);

/// Modules are signed with it here.
const packager::SecretKey &testKey();

/// Makes the hashes of entries and header right, where there are such the digest of the tables
/// too, and the signature of a header that names the key above.
void hashAgain(Bytes &file, const Places &places);

} // namespace sextant::fuzz
