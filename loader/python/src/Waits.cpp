// Waits that Ctrl-C ends. Python's signals are handled by its main thread, which must not be in a
// call of the loader then: another thread makes the call, and the main thread waits in slices.
#include "Waits.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace sextant::python {
namespace {

constexpr auto slice = std::chrono::milliseconds(50);

struct Job {
  std::shared_ptr<void> kept;
  std::function<sxt_status()> call;
  sxt_status status = SXT_OK;
  std::string message;
  std::vector<std::string> prints;
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;

  void run() {
    const sxt_status result = call();
    const std::lock_guard lock(mutex);
    status = result;
    if (status != SXT_OK)
      message = sxt_last_error_message();
    prints = takePrints();
    isDone = true;
    changed.notify_all();
  }
  bool finishes(std::chrono::milliseconds within) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, within, [this] { return isDone; });
  }
};

/// A thread that makes calls, one after the other.
class Caller {
public:
  /// Throws std::system_error if no thread can be started.
  static std::shared_ptr<Caller> start() {
    auto made = std::make_shared<Caller>();
    std::thread([made] { made->work(); }).detach();
    return made;
  }
  void give(std::shared_ptr<Job> job) {
    const std::lock_guard lock(mutex);
    next = std::move(job);
    changed.notify_one();
  }
  void end() {
    const std::lock_guard lock(mutex);
    isEnding = true;
    changed.notify_one();
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<Job> next;
  bool isEnding = false;

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return next || isEnding; });
      if (!next)
        return;
      const std::shared_ptr<Job> job = std::exchange(next, nullptr);
      lock.unlock();
      job->run();
      lock.lock();
    }
  }
};

/// The interpreter's lock guards it.
struct State {
  std::shared_ptr<Caller> idle;
  std::vector<std::shared_ptr<Job>> left; ///< jobs whose waits ended early
  long process = 0;                       ///< that the idle caller is a thread of
};
State &state() {
  static auto *only = new State;
  return *only;
}

long processNumber() {
#ifdef _WIN32
  return 0;
#else
  return getpid();
#endif
}

/// True on the thread that handles signals.
bool isMainThread() {
  // Not its initializer: Python lets other threads run, and they would wait for that with the lock.
  static unsigned long main = 0;
  if (main == 0)
    main = static_cast<unsigned long>(int64From(
        nb::module_::import_("threading").attr("main_thread")().attr("ident"), "the main thread"));
  return PyThread_get_thread_ident() == main;
}

std::shared_ptr<Caller> takeCaller() {
  State &all = state();
  if (all.process != processNumber()) // a fork leaves its threads behind
    all.idle = nullptr;
  all.process = processNumber();
  return all.idle ? std::exchange(all.idle, nullptr) : Caller::start();
}

} // namespace

bool reapWaits() {
  std::vector<std::shared_ptr<Job>> done; // destructors run Python code
  std::erase_if(state().left, [&](const std::shared_ptr<Job> &job) {
    if (!job->finishes({}))
      return false;
    done.push_back(job);
    return true;
  });
  for (const std::shared_ptr<Job> &job : done) {
    keepPrints(std::move(job->prints));
    job->kept = nullptr;
  }
  deliverPrints();
  return state().left.empty();
}

void wait(std::shared_ptr<void> kept, std::function<sxt_status()> call) {
  if (!state().left.empty())
    reapWaits();
  if (!isMainThread())
    return unlocked(call);
  std::shared_ptr<Caller> caller;
  try {
    caller = takeCaller();
  } catch (const std::system_error &) {
    return unlocked(call);
  }
  const auto job = std::make_shared<Job>();
  job->kept = std::move(kept);
  job->call = std::move(call);
  caller->give(job);
  while (true) {
    bool isDone = false;
    {
      const Unlocked released;
      isDone = job->finishes(slice);
    }
    if (isDone)
      break;
    if (PyErr_CheckSignals() != 0) {
      caller->end();
      state().left.push_back(job);
      throw nb::python_error();
    }
  }
  if (state().idle)
    caller->end(); // a signal's handler waited, too
  else
    state().idle = std::move(caller);
  job->kept = nullptr; // here, and not on the caller's thread
  keepPrints(std::move(job->prints));
  deliverPrints();
  if (job->status != SXT_OK)
    raise(job->status, "%s", job->message.c_str());
}

} // namespace sextant::python
