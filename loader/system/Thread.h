// Threads: what the standard library's lack.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sextant::system {

/// The number of processors that this process may use. At least 1.
unsigned processors();

/// A thread that runs kernels. It has room for them on its stack, whatever the system's default is,
/// and gets none of the application's signals.
class Thread {
public:
  Thread() = default;
  ~Thread(); ///< after join(), or if it never started
  Thread(const Thread &) = delete;
  Thread &operator=(const Thread &) = delete;

  /// Starts it. Returns false if the system has no thread to give. In the child of a fork, a thread
  /// that the parent started may be started again.
  /// \param body is called with `context` on the new thread; throws nothing
  bool start(void (*body)(void *context), void *context);
  /// Waits until its body has returned. Does nothing if it never started.
  void join();

private:
  struct Impl;
  Impl *impl = nullptr;
};

/// Names the calling thread for debuggers and profilers. At most 15 characters.
void nameThread(const char *name);

/// Returns true if the calling thread has room for so many more bytes on its stack, which code may
/// touch in any order. Always false on a fiber's stack.
bool hasStack(size_t bytes);

/// Sleeps while the word has that value. Returns when it was woken and the word has another.
void sleepWhile(const std::atomic<uint32_t> &word, uint32_t value);
/// Wakes one thread that sleeps at the word, if there is one.
void wakeOne(std::atomic<uint32_t> &word);

/// A pointer for each thread, and a function that gets it when the thread ends. Static objects of
/// this kind live as long as this library.
class ThreadKey {
public:
  explicit ThreadKey(void (*atEnd)(void *value));
  ~ThreadKey();
  ThreadKey(const ThreadKey &) = delete;
  ThreadKey &operator=(const ThreadKey &) = delete;
  /// Sets the calling thread's pointer. Returns false if the system has no room for it.
  bool set(void *value);

private:
  unsigned long key = 0;
  bool usable = false;
};

} // namespace sextant::system
