// Trust in a module's maker: the digest, the signature, and the functions that compute them. The
// reader has no cryptography of its own. The loader finds libsodium when a key is given; the
// command is linked with it.
#pragma once

#include "loader/format/Result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::module {

/// Functions of libsodium. They return 0 for success.
struct Crypto {
  int (*sha256)(unsigned char *digest, const unsigned char *data,
                unsigned long long bytes) = nullptr;
  /// Ed25519 (RFC 8032), detached. A result other than 0: the key did not sign that message.
  int (*verify)(const unsigned char *signature, const unsigned char *message,
                unsigned long long bytes, const unsigned char *publicKey) = nullptr;
};

using Sha256 = std::array<uint8_t, 32>;
using PublicKey = std::array<uint8_t, 32>;

/// The signature and digest that a Reader requires of a module.
struct Trust {
  const Crypto *crypto = nullptr; ///< null: digests are not looked at
  /// If not empty, the module must be signed with one of these keys.
  std::vector<PublicKey> keys;
};

/// The signed message is this text, with its NUL, then Header::tableDigest. So a module's signature
/// never fits anything else, nor the other way around.
inline constexpr std::string_view signedPrefix{"sextant module signature 1\0", 27};
using SignedMessage = std::array<uint8_t, signedPrefix.size() + 32>;
SignedMessage signedMessage(const Sha256 &tableDigest);

/// Computes the SHA-256 of a module's tables for Header::tableDigest: of the first
/// Header::tableBytes bytes of the file, except the header's digest, key, signature and hash.
Sha256 digestOfTables(std::span<const std::byte> tables, uint32_t headerBytes,
                      const Crypto &crypto);

/// An error that says why a module is not trusted.
Status untrusted(const std::string &what);
/// An error that says that a part does not match its digest. With keys, the message says that the
/// part was altered.
Status altered(const std::string &who, const Trust &trust);

/// The start of a key in hexadecimal, enough to tell keys apart.
std::string nameOf(const PublicKey &key);

} // namespace sextant::module
