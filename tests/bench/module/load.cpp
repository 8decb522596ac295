// How long it takes to load a CPU image and find a task of it: the loader's own way, beside the
// system's (a file in memory and dlopen), in turn. Median of 200 each, with and without the
// release.
//
//   bench-load TASK IMAGE…      images as `sextant extract` writes them
#include "loader/devices/cpu/ElfImage.h"
#include "loader/devices/cpu/Pool.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <sys/mman.h>
#include <unistd.h>

using namespace sextant;
using namespace sextant::loader;

namespace {

constexpr int rounds = 200;

struct Times {
  std::vector<double> load, release;

  template <class Load, class Release> void measure(Load doLoad, Release doRelease) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    doLoad();
    const auto loaded = Clock::now();
    doRelease();
    const auto end = Clock::now();
    load.push_back(std::chrono::duration<double, std::micro>(loaded - begin).count());
    release.push_back(std::chrono::duration<double, std::micro>(end - loaded).count());
  }
};

double medianOf(std::vector<double> &values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

[[noreturn]] void quit(const char *what, const char *why) {
  std::fprintf(stderr, "bench-load: %s: %s\n", what, why);
  std::exit(1);
}

/// An image that the system loads.
struct SystemImage {
  int file = -1;
  void *library = nullptr;

  void load(const std::string &bytes, const char *task) {
    file = memfd_create("image", MFD_CLOEXEC);
    if (file < 0 || write(file, bytes.data(), bytes.size()) != ssize_t(bytes.size()))
      quit("memfd", "cannot be written");
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library || !dlsym(library, task))
      quit("dlopen", dlerror());
  }
  void release() const {
    dlclose(library);
    close(file);
  }
};

void compare(Pool &pool, const char *task, const char *path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  module::Task wanted;
  wanted.symbol = task;
  Times own, system;
  for (int i = 0; i < rounds; ++i) {
    std::unique_ptr<LoadedImage> image;
    LoadedTask loaded;
    own.measure(
        [&] {
          if (loadElfImage(pool, std::as_bytes(std::span(bytes)), image) != SXT_OK ||
              image->findTask(wanted, {}, {-1, -1, -1, 0}, loaded) != SXT_OK)
            quit(path, sxt_last_error_message());
        },
        [&] { image.reset(); });
    SystemImage other;
    system.measure([&] { other.load(bytes, task); }, [&] { other.release(); });
  }
  std::printf("| %s | %zu | %.1f | %.1f | %.1f | %.1f |\n", path, bytes.size(), medianOf(own.load),
              medianOf(own.release), medianOf(system.load), medianOf(system.release));
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench-load TASK IMAGE…\n");
    return 2;
  }
  for (const char *name : {"libm.so.6", "libmvec.so.1"}) // for images of before
    (void)dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  std::printf("| image | bytes | loader: load, µs | release | dlopen: load, µs | release |\n"
              "|---|---|---|---|---|---|\n");
  Pool pool;
  for (int i = 2; i < argc; ++i)
    compare(pool, argv[1], argv[i]);
  return 0;
}
