// How threads of the CPU device wait before they sleep.
#pragma once

#include <chrono>

namespace sextant::loader {

using Clock = std::chrono::steady_clock;

/// A worker spins so much longer than it has worked lately, at most: then waiting never costs more
/// than a few times the work. The shortest time is for every worker that was woken or has worked.
constexpr double spinShare = 4;
constexpr auto shortestSpin = std::chrono::microseconds(30);
/// A launch counts as that much work at least. Many threads share a short one, and each has little
/// of it, but all are wanted for the next.
constexpr auto leastWork = std::chrono::microseconds(4);
/// A thread that waits for a stream or an event spins so long.
constexpr auto waiterSpin = std::chrono::microseconds(30);
/// So many pauses make a round of spinning, some two microseconds.
constexpr int pausesOfRound = 32;

inline void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Asks for a cache line that the thread will write: one that it only read would have to be asked
/// for again.
inline void expectWrite(const void *memory) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" ::"m"(*static_cast<const char *>(memory)));
#else
  __builtin_prefetch(memory, 1);
#endif
}

/// Spins until `done` is true, or `changed`, which is asked once a round. Returns false if the time
/// is up.
template <class Done, class Changed>
bool spinUntil(Clock::duration limit, Done done, Changed changed) {
  const Clock::time_point end = Clock::now() + limit;
  do {
    for (int i = 0; i < pausesOfRound; ++i) {
      if (done())
        return true;
      pauseBriefly();
    }
    if (changed())
      return true;
  } while (Clock::now() < end);
  return false;
}
template <class Done> bool spinUntil(Clock::duration limit, Done done) {
  return spinUntil(limit, done, [] { return false; });
}

} // namespace sextant::loader
