// The host's cost of a launch, beside the least that does the same: on the CPU a call of
// the function and a thread that waits for a condition variable; on CUDA cuLaunchKernel and a
// cuGraph made by hand, of the same code on the same stream. Microseconds, medians of
// rounds in which all rows take turns; the last digits depend on what else runs.
//
//   bench-launch KERNELS.sxt [CUBIN]      with a cubin of the same kernels: on CUDA
#define SEXTANT_THROWS
#include "peers.h"
#include "rows.h"
#include "sextant/sextant.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace sextant;

namespace {

using namespace rows;

/// The rows that are the same on every device.
struct Ours {
  Ours(const Device &device, Stream &stream, Kernel kernel, Array<int> &out)
      : stream(stream), kernel(kernel), out(out), prepared(kernel, out, 1), ten(device),
        hundred(device) {
    for (int i = 0; i < 10; ++i)
      step = ten.launch(kernel, out, 1);
    for (int i = 0; i < 100; ++i)
      hundred.launch(kernel, out, 1);
  }
  void plain() { kernel(stream, out, 1); }
  void changed() {
    prepared.set(1, ++value);
    prepared.enqueue(stream);
  }
  void changedGraph() {
    ten.set(step, 1, ++value);
    ten.enqueue(stream);
  }
  Stream &stream;
  Kernel kernel;
  Array<int> &out;
  PreparedLaunch prepared;
  Graph ten, hundred;
  size_t step = 0;
  int value = 0;
};

int runCpu(const char *path) {
  Device device = Device::open("cpu");
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  Array<int> out(device, 32);
  Ours ours(device, stream, program.kernel("one"), out);
  peers::Worker worker;
  int *memory = reinterpret_cast<int *>(out.buffer().address());
  std::vector<Row> rows = {
      {"a call of the function", 1, [&] { peers::touch(memory, 1); }, false},
      {"a condition variable's thread: queue", 1, [&] { worker.submit(memory, 1); }, false},
      {"a condition variable's thread: queue and wait", 1,
       [&] {
         worker.submit(memory, 1);
         worker.wait();
       },
       false},
      {"launch", 1, [&] { ours.plain(); }, false},
      {"launch, until done, many in a row", 1, [&] { ours.plain(); }, true},
      {"launch and synchronize, one by one", 1,
       [&] {
         ours.plain();
         stream.synchronize();
       },
       false},
      {"prepared launch", 1, [&] { ours.prepared.enqueue(stream); }, false},
      {"prepared launch with an argument changed", 1, [&] { ours.changed(); }, false},
      {"graph of 10 launches, of each", 10, [&] { ours.ten.enqueue(stream); }, false},
      {"graph of 100 launches, of each", 100, [&] { ours.hundred.enqueue(stream); }, false},
      {"graph of 10 and synchronize, of each", 10,
       [&] {
         ours.ten.enqueue(stream);
         stream.synchronize();
       },
       false},
  };
  std::printf("%s, %u workers; ", device.info().description, device.info().multiprocessors);
  measure(rows, [&] {
    worker.wait();
    stream.synchronize();
  });
  return 0;
}

int runCuda(const char *path, const char *cubin) {
  Device device = Device::open("cuda");
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  Array<int> out(device, 32);
  Ours ours(device, stream, program.kernel("touch"), out);
  peers::Cuda bare(cubin, "touch_t0", out.buffer().address(), 32, stream.native());
  std::vector<Row> rows = {
      {"cuLaunchKernel", 1, [&] { bare.launch(); }, false},
      {"launch", 1, [&] { ours.plain(); }, false},
      {"prepared launch", 1, [&] { ours.prepared.enqueue(stream); }, false},
      {"prepared launch with an argument changed", 1, [&] { ours.changed(); }, false},
      {"cuLaunchKernel, until done", 1, [&] { bare.launch(); }, true},
      {"prepared launch, until done", 1, [&] { ours.prepared.enqueue(stream); }, true},
      {"cuGraphLaunch of 10, of each", 10, [&] { bare.launchGraph(0); }, false},
      {"graph of 10, of each", 10, [&] { ours.ten.enqueue(stream); }, false},
      {"cuGraphLaunch of 10, one changed, of each", 10, [&] { bare.changeGraph(); }, false},
      {"graph of 10, one changed, of each", 10, [&] { ours.changedGraph(); }, false},
      {"cuGraphLaunch of 100, of each", 100, [&] { bare.launchGraph(1); }, false},
      {"graph of 100, of each", 100, [&] { ours.hundred.enqueue(stream); }, false},
      {"cuGraphLaunch of 100, until done, of each", 100, [&] { bare.launchGraph(1); }, true},
      {"graph of 100, until done, of each", 100, [&] { ours.hundred.enqueue(stream); }, true},
  };
  std::printf("%s; ", device.info().description);
  measure(rows, [&] { stream.synchronize(); });
  // The results that the graph wrote, as of its last change.
  ours.changedGraph();
  std::vector<int> values = out.read(stream.get());
  const bool right = bare.ok() && values == std::vector<int>(32, ours.value);
  sxt_graph_info info;
  info.struct_size = sizeof info;
  check(sxt_graph_describe(ours.ten.get(), &info));
  std::printf("\n%s; the graph is %s; variant %s\n", right ? "results agree" : "RESULTS DIFFER",
              info.native ? "CUDA's" : "run step by step", ours.kernel.variant().c_str());
  return right && info.native ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: bench-launch KERNELS.sxt [CUBIN]\n");
    return 2;
  }
  try {
    return argc == 3 ? runCuda(argv[1], argv[2]) : runCpu(argv[1]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-launch: %s\n", error.what());
    return 1;
  }
}
