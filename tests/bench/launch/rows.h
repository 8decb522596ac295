// How benchmarks of launches measure: rows that take turns, medians of rounds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace rows {

constexpr int rounds = 41;

/// Something to time: `run` does `launches` of them, `finish` waits for them.
struct Row {
  std::string name;
  int launches; ///< launches of each call of run
  std::function<void()> run;
  bool waits; ///< true if the time contains the end of the work
  std::vector<double> micros = {};
};

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Some 200 launches a sample, so that no queue is ever full.
inline void sample(Row &row, const std::function<void()> &finish) {
  using Clock = std::chrono::steady_clock;
  const int calls = std::max(1, 200 / row.launches);
  finish();
  Clock::time_point begin = Clock::now();
  for (int i = 0; i < calls; ++i)
    row.run();
  if (row.waits)
    finish();
  std::chrono::duration<double, std::micro> spent = Clock::now() - begin;
  finish();
  row.micros.push_back(spent.count() / (calls * row.launches));
}

inline void measure(std::vector<Row> &rows, const std::function<void()> &finish) {
  for (int round = -3; round < rounds; ++round)
    for (Row &row : rows) {
      sample(row, finish);
      if (round < 0) // warm now
        row.micros.clear();
    }
  double load = 0;
  (void)!getloadavg(&load, 1);
  std::printf("load %.1f; us a launch, median of %d rounds (least)\n\n", load, rounds);
  for (const Row &row : rows)
    std::printf("| %-52s | %7.3f | %7.3f |\n", row.name.c_str(), median(row.micros),
                *std::min_element(row.micros.begin(), row.micros.end()));
}

} // namespace rows
