// Tests of many threads: they begin together, and what goes wrong in them is counted.
#pragma once

#include "TestModule.h"

#include <atomic>
#include <thread>
#include <vector>

namespace sextant::test {

/// Runs `body(thread)` on so many threads at once, which begin together. What goes wrong in
/// them is counted: Catch's checks are for one thread.
template <class Body> int onThreads(int count, Body body) {
  std::atomic<int> waiting{count}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      --waiting;
      while (waiting > 0)
        std::this_thread::yield();
      wrong += body(t);
    });
  for (std::thread &thread : threads)
    thread.join();
  return wrong;
}

/// Counts calls that fail.
struct Wrong {
  int count = 0;
  void operator()(sxt_status status) { count += status != SXT_OK; }
  void operator()(bool right) { count += !right; }
};

} // namespace sextant::test
