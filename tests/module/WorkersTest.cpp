// Every index once, whatever the number of threads.
#include "packager/Workers.h"
#include "tests/support/Catch.h"

#include <mutex>
#include <set>

using namespace sextant;

namespace {

struct Run {
  std::vector<int> calls; ///< calls of each index
  std::set<std::thread::id> threads;
  int states = 0;
};

Run runAll(size_t count, unsigned jobs) {
  Run run;
  run.calls.resize(count);
  std::mutex mutex;
  packager::forAll(
      count, jobs,
      [&] {
        std::lock_guard guard(mutex);
        ++run.states;
        return std::this_thread::get_id();
      },
      [&](std::thread::id &state, size_t index) {
        std::lock_guard guard(mutex);
        ++run.calls.at(index);
        run.threads.insert(state == std::this_thread::get_id() ? state : std::thread::id());
      });
  return run;
}

} // namespace

TEST_CASE("workers take each index once, with a state a thread") {
  for (const unsigned jobs : {1u, 2u, 7u, 40u})
    for (const size_t count : {1u, 2u, 30u}) {
      const Run run = runAll(count, jobs);
      INFO(jobs << " jobs, " << count << " indices");
      CHECK(run.calls == std::vector<int>(count, 1));
      CHECK(run.states >= 1);
      CHECK(size_t(run.states) <= std::min<size_t>(jobs, count));
      CHECK(run.threads.count(std::thread::id()) == 0); // a state stays on its thread
    }
}

TEST_CASE("one worker is the caller, and none is made for nothing") {
  CHECK(runAll(5, 1).threads == std::set<std::thread::id>{std::this_thread::get_id()});
  CHECK(runAll(5, 0).calls == std::vector<int>(5, 1));
  CHECK(runAll(0, 8).states == 0);
}
