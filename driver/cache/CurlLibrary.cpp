// Finds libcurl at run time, so that only builds with a remote cache need it.
#include "driver/cache/CurlLibrary.h"

#include <dlfcn.h>

namespace sextant {
namespace {

CurlLibrary find() {
  CurlLibrary found{};
  // Debian has a second one with GnuTLS.
  void *library = nullptr;
  for (const char *name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
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
  const auto take = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function && found.why.empty())
      found.why = "libcurl is too old: it has no " + std::string(name) + " (7.68 has)";
  };
#define SEXTANT_CURL_TAKE(member, name) take(found.member, #name);
  SEXTANT_CURL_FUNCTIONS(SEXTANT_CURL_TAKE)
#undef SEXTANT_CURL_TAKE
  if (found.why.empty() && found.globalInit(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    found.why = "libcurl does not start";
  return found;
}

} // namespace

const CurlLibrary &curlLibrary() {
  static const auto *library = new CurlLibrary(find());
  return *library;
}

} // namespace sextant
