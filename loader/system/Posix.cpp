// The part that Linux and macOS share: POSIX.
#include "loader/abi/Stack.h"
#include "loader/system/Environment.h"
#include "loader/system/File.h"
#include "loader/system/Fork.h"
#include "loader/system/Library.h"
#include "loader/system/Memory.h"
#include "loader/system/Thread.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sextant::system {

const char *environment(const char *name) {
  const char *text = std::getenv(name);
  return text && *text ? text : nullptr;
}

//===--- Files -------------------------------------------------------------===//

std::string File::open(const std::string &path) {
  // If the path is a pipe, opening does not wait for a writer.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return std::strerror(errno);
  handle = file; // closed from now on, whatever happens
  struct stat facts{};
  if (fstat(file, &facts) != 0)
    return std::strerror(errno);
  regular = S_ISREG(facts.st_mode);
  length = regular ? static_cast<uint64_t>(facts.st_size) : 0;
  return "";
}

File::~File() {
  if (isOpen())
    close(static_cast<int>(handle));
}

std::string File::read(uint64_t offset, std::span<std::byte> to, size_t &got) const {
  for (got = 0; got < to.size();) {
    // Systems read at most two gibibytes at once.
    const size_t want = std::min<size_t>(to.size() - got, 1 << 30);
    const ssize_t more =
        pread(static_cast<int>(handle), to.data() + got, want, static_cast<off_t>(offset + got));
    if (more > 0)
      got += static_cast<size_t>(more);
    else if (more == 0)
      break;
    else if (errno != EINTR)
      return std::strerror(errno);
  }
  return "";
}

static bool writeAll(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(file, bytes.data(), std::min<size_t>(bytes.size(), 1 << 30));
    if (done < 0 && errno != EINTR)
      return false;
    bytes = bytes.subspan(done > 0 ? static_cast<size_t>(done) : 0);
  }
  return true;
}

/// Devices and pipes cannot be renamed over: they are written into.
static bool isSpecial(const std::string &path) {
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

std::string replaceFile(const std::string &path, std::span<const std::byte> head,
                        std::span<const std::byte> body) {
  const bool isDirect = isSpecial(path);
  std::string beside = path;
  // A pipe that nobody reads is an error, not a wait.
  int file = isDirect ? open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (file >= 0)
    (void)fcntl(file, F_SETFL, O_WRONLY);
  // Other processes, and other copies of this library, write too.
  for (unsigned turn = 0; !isDirect && turn < 100; ++turn) {
    beside = path + ".tmp" + std::to_string(getpid()) + "-" + std::to_string(turn);
    file = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      break;
  }
  if (file < 0)
    return std::strerror(errno);
  int problem = writeAll(file, head) && writeAll(file, body) ? 0 : errno;
  if (close(file) != 0 && !problem)
    problem = errno;
  if (!isDirect && !problem && std::rename(beside.c_str(), path.c_str()) != 0)
    problem = errno;
  if (!isDirect && problem)
    (void)unlink(beside.c_str());
  return problem ? std::strerror(problem) : "";
}

std::string appendToFile(const std::string &path, const std::string &text) {
  // A pipe that nobody reads is an error, not a wait.
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (file < 0)
    return std::strerror(errno);
  const bool good = writeAll(file, std::as_bytes(std::span(text)));
  const std::string why = good ? "" : std::strerror(errno);
  close(file);
  return why;
}

//===--- Libraries ---------------------------------------------------------===//

void *loadedLibrary(Names names) {
  for (const char *name : names)
    if (void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD))
      return library;
  return nullptr;
}

void *openLibrary(Names names, std::string &why) {
  for (const char *name : names) {
    errno = 0;
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
    if (errno == ENOMEM)
      throw std::bad_alloc();
    // A library that is there and does not load says more than one that is not.
    const char *error = dlerror();
    if (error && (why.empty() || (!std::strstr(error, "cannot open shared object") &&
                                  !std::strstr(error, "no such file"))))
      why = error;
  }
  return nullptr;
}

void closeLibrary(void *library) { dlclose(library); }
void *findSymbol(void *library, const char *name) { return dlsym(library, name); }
bool mayCallAtUnload() { return true; }

//===--- Memory ------------------------------------------------------------===//

uint64_t pageBytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void *allocateAligned(uint64_t alignment, uint64_t bytes) {
  void *block = nullptr;
  return posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
}
void freeAligned(void *block) { std::free(block); }

uint64_t physicalMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  return pages > 0 ? static_cast<uint64_t>(pages) * pageBytes() : 0;
}

//===--- Threads -----------------------------------------------------------===//

struct Thread::Impl {
  pthread_t thread;
  void (*body)(void *);
  void *context;
};

Thread::~Thread() { delete impl; }

bool Thread::start(void (*body)(void *), void *context) {
  // Some systems' default stack holds no more than 128 KiB.
  constexpr size_t stackBytes = abi::taskStack + (size_t(2) << 20);
  if (!impl)
    impl = new Impl{};
  impl->body = body;
  impl->context = context;
  pthread_attr_t attributes;
  sigset_t all, before;
  sigfillset(&all); // signals go to the application's threads
  if (pthread_attr_init(&attributes) == 0) {
    (void)pthread_attr_setstacksize(&attributes, stackBytes);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    auto run = [](void *given) -> void * {
      auto *self = static_cast<Impl *>(given);
      self->body(self->context);
      return nullptr;
    };
    const int problem = pthread_create(&impl->thread, &attributes, run, impl);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    if (problem == 0)
      return true;
  }
  delete impl;
  impl = nullptr;
  return false;
}

void Thread::join() {
  if (impl)
    pthread_join(impl->thread, nullptr);
}

//===--- Forks -------------------------------------------------------------===//

struct ForkList {
  std::mutex mutex; ///< held during a fork
  ForkWatcher *first = nullptr;
  std::atomic<uint32_t> count{0};

  /// The first call registers the handlers.
  static ForkList &only() {
    static ForkList list;
    static const int registered = pthread_atfork(
        [] {
          list.mutex.lock();
          for (ForkWatcher *watcher = list.first; watcher; watcher = watcher->next)
            watcher->beforeFork();
        },
        [] { list.after(false); },
        [] {
          list.count.fetch_add(1);
          list.after(true);
        });
    (void)registered;
    return list;
  }
  void after(bool isChild) {
    for (ForkWatcher *watcher = first; watcher; watcher = watcher->next)
      watcher->afterFork(isChild);
    mutex.unlock();
  }
  void add(ForkWatcher &watcher) {
    std::lock_guard lock(mutex);
    watcher.next = std::exchange(first, &watcher);
  }
  void remove(ForkWatcher &watcher) {
    std::lock_guard lock(mutex);
    for (ForkWatcher **at = &first; *at; at = &(*at)->next)
      if (*at == &watcher) {
        *at = watcher.next;
        return;
      }
  }
};

uint32_t forks() { return ForkList::only().count.load(std::memory_order_relaxed); }
void watchForks(ForkWatcher &watcher) { ForkList::only().add(watcher); }
void forgetForks(ForkWatcher &watcher) { ForkList::only().remove(watcher); }

void sleepWhile(const std::atomic<uint32_t> &word, uint32_t value) { word.wait(value); }
void wakeOne(std::atomic<uint32_t> &word) { word.notify_one(); }

ThreadKey::ThreadKey(void (*atEnd)(void *)) {
  pthread_key_t made{};
  usable = pthread_key_create(&made, atEnd) == 0;
  key = made;
}
ThreadKey::~ThreadKey() {
  if (usable)
    pthread_key_delete(static_cast<pthread_key_t>(key));
  usable = false;
}
bool ThreadKey::set(void *value) {
  return usable && pthread_setspecific(static_cast<pthread_key_t>(key), value) == 0;
}

} // namespace sextant::system
