// Ranges for profilers, and the log. The process's environment decides which tool is there:
// CMakeLists.txt runs this once for each.
#include "TestModule.h"
#include "fakedriver/FakeTool.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

using namespace sextant;
using namespace sextant::test;

namespace {

/// Returns what the stand-in heard since it was asked last; "" where it is not loaded.
std::string heard() {
  void *tool = dlopen(SEXTANT_TEST_TOOL, RTLD_NOW | RTLD_NOLOAD);
  if (!tool)
    return "";
  auto take = reinterpret_cast<decltype(&fakeToolHeard)>(dlsym(tool, "fakeToolHeard"));
  dlclose(tool);
  return take();
}

void launchOnce(const char *device = "cpu") {
  Loaded on(device);
  need(sxt_kernel_launch(on.kernel("empty"), nullptr, nullptr, 0));
}

} // namespace

TEST_CASE("loads and launches are ranges, named by kernel and target", "[marked]") {
  launchOnce();
  const std::string name = "empty (cpu:" + hostArch() + "/wave32)";
  CHECK(heard() == "load " + name + "{}" + name + "{}");

  Loaded on;
  sxt_launch *launch = nullptr;
  sxt_graph *graph = nullptr;
  need(sxt_launch_create(on.kernel("empty"), nullptr, 0, &launch));
  (void)heard();
  need(sxt_launch_enqueue(launch, nullptr));
  CHECK(heard() == name + "{}");
  need(sxt_graph_create(on.device, &graph));
  need(sxt_graph_add_launch(graph, on.kernel("empty"), nullptr, 0, nullptr));
  need(sxt_graph_enqueue(graph, nullptr));
  CHECK(heard() == "graph{" + name + "{}}");
  sxt_launch_release(launch);
  sxt_graph_release(graph);
  sxt_module *module = nullptr;
  CHECK(sxt_module_open_file("no such file", &module) == SXT_ERROR_IO);
  CHECK(heard() == "open no such file{}");
}

TEST_CASE("where nobody listens, nobody is loaded", "[unmarked]") {
  launchOnce();
  CHECK(heard() == "");
}

TEST_CASE("an environment without effect is warned of", "[warned]") {
  std::string lines;
  sxt_log_set_callback(
      [](sxt_log_level level, const char *text, void *user) {
        *static_cast<std::string *>(user) += std::to_string(level) + " " + text + "\n";
      },
      &lines, SXT_LOG_WARNING);
  launchOnce();
  sxt_log_set_callback(nullptr, nullptr, SXT_LOG_OFF);
  CHECK(heard() == "");
  const char *expected = std::getenv("SEXTANT_TEST_WARNING");
  REQUIRE(expected);
  CHECK(contains(lines, expected));
}

TEST_CASE("what log.sh listens to", "[speaks]") {
  launchOnce();
  CHECK(sxt_device_count(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("a callback may be replaced while others speak, and is not called after that", "[log]") {
  Loaded on;
  sxt_kernel *empty = on.kernel("empty");
  struct Listener {
    std::atomic<bool> listening{true};
    std::atomic<int> inside{0}, calls{0}, wrong{0};
  } listeners[2];
  auto take = [](sxt_log_level level, const char *text, void *user) {
    auto &self = *static_cast<Listener *>(user);
    self.wrong += ++self.inside != 1; // one at a time
    self.wrong += !self.listening || level != SXT_LOG_DEBUG || std::string(text).rfind("launch", 0);
    ++self.calls;
    --self.inside;
  };
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      while (!stop)
        if (sxt_kernel_launch(empty, nullptr, nullptr, 0) != SXT_OK)
          ++listeners[0].wrong;
    });
  for (int turn = 0; turn < 200; ++turn) {
    Listener &now = listeners[turn % 2], &before = listeners[(turn + 1) % 2];
    now.listening = true;
    sxt_log_set_callback(take, &now, SXT_LOG_DEBUG);
    before.listening = false;
    if (turn >= 2)
      while (now.calls == 0)
        std::this_thread::yield();
  }
  sxt_log_set_callback(take, &listeners[1], SXT_LOG_INFO);
  const int calls = listeners[1].calls;
  need(sxt_kernel_launch(empty, nullptr, nullptr, 0)); // told only at level debug
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  CHECK(listeners[1].calls - calls <= 4); // lines that were under way
  sxt_log_set_callback(nullptr, nullptr, SXT_LOG_OFF);
  CHECK(listeners[0].wrong == 0);
  CHECK(listeners[1].wrong == 0);
  CHECK(listeners[0].calls > 0);
}
