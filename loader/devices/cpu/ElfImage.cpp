// Loads an image: copies its segments to pages of its own, relocates it, and protects the pages. An
// image needs nothing but memory. Images of compilers before 0.2 call functions of libm and
// libmvec, which are looked for where such an image comes.
#include "loader/devices/cpu/ElfImage.h"
#include "loader/devices/cpu/Debuggers.h"
#include "loader/devices/cpu/ElfDynamic.h"
#include "loader/devices/cpu/Pool.h"

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
    loaded = {symbol, task.blockDim, static_cast<uint32_t>(resources.sharedBytes), 0, task.waits};
    return SXT_OK;
  }

private:
  Pool &pool;
  ElfLayout layout;
  system::Pages pages;
  ElfDynamic dynamic;
  std::optional<GdbImage> gdb; ///< forgotten before the pages are released
};

void *systemFunction(const char *name) {
  // libmvec needs libm, so what is found in the first library are functions of both.
  static void *const library = [] {
    void *vectors = system::openLibrary("libmvec.so.1");
    return vectors ? vectors : system::openLibrary("libm.so.6");
  }();
  return library ? system::findSymbol(library, name) : nullptr;
}

} // namespace

sxt_status ElfImage::load(std::span<const std::byte> bytes) {
  const uint64_t page = system::pageBytes();
  if (const char *problem = readLayout(bytes, page, layout))
    return fail(SXT_ERROR_BAD_MODULE, "the CPU image %s", problem);
  SXT_TRY(pages.reserve(layout.all.bytes, layout.alignment));
  std::byte *memory = pages.begin() - layout.all.begin;
  for (const ElfPart &part : layout.parts) {
    SXT_TRY(pages.commit(part.begin - layout.all.begin, part.bytes));
    std::memcpy(memory + part.begin, bytes.data() + part.fileBegin, part.fileBytes);
  }
  SXT_TRY(dynamic.read(layout, memory));
  SXT_TRY(dynamic.relocate(systemFunction));
  for (const ElfPart &part : layout.parts)
    if (part.access != system::Access::ReadWrite)
      SXT_TRY(pages.protect(part.begin - layout.all.begin, part.bytes, part.access));
  // The last page may hold other data, too.
  const uint64_t end = (layout.relro.begin + layout.relro.bytes) & ~(page - 1);
  if (end > layout.relro.begin)
    SXT_TRY(pages.protect(layout.relro.begin - layout.all.begin, end - layout.relro.begin,
                          system::Access::Read));
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
