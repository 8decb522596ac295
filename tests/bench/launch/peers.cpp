// A thread that waits for a condition variable, and the driver API by hand.
#include "peers.h"

#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace peers {

[[gnu::noinline]] void touch(int *out, int value) {
  *out = value;
  asm volatile("" ::: "memory");
}

Worker::Worker() : thread([this] { work(); }) {}

Worker::~Worker() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  posted.notify_one();
  thread.join();
}

void Worker::submit(int *out, int value) {
  {
    std::lock_guard lock(mutex);
    calls.push_back({out, value});
    ++given;
  }
  posted.notify_one();
}

void Worker::wait() {
  std::unique_lock lock(mutex);
  done.wait(lock, [this] { return finished == given; });
}

void Worker::work() {
  std::vector<Call> taken;
  std::unique_lock lock(mutex);
  for (;;) {
    posted.wait(lock, [this] { return stopping || !calls.empty(); });
    if (calls.empty())
      return;
    taken.swap(calls);
    lock.unlock();
    for (const Call &call : taken)
      touch(call.out, call.value);
    lock.lock();
    finished += taken.size();
    taken.clear();
    done.notify_all();
  }
}

namespace {

/// CUDA_KERNEL_NODE_PARAMS in its first version.
struct NodeParams {
  void *function;
  unsigned grid[3], block[3], sharedBytes;
  void **parameters, **extra;
};

struct Driver {
  int (*init)(unsigned);
  int (*retain)(void **, int);
  int (*setCurrent)(void *);
  int (*load)(void **, const void *);
  int (*getFunction)(void **, void *, const char *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                void *, void **, void **);
  int (*graphCreate)(void **, unsigned);
  int (*addKernel)(void **, void *, void *const *, size_t, const NodeParams *);
  int (*instantiate)(void **, void *, unsigned long long);
  int (*setKernel)(void *, void *, const NodeParams *);
  int (*graphLaunch)(void *, void *);

  Driver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    auto find = [&](auto &function, const char *name) {
      function =
          library
              ? reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name))
              : nullptr;
      if (!function)
        throw std::runtime_error(std::string("no ") + name);
    };
    find(init, "cuInit");
    find(retain, "cuDevicePrimaryCtxRetain");
    find(setCurrent, "cuCtxSetCurrent");
    find(load, "cuModuleLoadData");
    find(getFunction, "cuModuleGetFunction");
    find(launch, "cuLaunchKernel");
    find(graphCreate, "cuGraphCreate");
    find(addKernel, "cuGraphAddKernelNode");
    find(instantiate, "cuGraphInstantiateWithFlags");
    find(setKernel, "cuGraphExecKernelNodeSetParams");
    find(graphLaunch, "cuGraphLaunch");
  }
};

const Driver &cuda() {
  static const Driver driver;
  return driver;
}

} // namespace

Cuda::Cuda(const char *cubin, const char *kernel, uint64_t out, int count, void *stream)
    : stream(stream), out(out), count(count) {
  std::ifstream file(cubin, std::ios::binary);
  const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  void *context = nullptr, *module = nullptr, *unused = nullptr;
  failures += cuda().init(0) || cuda().retain(&context, 0) || cuda().setCurrent(context) ||
              cuda().load(&module, image.data()) || cuda().getFunction(&function, module, kernel);
  if (failures)
    throw std::runtime_error(std::string(cubin) + " has no " + kernel);
  graphs[0] = graphOf(10, lastNode);
  graphs[1] = graphOf(100, unused);
}

void Cuda::launch() {
  void *parameters[] = {&out, &count, &value};
  failures += cuda().launch(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr) != 0;
}

void *Cuda::graphOf(int nodes, void *&last) {
  void *graph = nullptr, *executable = nullptr;
  void *parameters[] = {&out, &count, &value};
  const NodeParams params{function, {1, 1, 1}, {32, 1, 1}, 0, parameters, nullptr};
  failures += cuda().graphCreate(&graph, 0) != 0;
  for (int i = 0; i < nodes; ++i) {
    void *before = last;
    failures += cuda().addKernel(&last, graph, &before, i ? 1 : 0, &params) != 0;
  }
  failures += cuda().instantiate(&executable, graph, 0) != 0;
  return executable;
}

void Cuda::launchGraph(int which) { failures += cuda().graphLaunch(graphs[which], stream) != 0; }

void Cuda::changeGraph() {
  ++value;
  void *parameters[] = {&out, &count, &value};
  const NodeParams params{function, {1, 1, 1}, {32, 1, 1}, 0, parameters, nullptr};
  failures += cuda().setKernel(graphs[0], lastNode, &params) != 0;
  launchGraph(0);
}

} // namespace peers
