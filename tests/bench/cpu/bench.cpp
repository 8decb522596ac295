// CPU kernels beside plain C++ loops: the same data, the same number of threads,
// measured in turn (us, peer, us, peer, …) so that a drift of the machine's speed
// meets both; medians. Every row is checked for equal results first.
//
//   bench-cpu kernels.sxt [repetitions]
#define SEXTANT_THROWS
#include "../comparison.h"
#include "peers.h"
#include "sextant/sextant.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

/// Threads that stay, as the CPU device's do: a peer should not pay for starting them.
class Pool {
public:
  explicit Pool(unsigned count) {
    for (unsigned i = 1; i < count; ++i)
      threads.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  /// Calls body(begin, end) for parts of [0, count), as many as dynamic scheduling likes.
  void run(size_t count, const std::function<void(size_t, size_t)> &body) {
    size_t parts = (threads.size() + 1) * 8;
    {
      std::lock_guard lock(mutex);
      job = &body;
      total = count;
      chunk = std::max<size_t>(1, (count + parts - 1) / parts);
      next = 0;
      busy = threads.size();
      ++generation;
    }
    wake.notify_all();
    take(body);
    std::unique_lock lock(mutex);
    done.wait(lock, [this] { return busy == 0; });
  }

private:
  void take(const std::function<void(size_t, size_t)> &body) {
    for (;;) {
      size_t begin = next.fetch_add(chunk);
      if (begin >= total)
        return;
      body(begin, std::min(total, begin + chunk));
    }
  }
  void work() {
    uint64_t seen = 0;
    for (;;) {
      const std::function<void(size_t, size_t)> *body;
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return stop || generation != seen; });
        if (stop)
          return;
        seen = generation;
        body = job;
      }
      take(*body);
      std::lock_guard lock(mutex);
      if (--busy == 0)
        done.notify_one();
    }
  }

  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable wake, done;
  const std::function<void(size_t, size_t)> *job = nullptr;
  size_t total = 0, chunk = 1, busy = 0;
  std::atomic<size_t> next{0};
  uint64_t generation = 0;
  bool stop = false;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Row {
  std::string name;
  double work; ///< in units below, a run
  const char *unit;
  std::function<void()> ours, peer;
};

void report(const Row &row, const sextant::Device &device, int repetitions) {
  std::vector<double> ours, peer, ratios;
  const auto micros = [&](const std::function<void()> &body) {
    return comparison::hostTime(device, 1, body);
  };
  row.ours();
  row.peer();
  if (comparison::takes(row.name.c_str(), [&] { return micros(row.ours); }))
    return;
  for (int i = 0; i < repetitions; ++i) {
    ours.push_back(micros(row.ours));
    peer.push_back(micros(row.peer));
    ratios.push_back(peer.back() / ours.back());
  }
  std::printf("%-28s %10.3f %10.3f  %-8s %8.2f\n", row.name.c_str(), row.work / median(ours) / 1e3,
              row.work / median(peer) / 1e3, row.unit, median(ratios));
  std::fflush(stdout);
}

void expect(bool right, const char *what) {
  if (right)
    return;
  std::fprintf(stderr, "%s: results differ\n", what);
  std::exit(1);
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench-cpu kernels.sxt [repetitions]\n");
    return 2;
  }
  int repetitions = argc > 2 ? std::atoi(argv[2]) : 15;
  constexpr size_t n = size_t(1) << 24;
  constexpr int32_t items = 64, limit = 256;
  constexpr size_t rows = 1024, cols = 1536;

  sextant::Device device = sextant::Device::open("cpu");
  sextant::Program program(sextant::Module::open(argv[1]), device);
  sextant::Stream stream = device.defaultStream();
  Pool pool(device.info().multiprocessors);
  std::printf("device: %s, %u threads, variant %s; medians of %d runs in turn\n",
              device.info().description, device.info().multiprocessors,
              program.kernel("saxpy").variant().c_str(), repetitions);
  std::printf("%-28s %10s %10s  %-8s %8s\n", "row", "sextant", "loops", "unit", "ratio");

  std::mt19937 random(7);
  std::vector<float> f(n), fOut(n);
  std::vector<int32_t> i32(n), iOut(n);
  std::vector<uint8_t> u8(n);
  for (size_t i = 0; i < n; ++i) {
    f[i] = float(random() % 1000) / 8;
    i32[i] = int32_t(random() % 100);
    u8[i] = uint8_t((random() % 256) & (random() % 256));
  }
  sextant::Array<float> dF(device, f), dFOut(device, f);
  sextant::Array<int32_t> dI(device, i32), dIOut(device, int64_t(n));
  sextant::Array<uint8_t> dU8(device, u8);
  sextant::Array<int32_t> dBins(device, 256);
  sextant::Array<float> dSums(device, int64_t(n / peers::blockSize));
  sextant::Array<int32_t, 2> dImage(device, {int64_t(rows), int64_t(cols)});
  std::vector<int32_t> bins(256), image(rows * cols);
  std::vector<float> sums(n / peers::blockSize);

  auto launch = [&](const char *name, const auto &...args) {
    program.kernel(name)(stream, args...);
    stream.synchronize();
  };

  // Results first: what is timed is right.
  launch("block_reduce", dF, dSums);
  peers::blockReduce(f.data(), sums.data(), 0, sums.size());
  std::vector<float> ourSums = dSums.read();
  for (size_t b = 0; b < sums.size(); ++b)
    expect(std::abs(ourSums[b] - sums[b]) <= 1e-4f * std::abs(sums[b]), "block_reduce");
  launch("block_scan", dI, dIOut);
  peers::blockScan(i32.data(), iOut.data(), 0, n / peers::blockSize);
  expect(dIOut.read() == iOut, "block_scan");
  // The peer's scan goes over the data twice: sums of parts, then the parts.
  constexpr size_t parts = 256, part = n / parts;
  sextant::Array<uint64_t> dStates(device, int64_t(n / peers::blockSize));
  auto scanByLoops = [&] {
    std::vector<int32_t> before(parts);
    pool.run(parts, [&](size_t b, size_t e) {
      for (size_t p = b; p < e; ++p)
        before[p] = peers::sum(i32.data(), p * part, (p + 1) * part);
    });
    int32_t total = 0;
    for (int32_t &sum : before)
      total += std::exchange(sum, total);
    pool.run(parts, [&](size_t b, size_t e) {
      for (size_t p = b; p < e; ++p)
        peers::scan(i32.data(), iOut.data(), before[p], p * part, (p + 1) * part);
    });
  };
  launch("scan", dI, dIOut, dStates);
  peers::scan(i32.data(), iOut.data(), 0, 0, n);
  expect(dIOut.read() == iOut, "scan");
  iOut.assign(n, 0);
  scanByLoops();
  expect(dIOut.read() == iOut, "scan by loops");
  dBins.clear();
  launch("histogram", dU8, dBins, items);
  peers::histogram(u8.data(), bins.data(), 0, n);
  expect(dBins.read() == bins, "histogram");
  launch("mandelbrot", dImage, limit);
  peers::mandelbrot(image.data(), rows, cols, limit, 0, rows);
  std::vector<int32_t> ourImage = dImage.read();
  size_t differing = 0; // fma contraction moves a few pixels at the set's edge
  double count = 0;
  for (size_t i = 0; i < image.size(); ++i) {
    differing += ourImage[i] != image[i];
    count += image[i];
  }
  expect(differing < image.size() / 100, "mandelbrot");

  report({"saxpy f32 2^24", 12.0 * n, "GB/s", [&] { launch("saxpy", 0.5f, dF, dFOut); },
          [&] {
            pool.run(n,
                     [&](size_t b, size_t e) { peers::saxpy(0.5f, f.data(), fOut.data(), b, e); });
          }},
         device, repetitions);
  report({"block reduce f32 2^24", 4.0 * n, "GB/s", [&] { launch("block_reduce", dF, dSums); },
          [&] {
            pool.run(sums.size(),
                     [&](size_t b, size_t e) { peers::blockReduce(f.data(), sums.data(), b, e); });
          }},
         device, repetitions);
  report({"block scan i32 2^24", 8.0 * n, "GB/s", [&] { launch("block_scan", dI, dIOut); },
          [&] {
            pool.run(n / peers::blockSize,
                     [&](size_t b, size_t e) { peers::blockScan(i32.data(), iOut.data(), b, e); });
          }},
         device, repetitions);
  report({"single-pass scan i32 2^24", 8.0 * n, "GB/s", [&] { launch("scan", dI, dIOut, dStates); },
          scanByLoops},
         device, repetitions);
  report({"histogram u8 2^24", 1.0 * n, "Gval/s", [&] { launch("histogram", dU8, dBins, items); },
          [&] {
            pool.run(n,
                     [&](size_t b, size_t e) { peers::histogram(u8.data(), bins.data(), b, e); });
          }},
         device, repetitions);
  report({"mandelbrot 1024x1536", count, "Giter/s", [&] { launch("mandelbrot", dImage, limit); },
          [&] {
            pool.run(rows, [&](size_t b, size_t e) {
              peers::mandelbrot(image.data(), rows, cols, limit, b, e);
            });
          }},
         device, repetitions);
  constexpr size_t fewRows = rows / 2, fewCols = cols / 2; // a launch of less than a millisecond
  sextant::Array<int32_t, 2> dSmall(device, {int64_t(fewRows), int64_t(fewCols)});
  peers::mandelbrot(image.data(), fewRows, fewCols, limit, 0, fewRows);
  double fewer = 0;
  for (size_t i = 0; i < fewRows * fewCols; ++i)
    fewer += image[i];
  report({"mandelbrot 512x768", fewer, "Giter/s", [&] { launch("mandelbrot", dSmall, limit); },
          [&] {
            pool.run(fewRows, [&](size_t b, size_t e) {
              peers::mandelbrot(image.data(), fewRows, fewCols, limit, b, e);
            });
          }},
         device, repetitions);
  sextant::Kernel empty = program.kernel("empty");
  report({"1000 empty launches", 1000 * 1e3, "M/s",
          [&] {
            for (int i = 0; i < 1000; ++i)
              empty(stream);
            stream.synchronize();
          },
          [&] {
            for (int i = 0; i < 1000; ++i)
              pool.run(1, [](size_t, size_t) {});
          }},
         device, repetitions);
  return 0;
} catch (const sextant::Error &error) {
  std::fprintf(stderr, "bench-cpu: %s\n", error.what());
  return 1;
}
