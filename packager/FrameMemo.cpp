// Keys and entries. Whoever keeps the entries has checked their bytes, so decoding finds other
// formats, not damage. Numbers have eight bytes.
#include "packager/FrameMemo.h"

#include "packager/Sign.h"
#include "packager/Words.h"

#include <cstring>
#include <zstd.h>

namespace sextant::packager {

std::string memoKey(const module::Sha256 &content, std::span<const module::Sha256> candidates,
                    int level, int trialLevel) {
  std::string text = "sextant frame 1\nzstd " + std::to_string(ZSTD_versionNumber()) + " " +
                     std::to_string(level) + " " + std::to_string(trialLevel) + "\n";
  const auto add = [&](const module::Sha256 &hash) {
    text.append(reinterpret_cast<const char *>(hash.data()), hash.size());
  };
  add(content);
  for (const module::Sha256 &candidate : candidates)
    add(candidate);
  return hex(sha256(std::as_bytes(std::span(text))));
}

std::string encodeMemo(const FrameMemo &memo) {
  std::string bytes;
  const auto number = [&](uint64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  };
  for (const uint64_t size : memo.trials)
    number(size);
  number(memo.candidate);
  number(static_cast<uint64_t>(memo.frame.codec));
  bytes.append(reinterpret_cast<const char *>(memo.frame.bytes.data()), memo.frame.bytes.size());
  return bytes;
}

std::optional<FrameMemo> decodeMemo(std::string_view bytes, size_t candidates) {
  if (bytes.size() < (candidates + 2) * sizeof(uint64_t))
    return std::nullopt;
  const auto number = [&] {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof(value));
    bytes.remove_prefix(sizeof(value));
    return value;
  };
  FrameMemo memo;
  for (size_t i = 0; i < candidates; ++i)
    memo.trials.push_back(number());
  const uint64_t candidate = number(), codec = number();
  if (candidate >= candidates || codec > static_cast<uint64_t>(module::format::Codec::Zstd))
    return std::nullopt;
  memo.candidate = static_cast<uint32_t>(candidate);
  memo.frame.codec = static_cast<module::format::Codec>(codec);
  const auto rest = std::as_bytes(std::span(bytes));
  memo.frame.bytes.assign(rest.begin(), rest.end());
  return memo;
}

} // namespace sextant::packager
