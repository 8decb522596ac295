// Many HTTP requests at once, on the caller's thread, by libcurl. It knows nothing of caches.
#pragma once

#include "driver/cache/CurlLibrary.h"
#include "driver/cache/RemoteSettings.h"

#include <functional>
#include <list>
#include <memory>
#include <string>

namespace sextant {

struct HttpRequest {
  std::string key; ///< the text after the URL
  bool isPut = false;
  std::string body; ///< a PUT's
};

struct HttpAnswer {
  long status = 0;
  std::string body;
  std::string problem;    ///< why there is no answer; empty: there is one
  bool isTooLong = false; ///< the body has no end, or is larger than any entry
};

class HttpTransfers {
public:
  /// The largest body that is taken.
  static constexpr size_t maxBody = size_t(16) << 20;

  explicit HttpTransfers(const RemoteSettings &settings);
  ~HttpTransfers();

  void start(HttpRequest request);
  size_t count() const { return running.size(); }
  /// Gives up those of which `isUnwanted` says so.
  void cancel(const std::function<bool(const HttpRequest &)> &isUnwanted);
  /// Moves bytes, or waits at most `limit` for some. `done` hears of each request that ended.
  void turn(std::chrono::milliseconds limit,
            const std::function<void(HttpRequest, HttpAnswer)> &done);
  /// Ends the wait of turn(). From any thread.
  void wakeUp() { curl.wakeUp(multi); }

private:
  struct Transfer {
    HttpRequest request;
    HttpAnswer answer;
    CURL *handle = nullptr;
  };
  static size_t receive(char *bytes, size_t, size_t count, void *to);
  void setOptions(Transfer &transfer);
  void end(const Transfer &transfer);

  const RemoteSettings &settings;
  const CurlLibrary &curl = curlLibrary();
  CURLM *multi = nullptr;
  curl_slist *headers = nullptr;
  std::list<Transfer> running;
};

} // namespace sextant
