// Finds libsodium at run time, so that programs without keys do not need it.
#include "loader/Sodium.h"

#include <dlfcn.h>

namespace sextant::loader {
namespace {

struct Library {
  module::Crypto crypto;
  std::string why; ///< empty: usable
};

Library find() {
  Library found;
  void *library = nullptr;
  for (const char *name :
       {"libsodium.so.26", "libsodium.so.23", "libsodium.26.dylib", "libsodium.23.dylib"}) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library)
      break;
    const char *error = dlerror();
    if (error && found.why.empty())
      found.why = error;
  }
  if (!library)
    return found;
  found.why.clear();
  auto *initialize = reinterpret_cast<int (*)()>(dlsym(library, "sodium_init"));
  found.crypto.sha256 =
      reinterpret_cast<decltype(found.crypto.sha256)>(dlsym(library, "crypto_hash_sha256"));
  found.crypto.verify = reinterpret_cast<decltype(found.crypto.verify)>(
      dlsym(library, "crypto_sign_ed25519_verify_detached"));
  if (!initialize || !found.crypto.sha256 || !found.crypto.verify || initialize() < 0)
    found.why = "it lacks functions";
  return found;
}

} // namespace

sxt_status sodium(const module::Crypto *&crypto) {
  static const Library *library = new Library(find());
  if (!library->why.empty())
    return fail(SXT_ERROR_UNTRUSTED,
                "no signature can be checked without libsodium (%s); install it (Debian: "
                "libsodium23), or ship it where the system's loader finds it",
                library->why.c_str());
  crypto = &library->crypto;
  return SXT_OK;
}

} // namespace sextant::loader
