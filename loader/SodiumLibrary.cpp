// Finds libsodium at run time, so that programs without keys do not need it.
#include "loader/AtUnload.h"
#include "loader/Sodium.h"
#include "loader/system/Library.h"

namespace sextant::loader {
namespace {

struct Library {
  module::Crypto crypto;
  std::string why; ///< empty: usable
};

Library find() {
  Library found;
  void *library = system::openLibrary(system::libraryNames.sodium, found.why);
  if (!library)
    return found;
  found.why.clear();
  auto *initialize = system::findFunction<int (*)()>(library, "sodium_init");
  auto find = [&](auto &function, const char *name) {
    function = system::findFunction<std::remove_reference_t<decltype(function)>>(library, name);
  };
  find(found.crypto.sha256, "crypto_hash_sha256");
  find(found.crypto.verify, "crypto_sign_ed25519_verify_detached");
  if (!initialize || !found.crypto.sha256 || !found.crypto.verify || initialize() < 0)
    found.why = "it lacks functions";
  return found;
}

/// The result of the first call.
const Library &libsodium() {
  static const Library *library = [] {
    atUnload([] { delete &libsodium(); });
    return new Library(find());
  }();
  return *library;
}

} // namespace

sxt_status sodium(const module::Crypto *&crypto) {
  const Library &library = libsodium();
  if (!library.why.empty())
    return fail(SXT_ERROR_UNTRUSTED,
                "no signature can be checked without libsodium (%s); install it (Debian: "
                "libsodium23), or ship it where the system's loader finds it",
                library.why.c_str());
  crypto = &library.crypto;
  return SXT_OK;
}

} // namespace sextant::loader
