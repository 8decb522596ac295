// Writes one record of the module file: head, texts, tables (Format.h).
#pragma once

#include "loader/format/Format.h"

#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::packager {

/// Add texts first, then call finish() with the head and each table.
class RecordWriter {
public:
  explicit RecordWriter(size_t headBytes) : bytes(headBytes) {}

  /// Short texts are stored once. Long ones are stored as often as they are used, because readers
  /// limit the texts' total by the record's size (format::maxTextRatio).
  module::format::Text text(std::string_view value) {
    hasNul |= value.find('\0') != value.npos;
    const auto size = static_cast<uint32_t>(value.size());
    if (size <= 64)
      if (auto known = texts.find(value); known != texts.end())
        return {known->second, size};
    const auto offset = static_cast<uint32_t>(bytes.size());
    append(value.data(), value.size());
    if (size <= 64)
      texts.emplace(value, offset);
    return {offset, size};
  }

  template <class Item> module::format::Table table(const std::vector<Item> &items) {
    bytes.resize((bytes.size() + 7) / 8 * 8);
    const auto offset = static_cast<uint32_t>(bytes.size());
    append(items.data(), items.size() * sizeof(Item));
    return {offset, static_cast<uint32_t>(items.size()), sizeof(Item)};
  }

  template <class Head> std::vector<std::byte> finish(const Head &head) {
    std::memcpy(bytes.data(), &head, sizeof(Head));
    return std::move(bytes);
  }

  /// Set if a text had a NUL byte, which no reader accepts.
  bool hasNul = false;

private:
  std::vector<std::byte> bytes;
  std::map<std::string, uint32_t, std::less<>> texts;

  void append(const void *data, size_t size) {
    const auto *first = static_cast<const std::byte *>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
};

} // namespace sextant::packager
