// The digest and the message of signed modules.
#include "loader/format/Trust.h"
#include "loader/format/Decode.h"
#include "loader/format/Format.h"

#include <algorithm>
#include <cstddef>

namespace sextant::module {

SignedMessage signedMessage(const Sha256 &tableDigest) {
  SignedMessage message{};
  std::copy(signedPrefix.begin(), signedPrefix.end(), message.begin());
  std::copy(tableDigest.begin(), tableDigest.end(), message.begin() + signedPrefix.size());
  return message;
}

Sha256 digestOfTables(std::span<const std::byte> tables, uint32_t headerBytes,
                      const Crypto &crypto) {
  std::vector<std::byte> covered;
  covered.reserve(tables.size());
  auto append = [&](size_t from, size_t to) {
    const std::span<const std::byte> part = tables.subspan(from, to - from);
    covered.insert(covered.end(), part.begin(), part.end());
  };
  append(0, offsetof(format::Header, tableDigest));
  append(format::signatureEnd, headerBytes - sizeof(uint64_t));
  append(headerBytes, tables.size());
  Sha256 digest{};
  crypto.sha256(digest.data(), reinterpret_cast<const unsigned char *>(covered.data()),
                covered.size());
  return digest;
}

Status untrusted(const std::string &what) { return {Code::Untrusted, "untrusted module: " + what}; }

Status altered(const std::string &who, const Trust &trust) {
  if (trust.keys.empty())
    return corrupt(who, "its SHA-256 does not match");
  return untrusted(who + " was altered after the module was signed; get it again from its maker");
}

std::string nameOf(const PublicKey &key) {
  std::string text;
  for (size_t i = 0; i < 8; ++i)
    for (const unsigned digit : {key[i] >> 4, key[i] & 15})
      text += "0123456789abcdef"[digit];
  return text;
}

} // namespace sextant::module
