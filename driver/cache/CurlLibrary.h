// The functions of libcurl that the remote cache calls, found when it is first used
// (docs/decisions/0024-remote-cache.md).
#pragma once

#define CURL_DISABLE_DEPRECATION // old options are for old libraries
#include <curl/curl.h>
#include <string>

namespace sextant {

struct CurlLibrary {
  decltype(&::curl_global_init) globalInit;
  decltype(&::curl_easy_init) easyInit;
  decltype(&::curl_easy_setopt) setOption;
  decltype(&::curl_easy_getinfo) getInfo;
  decltype(&::curl_easy_cleanup) easyCleanup;
  decltype(&::curl_easy_strerror) errorText;
  decltype(&::curl_multi_init) multiInit;
  decltype(&::curl_multi_add_handle) addHandle;
  decltype(&::curl_multi_remove_handle) removeHandle;
  decltype(&::curl_multi_perform) perform;
  decltype(&::curl_multi_poll) poll;
  decltype(&::curl_multi_wakeup) wakeUp;
  decltype(&::curl_multi_info_read) readInfo;
  decltype(&::curl_multi_cleanup) multiCleanup;
  decltype(&::curl_slist_append) appendLine;
  decltype(&::curl_slist_free_all) freeLines;

  std::string why; ///< why it cannot be used; empty: it can
};

/// Loads the library once a process. Thread-safe.
const CurlLibrary &curlLibrary();

} // namespace sextant
