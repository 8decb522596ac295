// Threads of the host: they share a program, or have programs and streams of their own. The second
// case runs for as long as SEXTANT_STRESS_SECONDS says.
#include "tests/loader/contract/Contract.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace sextant;
using namespace sextant::test;

TEST_CASE("threads of the host share a program", "[runs]") {
  Fixture f;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      try {
        Stream stream = f.device.createStream();
        Array<int> x(f.device, 5000);
        x.clear(stream.get());
        for (int i = 0; i < 20; ++i)
          f.program.kernel("bump")(stream, x);
        stream.synchronize();
        for (int value : x.read(stream.get()))
          wrong[t] += value != 20;
      } catch (const Error &) {
        wrong[t] = -1;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("16 threads with 8 streams each", "[runs]") {
  const char *asked = std::getenv("SEXTANT_STRESS_SECONDS");
  const double seconds = asked ? std::atof(asked) : 0.5;
  Device device = Device::open();
  std::vector<Program> programs;
  for (int i = 0; i < 3; ++i) // files of their own, with kernels of the same names
    programs.emplace_back(Module::open(Fixture::modulePath()), device);

  constexpr int threadCount = 16, streamCount = 8;
  constexpr int64_t size = 4099;
  std::atomic<int> wrong{0};
  std::atomic<long> launches{0};
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::vector<std::thread> threads;
  for (int t = 0; t < threadCount; ++t)
    threads.emplace_back([&, t] {
      try {
        do {
          Kernel bump = programs[size_t(t) % programs.size()].kernel("bump");
          std::vector<Stream> streams;
          std::vector<Array<int>> arrays;
          for (int s = 0; s < streamCount; ++s) {
            streams.push_back(device.createStream());
            arrays.emplace_back(device, size);
            arrays.back().clear(streams.back().get());
          }
          // Each array goes from stream to stream, in the order of events.
          Event handed(device);
          for (int round = 0; round < streamCount; ++round)
            for (int s = 0; s < streamCount; ++s) {
              Stream &from = streams[size_t(s + round) % streamCount];
              for (int i = 0; i < 4; ++i)
                bump(from, arrays[size_t(s)]);
              launches += 4;
              handed.record(from);
              streams[size_t(s + round + 1) % streamCount].wait(handed);
            }
          for (int s = 0; s < streamCount; ++s)
            for (int value : arrays[size_t(s)].read(streams[size_t(s)].get()))
              wrong += value != 4 * streamCount;
        } while (std::chrono::steady_clock::now() < end);
      } catch (const Error &error) {
        ++wrong;
        std::fprintf(stderr, "%s\n", error.what());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
  WARN(launches << " launches on " << threadCount * streamCount << " streams of " << device.name());
}
