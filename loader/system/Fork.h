// Forks of the process. The child has the memory of its parent and only the thread that forked:
// locks that other threads held stay locked, and nobody runs the parent's threads.
#pragma once

#include <cstdint>

namespace sextant::system {

/// The number of forks between this process and the one that called it first. Always 0 where the
/// system has none.
uint32_t forks();

/// Something with locks or threads of its own. It is told of forks from watchForks() to
/// forgetForks().
class ForkWatcher {
public:
  /// Takes the locks that the child shall find free. The thread that forks calls it.
  virtual void beforeFork() {}
  /// Gives them back. Called by the same thread, in the parent and in the child, where it is the
  /// only one.
  virtual void afterFork(bool isChild) = 0;

protected:
  ~ForkWatcher() = default;

private:
  friend struct ForkList;
  ForkWatcher *next = nullptr;
};

void watchForks(ForkWatcher &watcher);
/// Does nothing if the watcher is not told of forks.
void forgetForks(ForkWatcher &watcher);

} // namespace sextant::system
