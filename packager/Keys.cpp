// Reads and writes keys. The DER of an Ed25519 key is a fixed prefix and 32 bytes.
#include "packager/Keys.h"

#include <algorithm>
#include <sodium.h>
#include <span>
#include <vector>

namespace sextant::packager {

using module::Code;
using module::Result;
using module::Status;

namespace {

/// RFC 8410, sections 4 and 7. A secret key is version 0, algorithm 1.3.101.112, and an octet
/// string in an octet string. A public key is the algorithm and a bit string.
constexpr uint8_t secretPrefix[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                    0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
constexpr uint8_t publicPrefix[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                    0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
constexpr std::string_view secretLabel = "PRIVATE KEY", publicLabel = "PUBLIC KEY";
constexpr const char *blanks = " \t\r\n";

using Key = std::array<uint8_t, 32>;

Status noKey(const std::string &what) {
  return {Code::InvalidInput,
          what + "; pass PEM as `sextant keygen` and openssl write it, 64 hexadecimal digits, or "
                 "32 bytes"};
}

/// Returns the text between the first and last line of a PEM block; empty if there is no such
/// block.
std::string_view blockOf(std::string_view text, std::string_view label) {
  const std::string begin = "-----BEGIN " + std::string(label) + "-----",
                    end = "-----END " + std::string(label) + "-----";
  const size_t from = text.find(begin), to = text.find(end);
  if (from == text.npos || to == text.npos || to < from)
    return {};
  return text.substr(from + begin.size(), to - from - begin.size());
}

Result<Key> parse(std::string_view text, std::string_view label, std::span<const uint8_t> prefix) {
  Key key{};
  const size_t first = text.find_first_not_of(blanks);
  const std::string_view word =
      first == text.npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
  size_t bytes = 0;
  if (word.size() == 64 && sodium_hex2bin(key.data(), key.size(), word.data(), word.size(), nullptr,
                                          &bytes, nullptr) == 0)
    return key;
  if (text.find("-----BEGIN ") == text.npos) {
    if (text.size() != key.size())
      return noKey("this is not a key");
    std::copy(text.begin(), text.end(), key.begin());
    return key;
  }
  if (const std::string_view other = label == secretLabel ? publicLabel : secretLabel;
      !blockOf(text, other).empty() && blockOf(text, label).empty())
    return noKey(label == secretLabel ? "this is a public key, not the secret one"
                                      : "this is a secret key, not the public one");
  const std::string_view base64 = blockOf(text, label);
  std::vector<uint8_t> der(prefix.size() + key.size()); // too small for a key of another kind
  if (sodium_base642bin(der.data(), der.size(), base64.data(), base64.size(), blanks, &bytes,
                        nullptr, sodium_base64_VARIANT_ORIGINAL) != 0)
    bytes = 0;
  const bool isOurs =
      bytes == prefix.size() + key.size() && std::equal(prefix.begin(), prefix.end(), der.begin());
  if (isOurs)
    std::copy_n(der.begin() + static_cast<ptrdiff_t>(prefix.size()), key.size(), key.begin());
  sodium_memzero(der.data(), der.size());
  if (!isOurs)
    return noKey("this is not a plain Ed25519 key: of another kind, or encrypted");
  return key;
}

std::string pem(std::string_view label, std::span<const uint8_t> prefix, const Key &key) {
  std::vector<uint8_t> der(prefix.begin(), prefix.end());
  der.insert(der.end(), key.begin(), key.end());
  std::string base64(sodium_base64_encoded_len(der.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(base64.data(), base64.size(), der.data(), der.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  base64.pop_back(); // its NUL
  sodium_memzero(der.data(), der.size());
  const std::string name(label);
  return "-----BEGIN " + name + "-----\n" + base64 + "\n-----END " + name + "-----\n";
}

} // namespace

SecretKey::~SecretKey() { sodium_memzero(seed.data(), seed.size()); }

SecretKey newKey() {
  SecretKey key; // randombytes_buf ends the process where the system has no random numbers
  randombytes_buf(key.seed.data(), key.seed.size());
  return key;
}

module::PublicKey publicKeyOf(const SecretKey &key) {
  module::PublicKey publicKey{};
  std::array<uint8_t, crypto_sign_ed25519_SECRETKEYBYTES> pair{};
  crypto_sign_ed25519_seed_keypair(publicKey.data(), pair.data(), key.seed.data());
  sodium_memzero(pair.data(), pair.size());
  return publicKey;
}

Result<SecretKey> parseSecretKey(std::string_view text) {
  Result<Key> parsed = parse(text, secretLabel, secretPrefix);
  if (!parsed)
    return parsed.error();
  SecretKey key;
  key.seed = *parsed;
  sodium_memzero(parsed->data(), parsed->size());
  return key;
}

Result<module::PublicKey> parsePublicKey(std::string_view text) {
  return parse(text, publicLabel, publicPrefix);
}

std::string textOf(const SecretKey &key) { return pem(secretLabel, secretPrefix, key.seed); }
std::string textOf(const module::PublicKey &key) { return pem(publicLabel, publicPrefix, key); }

} // namespace sextant::packager
