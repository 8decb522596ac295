// The image of tasks.c, as a file and in memory.
#pragma once

#include "loader/devices/cpu/ElfDynamic.h"
#include "loader/devices/cpu/ElfImage.h"
#include "loader/devices/cpu/Pool.h"
#include "loader/system/Frames.h"
#include "tests/support/Catch.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace sextant::test {

struct FramesImage {
  explicit FramesImage(const char *path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE(in.good());
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto bytes = std::as_bytes(std::span(text));
    file.assign(bytes.begin(), bytes.end());
    REQUIRE(loader::readLayout(file, system::pageBytes(), layout) == nullptr);
    copy.resize(layout.all.bytes);
    for (const loader::ElfPart &part : layout.parts)
      std::memcpy(copy.data() + part.begin, file.data() + part.fileBegin, part.fileBytes);
    REQUIRE(symbols.read(layout, copy.data()) == SXT_OK);
    REQUIRE(loader::loadElfImage(pool, file, loaded) == SXT_OK);
  }

  system::FrameSections sections() const {
    const system::FrameSections found = layout.frameSections(file);
    REQUIRE(!found.bytes.empty());
    return found;
  }

  /// A task that the loader has loaded.
  loader::CpuTask task(const char *name) {
    module::Task task;
    task.symbol = name;
    loader::LoadedTask found;
    REQUIRE(loaded->findTask(task, {}, {-1, -1, 0, 0}, found) == SXT_OK);
    return reinterpret_cast<loader::CpuTask>(found.function);
  }
  /// Where the loader has put the image's address 0.
  uint64_t base(const char *name) {
    const auto inCopy = static_cast<std::byte *>(symbols.find(name)) - copy.data();
    return reinterpret_cast<uintptr_t>(task(name)) - static_cast<uint64_t>(inCopy);
  }

  std::vector<std::byte> file, copy;
  loader::ElfLayout layout;
  loader::ElfDynamic symbols;
  loader::Pool pool;
  std::unique_ptr<loader::LoadedImage> loaded;
};

} // namespace sextant::test
