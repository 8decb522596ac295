// Programs of rows show each row beside a peer. Built as libraries, they give their rows to a
// program that compares two commits (compare/compare.cpp): it sets `comparison::taker`, calls main,
// and times one commit's row beside the other's.
#pragma once
#define SEXTANT_THROWS
#include "sextant/sextant.hpp"

#include <ctime>
#include <functional>

namespace comparison {

/// Takes rows, and goes on when it has measured them.
class Taker {
public:
  /// \param microseconds measures once, and returns what one launch took
  virtual void row(const char *name, const std::function<double()> &microseconds) = 0;

protected:
  ~Taker() = default;
};

extern "C" {
/// None in a program of its own.
inline Taker *sextant_bench_taker = nullptr;
}

inline bool isOn() { return sextant_bench_taker; }

/// Gives the row away if rows are compared. True: there is no peer to time.
inline bool takes(const char *name, const std::function<double()> &microseconds) {
  if (isOn())
    sextant_bench_taker->row(name, microseconds);
  return isOn();
}

/// The time of so many calls on the host, in microseconds a call. Where one thread's rows are
/// compared it is the process's time on the CPU, which has little of what else runs on the machine.
inline double hostTime(const sextant::Device &device, int calls,
                       const std::function<void()> &body) {
  const clockid_t clock =
      isOn() && device.info().multiprocessors == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  const auto now = [clock] {
    timespec time;
    clock_gettime(clock, &time);
    return double(time.tv_sec) * 1e6 + double(time.tv_nsec) / 1e3;
  };
  const double begin = now();
  for (int i = 0; i < calls; ++i)
    body();
  return (now() - begin) / calls;
}

} // namespace comparison
