// The functions of libcurl that the remote cache calls, found when it is first used
// (docs/decisions/0024-remote-cache.md).
#pragma once

#define CURL_DISABLE_DEPRECATION // old options are for old libraries
#include <curl/curl.h>
#include <string>

namespace sextant {

/// The member, and the function.
#define SEXTANT_CURL_FUNCTIONS(F)                                                                  \
  F(globalInit, curl_global_init)                                                                  \
  F(easyInit, curl_easy_init)                                                                      \
  F(setOption, curl_easy_setopt)                                                                   \
  F(getInfo, curl_easy_getinfo)                                                                    \
  F(easyCleanup, curl_easy_cleanup)                                                                \
  F(errorText, curl_easy_strerror)                                                                 \
  F(multiInit, curl_multi_init)                                                                    \
  F(addHandle, curl_multi_add_handle)                                                              \
  F(removeHandle, curl_multi_remove_handle)                                                        \
  F(perform, curl_multi_perform)                                                                   \
  F(poll, curl_multi_poll)                                                                         \
  F(wakeUp, curl_multi_wakeup)                                                                     \
  F(readInfo, curl_multi_info_read)                                                                \
  F(multiCleanup, curl_multi_cleanup)                                                              \
  F(appendLine, curl_slist_append)                                                                 \
  F(freeLines, curl_slist_free_all)

struct CurlLibrary {
#define SEXTANT_CURL_MEMBER(member, name) decltype(&::name) member;
  SEXTANT_CURL_FUNCTIONS(SEXTANT_CURL_MEMBER)
#undef SEXTANT_CURL_MEMBER

  std::string why; ///< why it cannot be used; empty: it can
};

/// Loads the library once a process. Thread-safe.
const CurlLibrary &curlLibrary();

} // namespace sextant
