// Launches are compared with these.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace peers {

/// The kernel as a function.
void touch(int *out, int value);

/// A thread that takes calls of touch() from a queue, as such threads are usually written.
class Worker {
public:
  Worker();
  ~Worker();
  void submit(int *out, int value);
  void wait();

private:
  void work();
  std::mutex mutex;
  std::condition_variable posted, done;
  struct Call {
    int *out;
    int value;
  };
  std::vector<Call> calls;
  uint64_t given = 0, finished = 0;
  bool stopping = false;
  std::thread thread;
};

/// cuLaunchKernel of a kernel (out: i32[count], value: i32), and graphs of 10 and of 100 such
/// nodes. The device's primary context is current or made so. Nothing is given back.
class Cuda {
public:
  Cuda(const char *cubin, const char *kernel, uint64_t out, int count, void *stream);
  void launch();
  void launchGraph(int which);
  /// Another value for the last node of the graph of 10, and its launch.
  void changeGraph();
  bool ok() const { return failures == 0; }

private:
  void *graphOf(int nodes, void *&last);
  int failures = 0;
  void *function = nullptr, *stream, *graphs[2] = {}, *lastNode = nullptr;
  uint64_t out;
  int count, value = 1;
};

} // namespace peers
