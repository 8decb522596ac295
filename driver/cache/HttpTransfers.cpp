// The options of requests, and the loop over those that run.
#include "driver/cache/HttpTransfers.h"

#include "driver/Version.h"

#include <algorithm>
#include <strings.h>

namespace sextant {
namespace {
/// Timeouts after which the server counts as unreachable.
constexpr long connectMs = 2000, requestMs = 30'000;
/// A transfer of fewer bytes a second, for so many seconds, is given up.
constexpr long slowBytes = 1024, slowSeconds = 5;
} // namespace

HttpTransfers::HttpTransfers(const RemoteSettings &settings) : settings(settings) {
  multi = curl.multiInit();
  const auto add = [&](const std::string &line) {
    headers = curl.appendLine(headers, line.c_str());
  };
  add("Content-Type: application/octet-stream");
  add("Expect:"); // no question before a body: it costs a round trip
  if (!settings.header.empty())
    add(settings.header);
}

HttpTransfers::~HttpTransfers() {
  cancel([](const HttpRequest &) { return true; });
  curl.freeLines(headers);
  curl.multiCleanup(multi);
}

/// libcurl's callback. Taking less than there is ends the transfer.
size_t HttpTransfers::receive(char *bytes, size_t, size_t count, void *to) {
  auto &answer = static_cast<Transfer *>(to)->answer;
  answer.isTooLong = answer.body.size() + count > maxBody;
  if (answer.isTooLong)
    return 0;
  answer.body.append(bytes, count);
  return count;
}

void HttpTransfers::setOptions(Transfer &transfer) {
  const auto set = [&](CURLoption option, auto value) {
    curl.setOption(transfer.handle, option, value);
  };
  const std::string url = settings.url + "/" + transfer.request.key;
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PRIVATE, static_cast<void *>(&transfer));
  set(CURLOPT_WRITEFUNCTION, &HttpTransfers::receive);
  set(CURLOPT_WRITEDATA, static_cast<void *>(&transfer));
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_USERAGENT, "sextant/" SEXTANT_VERSION);
  if (!settings.authorities.empty())
    set(CURLOPT_CAINFO, settings.authorities.c_str());
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
  // libcurl keeps `Authorization` from other hosts, but no other header.
  const bool isSafe =
      settings.header.empty() || strncasecmp(settings.header.c_str(), "Authorization:", 14) == 0;
  const long protocols =
      settings.url.starts_with("https:") ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS;
  // Nor does a body go where a server sends it.
  set(CURLOPT_FOLLOWLOCATION, isSafe && !transfer.request.isPut ? 1L : 0L);
  set(CURLOPT_MAXREDIRS, 3L);
  // The newer options of the same meaning are texts, which libcurl before 7.85 does not know.
  set(CURLOPT_PROTOCOLS, protocols);
  set(CURLOPT_REDIR_PROTOCOLS, protocols);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, connectMs);
  set(CURLOPT_TIMEOUT_MS, requestMs);
  set(CURLOPT_LOW_SPEED_LIMIT, slowBytes);
  set(CURLOPT_LOW_SPEED_TIME, slowSeconds);
  set(CURLOPT_QUICK_EXIT, 1L); // do not wait for a DNS server that does not answer
  set(CURLOPT_PIPEWAIT, 1L);   // HTTP/2: streams of one connection
  if (transfer.request.isPut) {
    set(CURLOPT_CUSTOMREQUEST, "PUT");
    set(CURLOPT_POSTFIELDS, transfer.request.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(transfer.request.body.size()));
  }
}

void HttpTransfers::start(HttpRequest request) {
  Transfer &transfer = running.emplace_back();
  transfer.request = std::move(request);
  transfer.handle = curl.easyInit();
  setOptions(transfer);
  curl.addHandle(multi, transfer.handle);
}

void HttpTransfers::end(const Transfer &transfer) {
  curl.removeHandle(multi, transfer.handle);
  curl.easyCleanup(transfer.handle);
}

void HttpTransfers::cancel(const std::function<bool(const HttpRequest &)> &isUnwanted) {
  running.remove_if([&](const Transfer &transfer) {
    const bool goes = isUnwanted(transfer.request);
    if (goes)
      end(transfer);
    return goes;
  });
}

void HttpTransfers::turn(std::chrono::milliseconds limit,
                         const std::function<void(HttpRequest, HttpAnswer)> &done) {
  int left = 0;
  curl.perform(multi, &left);
  if (static_cast<size_t>(left) == running.size())
    curl.poll(multi, nullptr, 0, static_cast<int>(limit.count()), nullptr);
  while (const CURLMsg *message = curl.readInfo(multi, &left)) {
    if (message->msg != CURLMSG_DONE)
      continue;
    CURL *handle = message->easy_handle;
    const CURLcode code = message->data.result; // the message goes with the handle
    const auto ended = std::find_if(running.begin(), running.end(),
                                    [&](const Transfer &one) { return one.handle == handle; });
    curl.getInfo(handle, CURLINFO_RESPONSE_CODE, &ended->answer.status);
    if (code != CURLE_OK && !ended->answer.isTooLong)
      ended->answer.problem = curl.errorText(code);
    end(*ended);
    HttpRequest request = std::move(ended->request);
    HttpAnswer answer = std::move(ended->answer);
    running.erase(ended);
    done(std::move(request), std::move(answer));
  }
}

} // namespace sextant
