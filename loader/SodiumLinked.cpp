// libsodium, linked into the loader: SEXTANT_LINK_SODIUM.
#include "loader/Sodium.h"

#include <sodium.h>

namespace sextant::loader {

sxt_status sodium(const module::Crypto *&crypto) {
  static constexpr module::Crypto functions{&crypto_hash_sha256,
                                            &crypto_sign_ed25519_verify_detached};
  static const bool usable = sodium_init() >= 0;
  if (!usable)
    return fail(SXT_ERROR_UNTRUSTED, "no signature can be checked: libsodium cannot be started");
  crypto = &functions;
  return SXT_OK;
}

} // namespace sextant::loader
