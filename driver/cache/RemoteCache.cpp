// Decides when entries are fetched and sent, how long anybody waits, and when to give up.
#include "driver/cache/RemoteCache.h"

#include "driver/cache/OwnFolder.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <pthread.h>

namespace sextant {
using namespace std::chrono_literals;
namespace {

/// Requests at once. A server 20 ms away then gives 1600 entries a second.
constexpr size_t mostRequests = 32;
/// The limit on what waits in memory: entries that nobody took yet, and entries that are to be
/// sent.
constexpr size_t mostBytesHere = size_t(256) << 20;
/// One bad answer may be a damaged disk. After three, treat the server as broken.
constexpr unsigned mostBad = 3;
/// The file of the folder that remembers a failure for other builds, how long it counts for them,
/// and the largest that is read.
constexpr const char *memory = "remote-failed";
constexpr std::time_t failureSeconds = 60;
constexpr uint64_t mostRemembered = 64 << 10;
/// A server that answers more seldom, while somebody waits, does not help the next build either.
constexpr unsigned answersASecond = 10;

} // namespace

std::string shownUrl(const std::string &url) {
  const size_t from = url.find("//");
  const size_t host = from == std::string::npos ? 0 : from + 2;
  const size_t end = std::min(url.find('/', host), url.size());
  const size_t at = url.rfind('@', end);
  return at == std::string::npos || at < host ? url : url.substr(0, host) + url.substr(at + 1);
}

RemoteCache::RemoteCache(RemoteSettings given, std::string folder, std::string secret)
    : settings(std::move(given)), folder(std::move(folder)), secret(std::move(secret)) {
  const OwnFolder own(this->folder);
  const std::optional<struct stat> failed = own.find(memory);
  const std::time_t age = failed ? std::time(nullptr) - failed->st_mtime : failureSeconds;
  if (std::abs(age) < failureSeconds) { // a server of files may have another clock
    const std::string text = own.read(memory, mostRemembered);
    isAlone = text.substr(0, text.find('\n')) == shownUrl(settings.url);
  }
}

RemoteCache::~RemoteCache() {
  {
    std::lock_guard guard(mutex);
    isFinishing = true;
    end = Clock::now();
    notify();
  }
  if (thread.joinable())
    thread.join();
}

//===--- For the build -----------------------------------------------------===//

void RemoteCache::want(const std::vector<std::string> &keys) {
  std::lock_guard guard(mutex);
  if (isAlone)
    return;
  if (!keys.empty())
    start();
  for (const std::string &key : keys)
    if (wanted.try_emplace(key).second)
      queue.push_back(key);
  notify();
}

std::optional<std::string> RemoteCache::take(const EntryName &name) {
  const std::string &key = name.key;
  std::unique_lock lock(mutex);
  const auto isDecided = [&] { // another worker may take an equal key meanwhile
    const auto found = wanted.find(key);
    return isAlone || found == wanted.end() || found->second.state >= Wanted::Here;
  };
  startWait();
  while (!isDecided() && waitLeft() > 0s)
    changed.wait_for(lock, waitLeft());
  endWait();
  const auto found = wanted.find(key);
  if (found == wanted.end())
    return std::nullopt;
  const bool isHere = found->second.state == Wanted::Here;
  const std::string entry = std::move(found->second.entry);
  wanted.erase(found); // the thread gives up its request
  bytesHere -= entry.size();
  notify();
  if (!isHere)
    return std::nullopt;
  lock.unlock();
  std::optional<std::string> content = openEntry(name, entry, secret);
  lock.lock();
  if (content)
    ++counts.hits;
  else
    countBad("its answers are damaged, or made with another secret");
  return content;
}

void RemoteCache::put(const EntryName &name, std::string_view content) {
  if (settings.isReadOnly || content.size() > HttpTransfers::maxBody)
    return;
  std::string entry = sealEntry(name, content, secret);
  if (entry.size() > HttpTransfers::maxBody)
    return;
  std::lock_guard guard(mutex);
  if (isAlone || sendsNothing || bytesToSend + entry.size() > mostBytesHere)
    return;
  start();
  bytesToSend += entry.size();
  toSend.push_back({name.key, true, std::move(entry)});
  notify();
}

void RemoteCache::finish() {
  {
    std::unique_lock lock(mutex);
    isFinishing = true;
    wanted.clear();
    judgeSpeed(counts.hits + counts.misses);
    end = Clock::now() + waitLeft();
    startWait();
    notify();
  }
  if (thread.joinable())
    thread.join();
  std::lock_guard guard(mutex);
  endWait();
  judgeSpeed(counts.hits + counts.misses + counts.sent);
}

RemoteUse RemoteCache::use() const {
  std::lock_guard guard(mutex);
  return counts;
}

std::pair<std::string, std::string> RemoteCache::problem() const {
  std::lock_guard guard(mutex);
  return {what, fix};
}

//===--- Under the mutex ---------------------------------------------------===//

RemoteCache::Clock::duration RemoteCache::waitLeft() const {
  const Clock::duration now = waiters ? Clock::now() - waitBegan : Clock::duration{};
  return std::max<Clock::duration>(settings.wait - waited - now, 0s);
}

/// Workers that wait at the same time cost the build that time once.
void RemoteCache::startWait() {
  if (waiters++ == 0)
    waitBegan = Clock::now();
}

void RemoteCache::endWait() {
  if (--waiters == 0)
    waited += Clock::now() - waitBegan;
}

/// Starts the thread when there is something to do: a build that finds all in the folder does not
/// load libcurl.
void RemoteCache::start() {
  if (isAlone || thread.joinable())
    return;
  if (const std::string &why = curlLibrary().why; !why.empty())
    leaveAlone(why, "install libcurl (Debian: libcurl4)");
  else
    thread = std::thread([this] { run(); });
}

void RemoteCache::leaveAlone(const std::string &why, const std::string &help) {
  if (!isAlone) {
    what = "the remote cache '" + shownUrl(settings.url) + "' is left alone: " + why;
    fix = help;
    (void)OwnFolder(folder, OwnFolder::Missing::IsMade)
        .replace(memory, shownUrl(settings.url) + "\n" + why + "\n");
  }
  isAlone = true;
  changed.notify_all();
}

void RemoteCache::stopSending(const std::string &why, const std::string &help) {
  if (!sendsNothing && what.empty()) {
    what = "the remote cache '" + shownUrl(settings.url) + "' gets nothing more: " + why;
    fix = help;
  }
  sendsNothing = true;
  toSend.clear();
  bytesToSend = 0;
}

void RemoteCache::countBad(const std::string &why) {
  ++counts.errors;
  if (++bad == mostBad)
    leaveAlone(why, "look at the server; the build compiles what it does not get");
}

/// Leaves the server alone if all that may be waited has been, for few answers.
void RemoteCache::judgeSpeed(uint64_t answers) {
  const std::chrono::duration<double> seconds = waited;
  if (waited >= settings.wait && static_cast<double>(answers) < answersASecond * seconds.count())
    leaveAlone("it is slow", "raise SEXTANT_CACHE_REMOTE_WAIT if it is worth the time");
}

void RemoteCache::startRequests(HttpTransfers &to) {
  while (to.count() < mostRequests && !toSend.empty() && (!isFinishing || Clock::now() < end)) {
    bytesToSend -= toSend.front().body.size();
    to.start(std::move(toSend.front()));
    toSend.pop_front();
  }
  while (to.count() < mostRequests && bytesHere < mostBytesHere && !queue.empty()) {
    const auto found = wanted.find(queue.front());
    if (found != wanted.end()) { // else a worker did not wait for it
      found->second.state = Wanted::Running;
      to.start({queue.front(), false, {}});
    }
    queue.pop_front();
  }
}

void RemoteCache::acceptGet(const std::string &key, HttpAnswer answer) {
  const bool isEntry = answer.status == 200;
  const bool isAbsent = answer.status == 404 || answer.status == 410;
  if (isAbsent)
    ++counts.misses;
  else if (!isEntry)
    countBad("it answers GET by " + std::to_string(answer.status));
  const auto found = wanted.find(key);
  if (found == wanted.end() || found->second.state != Wanted::Running)
    return;
  found->second.state = isEntry ? Wanted::Here : Wanted::Absent;
  if (isEntry) {
    found->second.entry = std::move(answer.body);
    bytesHere += found->second.entry.size();
  }
}

void RemoteCache::accept(const HttpRequest &request, HttpAnswer answer) {
  const std::string number = std::to_string(answer.status);
  if (!answer.problem.empty()) {
    ++counts.errors;
    leaveAlone(answer.problem, "look at SEXTANT_CACHE_REMOTE and the server; the build goes on "
                               "without them");
  } else if (answer.isTooLong) {
    ++counts.errors;
    leaveAlone("an answer is longer than any entry", "look at the server");
  } else if (!request.isPut && (answer.status == 401 || answer.status == 403)) {
    ++counts.errors;
    leaveAlone("it refuses access (" + number + ")",
               "put credentials in ~/.netrc or SEXTANT_CACHE_REMOTE_HEADER");
  } else if (!request.isPut) {
    acceptGet(request.key, std::move(answer));
  } else if (answer.status >= 200 && answer.status < 300) {
    ++counts.sent;
  } else if (answer.status == 401 || answer.status == 403 || answer.status == 405) {
    ++counts.errors;
    stopSending("it refuses PUT (" + number + ")",
                "give credentials that may write, or set SEXTANT_CACHE_REMOTE_READONLY=1");
  } else if (answer.status >= 300 && answer.status < 400) {
    ++counts.errors;
    stopSending("it sends PUT elsewhere (" + number + "), which is not followed",
                "name the other place itself in SEXTANT_CACHE_REMOTE, if you trust it");
  } else if (answer.status == 507) {
    ++counts.errors;
    stopSending("it is full (507)", "free some space on the server");
  } else {
    countBad("it answers PUT by " + number);
  }
  changed.notify_all();
}

/// True if there is nothing left to do.
bool RemoteCache::isAtEnd() const {
  return isAlone ||
         (isFinishing && (Clock::now() >= end || (toSend.empty() && transfers->count() == 0)));
}

void RemoteCache::notify() {
  if (transfers)
    transfers->wakeUp();
}

//===--- The thread --------------------------------------------------------===//

void RemoteCache::run() {
  // A server that closes a connection must not end the process.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);

  HttpTransfers own(settings);
  std::unique_lock lock(mutex);
  transfers = &own;
  while (true) {
    own.cancel([&](const HttpRequest &one) { return !one.isPut && !wanted.contains(one.key); });
    if (isAtEnd())
      break;
    startRequests(own);
    const auto limit = isFinishing ? end - Clock::now() : Clock::duration(1s);
    std::vector<std::pair<HttpRequest, HttpAnswer>> ended;
    lock.unlock();
    own.turn(std::chrono::ceil<std::chrono::milliseconds>(limit),
             [&](HttpRequest request, HttpAnswer answer) {
               ended.emplace_back(std::move(request), std::move(answer));
             });
    lock.lock();
    for (auto &[request, answer] : ended)
      accept(request, std::move(answer));
  }
  transfers = nullptr;
}

} // namespace sextant
