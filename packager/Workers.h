// Work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sextant::packager {

/// Calls `work(state, index)` once for every index below `count`, on up to `jobs` threads of which
/// the caller's is one; each takes the next index when it is free. Returns when all are done. If a
/// call throws, its thread stops, and the first exception is thrown here in the end.
/// \param makeState called on each thread first; `work` gets what it returned there
template <class MakeState, class Work>
void forAll(size_t count, unsigned jobs, MakeState makeState, Work work) {
  if (count == 0)
    return;
  std::atomic<size_t> next = 0;
  std::once_flag isFirst;
  std::exception_ptr thrown;
  auto run = [&] {
    try {
      auto state = makeState();
      for (size_t index = next++; index < count; index = next++)
        work(state, index);
    } catch (...) {
      std::call_once(isFirst, [&] { thrown = std::current_exception(); });
    }
  };
  std::vector<std::thread> others;
  for (size_t thread = 1; thread < std::min<size_t>(jobs, count); ++thread)
    try {
      others.emplace_back(run);
    } catch (const std::system_error &) {
      break; // no more threads to be had: fewer do as well
    }
  run();
  for (std::thread &other : others)
    other.join();
  if (thrown)
    std::rethrow_exception(thrown);
}

/// The same for work that needs no state: calls `work(index)`.
template <class Work> void forAll(size_t count, unsigned jobs, Work work) {
  forAll(count, jobs, [] { return 0; }, [&](int, size_t index) { work(index); });
}

} // namespace sextant::packager
