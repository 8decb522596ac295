// The layer over the operating system, as the loader uses it: the same tests on every system.
#include "TestModule.h"

#include "loader/abi/Stack.h"
#include "loader/system/Environment.h"
#include "loader/system/File.h"
#include "loader/system/Library.h"
#include "loader/system/Memory.h"
#include "loader/system/Thread.h"

#include <atomic>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace sextant::test;
namespace sys = sextant::system;
namespace fs = std::filesystem;

namespace {

/// A folder whose name has letters of one to four bytes in UTF-8, and is longer than the 260
/// characters that Windows takes without more ado.
struct Folder {
  Folder() {
    std::u8string name = u8"sextant-é-中-😀-";
    path = fs::temp_directory_path() / (name + std::u8string(100, u8'a'));
    path += std::to_string(getpid());
    path = path / std::u8string(120, u8'b');
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path.parent_path()); }
  std::string file(const char *name) const {
    const std::u8string whole = (path / name).u8string();
    return {whole.begin(), whole.end()};
  }
  fs::path path;
};

std::span<const std::byte> bytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string contentOf(const sys::File &file, uint64_t offset, size_t most) {
  std::string text(most, '?');
  size_t got = 0;
  REQUIRE(file.read(offset, std::as_writable_bytes(std::span(text)), got).empty());
  text.resize(got);
  return text;
}

} // namespace

TEST_CASE("files with names of all letters are written, replaced and read") {
  const Folder folder;
  const std::string path = folder.file("a.bin");
  REQUIRE(sys::replaceFile(path, bytesOf("first "), bytesOf("text")).empty());
  {
    sys::File file;
    REQUIRE(file.open(path).empty());
    CHECK(file.isRegular());
    CHECK(file.size() == 10);
    CHECK(contentOf(file, 0, 100) == "first text");
    CHECK(contentOf(file, 6, 2) == "te");
    CHECK(contentOf(file, 10, 5).empty());
    // One who has the old file open keeps it.
    REQUIRE(sys::replaceFile(path, bytesOf("new"), {}).empty());
    CHECK(contentOf(file, 0, 100) == "first text");
  }
  sys::File file;
  REQUIRE(file.open(path).empty());
  CHECK(contentOf(file, 0, 100) == "new");
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("files that are not there, and folders") {
  const Folder folder;
  sys::File missing, other;
  CHECK(!missing.open(folder.file("missing")).empty());
  CHECK(!missing.isOpen());
  const std::u8string name = folder.path.u8string();
  (void)other.open({name.begin(), name.end()});
  CHECK(!other.isRegular());
  CHECK(!sys::replaceFile(folder.file("no/such"), bytesOf("x"), {}).empty());
  CHECK(!sys::replaceFile({name.begin(), name.end()}, bytesOf("x"), {}).empty());
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("a module is opened by a path of all letters") {
  const Folder folder;
  const std::vector<std::byte> module = makeModule();
  REQUIRE(sys::replaceFile(folder.file("m.sxt"), module, {}).empty());
  sxt_module *opened = nullptr;
  CHECK(sxt_module_open_file(folder.file("m.sxt").c_str(), &opened) == SXT_OK);
  sxt_module_release(opened);
}

TEST_CASE("variables of the environment") {
  setenv("SEXTANT_TEST_VARIABLE", "some text", 1);
  const char *text = sys::environment("SEXTANT_TEST_VARIABLE");
  REQUIRE(text);
  CHECK(std::string(text) == "some text");
  unsetenv("SEXTANT_TEST_VARIABLE");
  CHECK(sys::environment("SEXTANT_TEST_VARIABLE") == nullptr);
}

TEST_CASE("libraries that are not there, or are not libraries") {
  const Folder folder;
  REQUIRE(sys::replaceFile(folder.file("none.so"), bytesOf("this is not a library"), {}).empty());
  const std::string garbage = folder.file("none.so");
  const char *names[] = {"sextant-absent", garbage.c_str()};
  std::string why;
  CHECK(sys::openLibrary(names, why) == nullptr);
  CHECK(why.find("none.so") != std::string::npos); // which says more than one that is absent
  CHECK(sys::loadedLibrary(names) == nullptr);
}

TEST_CASE("a thread's end calls the key's function with its value") {
  static std::atomic<void *> ended{nullptr};
  static sys::ThreadKey key([](void *value) { ended = value; });
  int here = 0;
  std::thread([&] {
    CHECK(key.set(&here));
    CHECK(ended == nullptr);
  }).join();
  CHECK(ended == &here);
}

TEST_CASE("a thread for kernels has room for them, touched in any order") {
  struct Result {
    bool hasRoom = false, hasMore = true;
    int touched = 0;
  } result;
  sys::Thread thread;
  REQUIRE(thread.start(
      [](void *given) {
        auto &out = *static_cast<Result *>(given);
        out.hasRoom = sys::hasStack(sextant::abi::taskStack);
        out.hasMore = sys::hasStack(size_t(1) << 40);
        // As a kernel's frame does it: the lowest page first.
        const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
        for (size_t below = sextant::abi::taskStack; below >= 4096; below -= 65536) {
          *reinterpret_cast<volatile char *>(here - below) = 1;
          ++out.touched;
        }
      },
      &result));
  thread.join();
  CHECK(result.hasRoom);
  CHECK(!result.hasMore);
  CHECK(result.touched == sextant::abi::taskStack / 65536);
}

TEST_CASE("memory is aligned, and too much is refused") {
  for (uint64_t alignment : {64u, 4096u, 1u << 21}) {
    void *block = sys::allocateAligned(alignment, 100);
    REQUIRE(block);
    CHECK(reinterpret_cast<uintptr_t>(block) % alignment == 0);
    sys::freeAligned(block);
  }
  CHECK(sys::allocateAligned(64, UINT64_MAX) == nullptr);
  CHECK(sys::processors() >= 1);
  CHECK(sys::physicalMemory() > uint64_t(1) << 26);
}
