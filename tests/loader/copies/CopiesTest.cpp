// Several loaders in one process: the one that this program is linked with, copies of the shared
// library under other paths, one inside a plugin. Each works beside the others, and they come
// and go.
#include "Use.h"
#include "tests/loader/TestModule.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace sextant::test;

namespace {

Copy copyOf(void *library) {
  return Copy([&](const char *name) { return dlsym(library, name); });
}

} // namespace

TEST_CASE("copies of the loader do not know each other") {
  const std::vector<std::byte> bytes = makeModule();
  void *first = dlopen(SEXTANT_TEST_COPIES "/first.so", RTLD_NOW | RTLD_LOCAL);
  void *second = dlopen(SEXTANT_TEST_COPIES "/second.so", RTLD_NOW | RTLD_LOCAL);
  INFO((first && second ? "" : dlerror()));
  REQUIRE(first);
  REQUIRE(second);
  Loaded linked; // this program's own, in use all the while
  const Copy one = copyOf(first), two = copyOf(second);
  CHECK(one.device_open != two.device_open);
  CHECK(one.device_open != &sxt_device_open);
  CHECK(use(one, bytes.data(), bytes.size()) == "");
  CHECK(use(two, bytes.data(), bytes.size()) == "");
  // Errors are each one's own.
  CHECK(one.device_count(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(one.last_error_message(), "sxt_device_count"));
  CHECK(std::string(two.last_error_message()).empty());
  // At the same time.
  std::string wrong[3];
  std::thread threads[3];
  for (int t = 0; t < 3; ++t)
    threads[t] = std::thread([&, t] {
      for (int i = 0; i < 5 && wrong[t].empty(); ++i)
        wrong[t] = use(t == 0   ? one
                       : t == 1 ? two
                                : Copy([](const char *name) { return dlsym(RTLD_DEFAULT, name); }),
                       bytes.data(), bytes.size());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &text : wrong)
    CHECK(text == "");
  dlclose(first);
  dlclose(second);
  need(sxt_kernel_launch(linked.kernel("empty"), nullptr, nullptr, 0));
}

TEST_CASE("a loader is unloaded when nothing of it is left, again and again", "[unload]") {
  const std::vector<std::byte> bytes = makeModule();
  const std::string name(400, 'n'); // a message that is kept by the thread
  for (int round = 0; round < 5; ++round) {
    void *library = dlopen(SEXTANT_TEST_COPIES "/first.so", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library);
    const Copy copy = copyOf(library);
    CHECK(use(copy, bytes.data(), bytes.size()) == "");
    sxt_device *none = nullptr;
    CHECK(copy.device_open(name.c_str(), &none) == SXT_ERROR_NOT_FOUND);
    std::thread([&] {
      CHECK(copy.device_open(name.c_str(), &none) == SXT_ERROR_NOT_FOUND);
    }).join();
    dlclose(library);
    void *still = dlopen(SEXTANT_TEST_COPIES "/first.so", RTLD_NOW | RTLD_NOLOAD);
    CHECK(still == nullptr);
  }
}

TEST_CASE("an unloaded loader leaves no memory", "[unload]") {
  // glibc's count of bytes in use. With its caches for threads off, equal rounds count equally.
  struct Heap {
    size_t arena, chunks, smallBlocks, mappings, mapped, unused, freeSmall, used, free, top;
  };
  auto count = reinterpret_cast<Heap (*)()>(dlsym(RTLD_DEFAULT, "mallinfo2"));
  if (!count) {
    WARN("skipped: this C library does not count its bytes");
    return;
  }
  auto mostOfRounds = [&] {
    size_t most = 0;
    for (int round = 0; round < 20; ++round) {
      void *library = dlopen(SEXTANT_TEST_COPIES "/first.so", RTLD_NOW | RTLD_LOCAL);
      REQUIRE(library);
      const Copy copy = copyOf(library);
      size_t devices = 0; // the number that all drivers have
      CHECK(copy.device_count(&devices) == SXT_OK);
      sxt_device *device = nullptr;
      CHECK(copy.device_open("cpu", &device) == SXT_OK);
      copy.device_release(device);
      dlclose(library);
      most = std::max(most, count().used);
    }
    return most;
  };
  (void)mostOfRounds(); // the first rounds leave something in the C library
  const size_t before = mostOfRounds();
  CHECK(mostOfRounds() == before);
}

TEST_CASE("an unloaded loader takes Vulkan's threads and memory along") {
  auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  auto addressSpace = [] { // in pages
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
  };
  const auto threadsBefore = threads();
  size_t pages = 0;
  for (int round = 0; round < 4; ++round) {
    void *library = dlopen(SEXTANT_TEST_COPIES "/first.so", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library);
    const Copy copy = copyOf(library);
    sxt_device *device = nullptr;
    if (copy.device_open("vulkan", &device) != SXT_OK) {
      WARN("skipped: " << copy.last_error_message());
      dlclose(library);
      return;
    }
    copy.device_release(device);
    dlclose(library);
    CHECK(dlopen("libvulkan.so.1", RTLD_NOW | RTLD_NOLOAD) == nullptr);
    CHECK(threads() == threadsBefore);
    if (round == 0) // glibc keeps something for threads to come
      pages = addressSpace();
  }
  constexpr size_t most = (size_t(32) << 20) / 4096;
  CHECK(addressSpace() < pages + most);
}

TEST_CASE("a plugin brings its own") {
  const std::vector<std::byte> bytes = makeModule();
  Loaded linked;
  for (int round = 0; round < 3; ++round) {
    void *plugin = dlopen(SEXTANT_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    INFO((plugin ? "" : dlerror()));
    REQUIRE(plugin);
    auto run = reinterpret_cast<const char *(*)(const void *, size_t)>(dlsym(plugin, "plugin_run"));
    CHECK(std::string(run(bytes.data(), bytes.size())) == "");
    CHECK(dlsym(RTLD_DEFAULT, "plugin_run") == nullptr);
    dlclose(plugin);
  }
  need(sxt_kernel_launch(linked.kernel("empty"), nullptr, nullptr, 0));
}
