// The cache of a team: entries on an HTTP server, asked after the folder of this machine. `GET
// URL/KEY` fetches an entry, `PUT URL/KEY` stores one, 404 says that there is none.
//
// It only saves time. A thread of its own fetches what the build will ask for, ahead of the
// workers, and sends what they have made. Workers wait for it, and the end of the build for what
// is still to be sent, but no longer than RemoteSettings::wait in all: after that, only what is
// already there is taken. A server that fails is left alone for the rest of the build, and by the
// builds of the next minute that use the same folder. Answers are checked as entries of the folder
// are.
#pragma once

#include "driver/cache/CacheEntry.h"
#include "driver/cache/HttpTransfers.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace sextant {

/// Thread-safe.
class RemoteCache {
public:
  /// \param folder of the local cache, in which a failure is remembered
  /// \param secret seals entries (CacheEntry.h); empty: no secret
  RemoteCache(RemoteSettings settings, std::string folder, std::string secret);
  RemoteCache(const RemoteCache &) = delete;
  ~RemoteCache();

  /// Begins to fetch entries, in this order.
  void want(const std::vector<std::string> &keys);
  /// Returns a wanted entry's content. Nothing: there is none, or it takes too long.
  std::optional<std::string> take(const EntryName &name);
  /// Begins to send an entry.
  void put(const EntryName &name, std::string_view content);
  /// Waits for what is being sent, within the limit.
  void finish();

  RemoteUse use() const;
  /// Why the server is left alone, or gets nothing more: a sentence, and what to do. Empty if all
  /// is well, or another build has told it.
  std::pair<std::string, std::string> problem() const;

private:
  using Clock = std::chrono::steady_clock;
  /// The state of one requested key.
  struct Wanted {
    enum : uint8_t { Queued, Running, Here, Absent } state = Queued;
    std::string entry;
  };

  // Under the mutex.
  void start();
  Clock::duration waitLeft() const;
  void startWait();
  void endWait();
  void leaveAlone(const std::string &why, const std::string &fix);
  void stopSending(const std::string &why, const std::string &fix);
  void startRequests(HttpTransfers &transfers);
  void accept(const HttpRequest &request, HttpAnswer answer);
  void acceptGet(const std::string &key, HttpAnswer answer);
  void countBad(const std::string &why);
  void judgeSpeed(uint64_t answers);
  bool isAtEnd() const;

  void run();
  void notify();

  const RemoteSettings settings;
  const std::string folder, secret;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;
  HttpTransfers *transfers = nullptr; ///< while the thread runs
  std::map<std::string, Wanted> wanted;
  std::deque<std::string> queue; ///< wanted keys
  std::deque<HttpRequest> toSend;
  size_t bytesToSend = 0, bytesHere = 0;
  bool isAlone = false, sendsNothing = false, isFinishing = false;
  unsigned waiters = 0, bad = 0;
  Clock::time_point waitBegan, end;
  Clock::duration waited{};
  RemoteUse counts;
  std::string what, fix;
};

/// The URL without a user's name and password.
std::string shownUrl(const std::string &url);

} // namespace sextant
