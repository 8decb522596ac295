// Shared by the CUDA benchmarks: times on the device, rows of a table, and a main around one
// module.
#pragma once
#include "../comparison.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace timing {

using Launch = std::function<void()>;

/// Milliseconds of a launch, of so many in a row.
inline double timeOne(const sextant::Device &device, sextant::Stream &stream, int launches,
                      const Launch &launch) {
  sextant::Event begin(device), end(device);
  begin.record(stream);
  for (int i = 0; i < launches; ++i)
    launch();
  end.record(stream);
  end.synchronize();
  return end.since(begin) / launches;
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + long(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Prints the medians of 15 rounds of both, in turn, and their ratio.
inline void printRow(const std::string &name, const sextant::Device &device,
                     sextant::Stream &stream, int launches, const Launch &ours,
                     const Launch &theirs) {
  if (comparison::takes(name.c_str(),
                        [&] { return timeOne(device, stream, launches, ours) * 1e3; }))
    return;
  constexpr int rounds = 15;
  std::vector<double> our, their;
  for (int round = 0; round < rounds; ++round) {
    our.push_back(timeOne(device, stream, launches, ours));
    their.push_back(timeOne(device, stream, launches, theirs));
  }
  std::printf("| %-44s | %9.4f ms | %9.4f ms | %5.2f |\n", name.c_str(), median(our), median(their),
              median(their) / median(our));
}

inline void printHead(const char *ours, const char *theirs) {
  std::printf("| %-44s | %12s | %12s | %5s |\n", "", ours, theirs, "ratio");
  std::printf(
      "|----------------------------------------------|--------------|--------------|-------|\n");
}

/// The main of a program that takes one module. \param run returns the exit status
inline int mainOf(const char *program, int argc, char **argv, int (*run)(const char *path)) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODULE\n", program);
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const sextant::Error &error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

} // namespace timing
