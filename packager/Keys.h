// Ed25519 keys as files: PEM as openssl writes and reads it (RFC 8410: PKCS#8 for secret keys,
// SubjectPublicKeyInfo for public ones), 64 hexadecimal digits, or the 32 bytes themselves.
#pragma once

#include "loader/format/Result.h"
#include "loader/format/Trust.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sextant::packager {

/// A secret key. Its memory is wiped when it is destroyed.
struct SecretKey {
  std::array<uint8_t, 32> seed{}; ///< RFC 8032 calls it the private key

  SecretKey() = default;
  SecretKey(const SecretKey &) = default;
  SecretKey &operator=(const SecretKey &) = default;
  ~SecretKey();
};

/// Makes a new key from the system's random numbers.
SecretKey newKey();
module::PublicKey publicKeyOf(const SecretKey &key);

/// Returns the key in the bytes of a file. InvalidInput: there is none; the message says what is
/// there instead.
module::Result<SecretKey> parseSecretKey(std::string_view text);
module::Result<module::PublicKey> parsePublicKey(std::string_view text);

/// PEM.
std::string textOf(const SecretKey &key);
std::string textOf(const module::PublicKey &key);

} // namespace sextant::packager
