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
  take(found.globalInit, "curl_global_init");
  take(found.easyInit, "curl_easy_init");
  take(found.setOption, "curl_easy_setopt");
  take(found.getInfo, "curl_easy_getinfo");
  take(found.easyCleanup, "curl_easy_cleanup");
  take(found.errorText, "curl_easy_strerror");
  take(found.multiInit, "curl_multi_init");
  take(found.addHandle, "curl_multi_add_handle");
  take(found.removeHandle, "curl_multi_remove_handle");
  take(found.perform, "curl_multi_perform");
  take(found.poll, "curl_multi_poll");
  take(found.wakeUp, "curl_multi_wakeup");
  take(found.readInfo, "curl_multi_info_read");
  take(found.multiCleanup, "curl_multi_cleanup");
  take(found.appendLine, "curl_slist_append");
  take(found.freeLines, "curl_slist_free_all");
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
