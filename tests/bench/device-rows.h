// Rows of a device, timed by the host's clock from a synchronised device to the next.
#pragma once
#include "comparison.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

struct DeviceRows {
  sextant::Device device;
  int launches, rounds;
  sextant::Stream stream = device.defaultStream();

  template <class T> sextant::Array<T> array(const std::vector<T> &values) const {
    return sextant::Array<T>(device, sextant::Span<const T>(values));
  }
  /// The milliseconds of a launch.
  double timeOne(const std::function<void()> &launch) const {
    stream.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i)
      launch();
    stream.synchronize();
    const auto time = std::chrono::steady_clock::now() - begin;
    return std::chrono::duration<double, std::milli>(time).count() / launches;
  }
  /// Prints the median of all rounds, and what `sum` says after the first launch.
  void row(const std::string &name, const std::function<void()> &launch,
           const std::function<double()> &sum) const {
    launch();
    const double total = sum();
    const std::string place = device.info().backend + (": " + name);
    if (comparison::takes(place.c_str(), [&] { return timeOne(launch) * 1e3; }))
      return;
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i)
      times.push_back(timeOne(launch));
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    std::printf("| %-24s | %9.4f ms | %14.6e |\n", name.c_str(), times[size_t(rounds / 2)], total);
    std::fflush(stdout);
  }
};

template <class T> double sumOf(const sextant::Array<T> &array) {
  double total = 0;
  for (const T each : array.read())
    total += double(each);
  return total;
}
