// Loads an image: copies its segments to pages of its own, relocates it, and protects the pages. An
// image needs nothing but memory. Images of compilers before 0.2 call functions of libm and
// libmvec, which are looked for where such an image comes.
#include "loader/devices/cpu/ElfImage.h"
#include "loader/devices/cpu/Debuggers.h"
#include "loader/devices/cpu/ElfDynamic.h"
#include "loader/devices/cpu/Pool.h"
#include "loader/system/Frames.h"
#include "loader/system/Library.h"

#include <cinttypes>
#include <cstring>
#include <optional>

namespace sextant::loader {
namespace {

class ElfImage : public LoadedImage {
public:
  explicit ElfImage(Pool &pool) : pool(pool) {}
  sxt_status load(std::span<const std::byte> bytes);
  sxt_status findTask(const module::Task &task, const module::BlockLayout & /*layout*/,
                      const module::Resources &resources, LoadedTask &loaded) override {
    void *symbol = dynamic.find(task.symbol);
    if (!symbol)
      return fail(SXT_ERROR_BAD_MODULE, "the CPU image has no function '%s'", task.symbol.c_str());
    // Without the size, a task with shared arrays would write through null.
    if (resources.sharedBytes < 0)
      return fail(SXT_ERROR_BAD_MODULE,
                  "the CPU image does not say how much shared memory task '%s' needs",
                  task.symbol.c_str());
    SXT_TRY(pool.reserveScratch(static_cast<size_t>(resources.sharedBytes)));
    loaded = {.function = symbol,
              .blockDim = task.blockDim,
              .sharedBytes = static_cast<uint32_t>(resources.sharedBytes),
              .waits = task.waits,
              .collects = resources.stackBytes > 0};
    return SXT_OK;
  }

private:
  Pool &pool;
  ElfLayout layout;
  system::Pages pages;
  ElfDynamic dynamic;
  system::Frames frames; ///< forgotten before the pages are released, as is what follows
  std::optional<GdbImage> gdb;
};

void *systemFunction(const char *name) {
  static void *const library = [] {
    std::string why;
    return system::openLibrary(system::libraryNames.math, why);
  }();
  return library ? system::findSymbol(library, name) : nullptr;
}

} // namespace

sxt_status ElfImage::load(std::span<const std::byte> bytes) {
  const uint64_t page = system::pageBytes();
  if (const char *problem = readLayout(bytes, page, layout))
    return fail(SXT_ERROR_BAD_MODULE, "the CPU image %s", problem);
  auto noMemory = [&] {
    return fail(SXT_ERROR_OUT_OF_MEMORY, "no memory for a CPU image of %" PRIu64 " bytes",
                layout.all.bytes);
  };
  auto protect = [&](uint64_t address, uint64_t size, system::Access access) {
    const std::string why = pages.protect(address - layout.all.begin, size, access);
    return why.empty()
               ? SXT_OK
               : fail(SXT_ERROR_DEVICE,
                      "the system does not let this process run code from memory: %s", why.c_str());
  };
  const uint64_t behind = (layout.all.bytes + page - 1) & ~(page - 1);
  const uint64_t tables = frames.read(layout.frameSections(bytes), behind);
  if (!pages.reserve(behind + tables, layout.alignment))
    return noMemory();
  std::byte *memory = pages.begin() - layout.all.begin;
  for (const ElfPart &part : layout.parts) {
    if (!pages.commit(part.begin - layout.all.begin, part.bytes, part.access))
      return noMemory();
    std::memcpy(memory + part.begin, bytes.data() + part.fileBegin, part.fileBytes);
  }
  SXT_TRY(dynamic.read(layout, memory));
  SXT_TRY(dynamic.relocate(systemFunction));
  for (const ElfPart &part : layout.parts)
    if (part.access != system::Access::ReadWrite)
      SXT_TRY(protect(part.begin, part.bytes, part.access));
  // The last page may hold other data, too.
  const uint64_t end = (layout.relro.begin + layout.relro.bytes) & ~(page - 1);
  if (end > layout.relro.begin)
    SXT_TRY(protect(layout.relro.begin, end - layout.relro.begin, system::Access::Read));
  frames.add(pages);
  tellPerf(bytes, reinterpret_cast<uintptr_t>(memory));
  gdb.emplace(bytes, reinterpret_cast<uintptr_t>(memory));
  return SXT_OK;
}

sxt_status loadElfImage(Pool &pool, std::span<const std::byte> bytes,
                        std::unique_ptr<LoadedImage> &image) {
  auto made = std::make_unique<ElfImage>(pool);
  SXT_TRY(made->load(bytes));
  image = std::move(made);
  return SXT_OK;
}

} // namespace sextant::loader
