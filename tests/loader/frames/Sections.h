// Sections .eh_frame_hdr and .eh_frame put together by hand, byte by byte.
#pragma once

#include "loader/system/Frames.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace sextant::test {

/// The segment begins with the index, at address 0x100 of an image of 0x10000 bytes that begins at
/// address 0. Records follow.
struct Sections {
  using Bytes = std::vector<uint8_t>;
  static constexpr uint32_t address = 0x100;

  /// The state that functions share: the frame's address is rsp + 8, and the return address is
  /// below.
  static Bytes plainCommon() {
    return {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x80 | 16, 1};
  }

  explicit Sections(const Bytes &common = plainCommon(), uint32_t mostFunctions = 30)
      : bytes(12 + 8 * mostFunctions), records(static_cast<uint32_t>(bytes.size())) {
    const uint8_t kind[] = {1, 0x1b, 0x03, 0x3b};
    std::memcpy(bytes.data(), kind, sizeof kind);
    put(4, records - 4);
    Bytes body(4); // it is not a function's
    body.insert(body.end(), common.begin(), common.end());
    append(body);
  }

  /// Adds a function. Its instructions are padded with zeros, which mean nothing.
  void add(uint32_t begin, uint32_t size, const Bytes &instructions) {
    const auto at = static_cast<uint32_t>(bytes.size());
    const auto entry = 12 + 8 * count++;
    put(entry, begin - address);
    put(entry + 4, at);
    put(8, count);
    Bytes body(13); // the distance to what is common, the function, its size, no more data
    body.insert(body.end(), instructions.begin(), instructions.end());
    append(body);
    put(at + 4, at + 4 - records);
    put(at + 8, begin - (address + at + 8));
    put(at + 12, size);
  }

  void put(size_t at, uint32_t value) { std::memcpy(&bytes[at], &value, sizeof value); }

  system::FrameSections sections() const { return sections(bytes); }
  static system::FrameSections sections(const Bytes &bytes) {
    return {std::as_bytes(std::span(bytes)), address, address, 0, 0x10000};
  }

  Bytes bytes;
  const uint32_t records; ///< where they begin
  uint32_t count = 0;     ///< number of functions

private:
  void append(Bytes body) {
    body.resize((body.size() + 3) & ~size_t(3));
    const size_t at = bytes.size();
    bytes.resize(at + 4);
    put(at, static_cast<uint32_t>(body.size()));
    bytes.insert(bytes.end(), body.begin(), body.end());
  }
};

} // namespace sextant::test
