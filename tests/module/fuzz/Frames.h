// zstd frames, as the packager makes them and as nobody should.
#pragma once

#include "tests/module/fuzz/Random.h"

#include <cstddef>
#include <span>
#include <vector>

namespace sextant::fuzz {

/// Empty where the frame is damaged or holds more than `most` bytes.
std::vector<std::byte> decodeFrame(uint32_t codec, const std::vector<std::byte> &frame,
                                   const std::vector<std::byte> *base, uint64_t most);

/// For an unknown codec: the bytes themselves.
std::vector<std::byte> encodeFrame(uint32_t codec, const std::vector<std::byte> &content,
                                   const std::vector<std::byte> *base);

/// Something that decodes to `content`, to part of it, or to more, in a way that the format does
/// not write: without content size, several frames, skippable ones, another window, a
/// checksum, another size stated, a frame of an old zstd.
std::vector<std::byte> oddFrame(Random &random, const std::vector<std::byte> &content,
                                const std::vector<std::byte> *base);

} // namespace sextant::fuzz
