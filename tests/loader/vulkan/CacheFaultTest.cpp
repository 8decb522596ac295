// The folder for compiled pipelines is full, absent, or no folder: launches do without it, and
// nothing half-written stays.
#include "VulkanModule.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sextant::test;
namespace fs = std::filesystem;

namespace {

/// A folder of its own, which SEXTANT_CACHE_DIR names.
struct CacheFolder {
  fs::path path = fs::temp_directory_path() / ("sextant-cache-faults-" + std::to_string(getpid()));
  CacheFolder() {
    fs::remove_all(path);
    setenv("SEXTANT_CACHE_DIR", path.string().c_str(), 1);
  }
  ~CacheFolder() {
    unsetenv("SEXTANT_CACHE_DIR");
    fs::remove_all(path);
  }
  size_t files() const {
    size_t count = 0;
    for (const auto &entry : fs::directory_iterator(path))
      count += entry.is_regular_file();
    return count;
  }
};

} // namespace

TEST_CASE("the cache's disk is full") {
  CheckedVulkan checked;
  CacheFolder folder;
  fs::create_directory(folder.path);
  // A file may have 20 bytes: writing fails in the middle, as on a full disk.
  rlimit before{}, little{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  little = before;
  little.rlim_cur = 20;
  const ModuleOptions options = vulkanOptions();
  auto *handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &little) == 0);
  const sxt_status status = smallRun("vulkan:0", options);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  need(status);
  CHECK(folder.files() == 0);
  need(smallRun("vulkan:0", options)); // with room
  CHECK(folder.files() == 1);
}

TEST_CASE("the cache's folder is absent, or no folder") {
  CheckedVulkan checked;
  CacheFolder folder;
  need(smallRun("vulkan:0", vulkanOptions()));
  CHECK(!fs::exists(folder.path));
  std::ofstream(folder.path) << "a file";
  need(smallRun("vulkan:0", vulkanOptions()));
  CHECK(fs::file_size(folder.path) == 6);
}

TEST_CASE("the cache's file is a pipe: nobody waits at it, and it stays") {
  CheckedVulkan checked;
  CacheFolder folder;
  fs::create_directory(folder.path);
  need(smallRun("vulkan:0", vulkanOptions()));
  REQUIRE(folder.files() == 1);
  const fs::path file = fs::directory_iterator(folder.path)->path();
  fs::remove(file);
  REQUIRE(mkfifo(file.c_str(), 0600) == 0);
  need(smallRun("vulkan:0", vulkanOptions()));
  CHECK(fs::is_fifo(file));
  CHECK(folder.files() == 0);
}
