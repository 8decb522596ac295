// Keys and entries. The keeper of the entries has checked their bytes, so decoding finds other
// formats, not damage. Numbers have eight bytes.
#include "packager/FrameMemo.h"

#include "packager/Sign.h"
#include "packager/Words.h"

#include <zstd.h>

namespace sextant::packager {

const uint64_t *FrameMemo::sizeWith(const module::Sha256 &candidate) const {
  for (const Trial &trial : trials)
    if (trial.base == candidate)
      return &trial.size;
  return nullptr;
}

std::string memoKey(const module::Sha256 &content, int level, int trialLevel) {
  std::string text = "sextant frame 2\nzstd " + std::to_string(ZSTD_versionNumber()) + " " +
                     std::to_string(level) + " " + std::to_string(trialLevel) + "\n";
  text.append(reinterpret_cast<const char *>(content.data()), content.size());
  return hex(sha256(std::as_bytes(std::span(text))));
}

template <class Value> static void put(std::string &bytes, const Value &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

template <class Value> static Value take(std::string_view &bytes) {
  Value value;
  bytes.copy(reinterpret_cast<char *>(&value), sizeof(value));
  bytes.remove_prefix(sizeof(value));
  return value;
}

std::string encodeMemo(const FrameMemo &memo) {
  std::string bytes;
  put(bytes, uint64_t(memo.trials.size()));
  for (const FrameMemo::Trial &trial : memo.trials)
    put(bytes, trial);
  put(bytes, memo.base);
  put(bytes, static_cast<uint64_t>(memo.frame.codec));
  bytes.append(reinterpret_cast<const char *>(memo.frame.bytes.data()), memo.frame.bytes.size());
  return bytes;
}

std::optional<FrameMemo> decodeMemo(std::string_view bytes) {
  if (bytes.size() < sizeof(uint64_t))
    return std::nullopt;
  const auto trials = take<uint64_t>(bytes);
  constexpr size_t rest = sizeof(module::Sha256) + sizeof(uint64_t);
  if (trials > bytes.size() / sizeof(FrameMemo::Trial) ||
      bytes.size() < trials * sizeof(FrameMemo::Trial) + rest)
    return std::nullopt;
  FrameMemo memo;
  for (uint64_t i = 0; i < trials; ++i)
    memo.trials.push_back(take<FrameMemo::Trial>(bytes));
  memo.base = take<module::Sha256>(bytes);
  const auto codec = take<uint64_t>(bytes);
  if (codec > static_cast<uint64_t>(module::format::Codec::Zstd))
    return std::nullopt;
  memo.frame.codec = static_cast<module::format::Codec>(codec);
  const auto frame = std::as_bytes(std::span(bytes));
  memo.frame.bytes.assign(frame.begin(), frame.end());
  return memo;
}

} // namespace sextant::packager
