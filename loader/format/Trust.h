// Who may have made a module: the hash and signature that make it trusted, and where the
// functions come from that compute them. The reader brings no cryptography of its own:
// the loader finds libsodium when a key is given, the command is linked with it.
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

/// Functions of libsodium; they return 0 for success.
struct Crypto {
  int (*sha256)(unsigned char *digest, const unsigned char *data,
                unsigned long long bytes) = nullptr;
  /// Ed25519 (RFC 8032), detached. Other than 0: no signature of that message by that key.
  int (*verify)(const unsigned char *signature, const unsigned char *message,
                unsigned long long bytes, const unsigned char *publicKey) = nullptr;
};

using Sha256 = std::array<uint8_t, 32>;
using PublicKey = std::array<uint8_t, 32>;

/// What a Reader holds a module to.
struct Trust {
  const Crypto *crypto = nullptr; ///< null: digests are not looked at
  /// Not empty: the module must be signed with one of them.
  std::vector<PublicKey> keys;
};

/// What is signed: this text, with its NUL, then Header::tableDigest. So no signature of a
/// module is one of anything else, nor the other way around.
inline constexpr std::string_view signedPrefix{"sextant module signature 1\0", 27};
using SignedMessage = std::array<uint8_t, signedPrefix.size() + 32>;
SignedMessage signedMessage(const Sha256 &tableDigest);

/// SHA-256 of a module's tables as Header::tableDigest has it: of the first
/// Header::tableBytes bytes of the file but for the digest, key and signature that the header
/// holds, and its hash.
Sha256 digestOfTables(std::span<const std::byte> tables, uint32_t headerBytes,
                      const Crypto &crypto);

/// Why a module is not trusted.
Status untrusted(const std::string &what);
/// That a part is not what its digest says. Where keys are given, someone altered it.
Status altered(const std::string &who, const Trust &trust);

/// The start of a key in hexadecimal, enough to tell keys apart.
std::string nameOf(const PublicKey &key);

} // namespace sextant::module
