// Images in memory: what runs, what may be written, and that nothing stays behind.
#include "tests/loader/elf/Draft.h"

#include "loader/devices/cpu/ElfImage.h"
#include "loader/devices/cpu/Pool.h"
#include "loader/system/Memory.h"
#include "tests/support/Catch.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

using namespace sextant;
using namespace sextant::loader;
using namespace sextant::test;

namespace {

struct Mapping {
  uint64_t begin, end;
  std::string access;
};

/// This process's memory: /proc/self/maps.
std::vector<Mapping> mappings() {
  std::ifstream file("/proc/self/maps");
  std::vector<Mapping> all;
  for (std::string line; std::getline(file, line);) {
    Mapping mapping;
    char dash;
    std::istringstream(line) >> std::hex >> mapping.begin >> dash >> mapping.end >> mapping.access;
    all.push_back(mapping);
  }
  return all;
}

std::string accessAt(const void *address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  for (const Mapping &mapping : mappings())
    if (number >= mapping.begin && number < mapping.end)
      return mapping.access;
  return "";
}

std::vector<std::byte> kernels() {
  std::ifstream file(SEXTANT_TEST_KERNELS, std::ios::binary);
  REQUIRE(file.good());
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto *first = reinterpret_cast<const std::byte *>(text.data());
  return {first, first + text.size()};
}

std::unique_ptr<LoadedImage> load(Pool &pool, std::span<const std::byte> bytes) {
  std::unique_ptr<LoadedImage> image;
  const sxt_status status = loadElfImage(pool, bytes, image);
  INFO((status == SXT_OK ? "" : sxt_last_error_message()));
  REQUIRE(status == SXT_OK);
  return image;
}

/// The function `name` of an image.
void *find(LoadedImage &image, const char *name) {
  module::Task task;
  task.symbol = name;
  LoadedTask loaded;
  const sxt_status status = image.findTask(task, {}, {-1, -1, -1, 0}, loaded);
  INFO((status == SXT_OK ? "" : sxt_last_error_message()));
  REQUIRE(status == SXT_OK);
  return loaded.function;
}

/// Runs the task saxpy_t0 of kernels.c on three elements.
bool saxpyWorks(LoadedImage &image) {
  float x[] = {1, 2, 3}, y[] = {10, 20, 30};
  struct {
    float a;
    float *x;
    int64_t n;
    float *y;
  } block = {2, x, 3, y};
  reinterpret_cast<CpuTask>(find(image, "saxpy_t0"))(&block, nullptr, 0, 1, 1);
  return y[0] == 12 && y[1] == 24 && y[2] == 36;
}

} // namespace

TEST_CASE("an image made by hand runs") {
  Pool pool;
  Draft draft;
  draft.relocate(0, relative, 0, Draft::codeAddress);
  const auto image = load(pool, draft.done());
  void *task = find(*image, "task");
  CHECK(reinterpret_cast<int (*)()>(task)() == 42);
  auto *first = static_cast<std::byte *>(task) - Draft::codeAddress;
  CHECK(reinterpret_cast<uintptr_t>(first) % 0x10000 == 0); // as its segments ask for
  CHECK(accessAt(first) == "r--p");
  CHECK(accessAt(task) == "r-xp");
  CHECK(accessAt(first + Draft::slotsAddress) == "rw-p");
  CHECK(accessAt(first + 0x8000) == "---p"); // between segments
  void *pointer;
  std::memcpy(&pointer, first + Draft::slotsAddress, sizeof pointer);
  CHECK(pointer == task);
  CHECK(first[0x21700] == std::byte(0)); // past what the file has
}

TEST_CASE("what is read-only once it is relocated is so in whole pages") {
  Pool pool;
  Draft draft; // the segment that is written has pages 0x20 to 0x22, and of the last only a part
  draft.program(Draft::Write).p_memsz = 0x1900;
  draft.program(Draft::Extra) = {PT_GNU_RELRO, PF_R,   0, Draft::dynamicAddress, 0,
                                 0x1000,       0x1000, 1};
  draft.relocate(0, relative, 0, 7);
  const auto image = load(pool, draft.done());
  auto *first = static_cast<std::byte *>(find(*image, "task")) - Draft::codeAddress;
  if (sextant::system::pageBytes() == 4096)
    CHECK(accessAt(first + Draft::slotsAddress) == "r--p");
  CHECK(accessAt(first + 0x21800) == "rw-p");
}

TEST_CASE("an image by a C compiler runs, and calls libm") {
  Pool pool;
  const auto image = load(pool, kernels());
  CHECK(saxpyWorks(*image));
  float x[] = {0, 1};
  struct {
    float *x;
    int64_t n;
  } block = {x, 2};
  reinterpret_cast<CpuTask>(find(*image, "sine_t0"))(&block, nullptr, 0, 1, 1);
  CHECK(x[0] == 0);
  CHECK(x[1] > 0.8414709F);
  CHECK(x[1] < 0.841472F);
}

TEST_CASE("no page of an image is written and run") {
  Pool pool;
  auto both = [] { // the program that runs the test may have such pages: valgrind does
    const std::vector<Mapping> all = mappings();
    return std::count_if(all.begin(), all.end(),
                         [](const Mapping &m) { return m.access.starts_with("rwx"); });
  };
  const auto before = both();
  Draft draft;
  draft.relocate(0, relative, 0, 0);
  const auto byHand = load(pool, draft.done()), byCompiler = load(pool, kernels());
  CHECK(both() == before);
}

TEST_CASE("many images at once are each other's neighbours and no more") {
  Pool pool;
  const std::vector<std::byte> bytes = kernels();
  std::vector<std::unique_ptr<LoadedImage>> images(400);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = t; i < images.size(); i += 4)
        (void)loadElfImage(pool, bytes, images[i]);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 1; i < images.size(); i += 2)
    images[i].reset();
  for (size_t i = 0; i < images.size(); i += 2) {
    REQUIRE(images[i]);
    CHECK(saxpyWorks(*images[i]));
  }
}

TEST_CASE("images that are released leave no memory mapped") {
  Pool pool;
  const std::vector<std::byte> bytes = kernels();
  load(pool, bytes);
  const size_t before = mappings().size();
  for (int i = 0; i < 10000; ++i) {
    std::unique_ptr<LoadedImage> image;
    if (loadElfImage(pool, bytes, image) != SXT_OK)
      FAIL(sxt_last_error_message());
  }
  Draft refused; // after its pages were reserved
  refused.relocate(0, indirect, 0, 0);
  const std::vector<std::byte> wrong = refused.done();
  for (int i = 0; i < 1000; ++i) {
    std::unique_ptr<LoadedImage> image;
    CHECK(loadElfImage(pool, wrong, image) == SXT_ERROR_BAD_MODULE);
  }
  const size_t after = mappings().size();
  CHECK(after <= before + 8); // the heap's own
}
