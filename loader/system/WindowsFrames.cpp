// Frames on Windows: a table of functions for each image (RtlAddFunctionTable), which debuggers,
// profilers and handlers of exceptions look up. Its records have to lie within 4 GiB of the code,
// so they follow the image.
#include "loader/system/Frames.h"
#include "loader/system/UnwindRecords.h"

#include <cstring>

#define WIN32_LEAN_AND_MEAN
#undef NOMINMAX
#define NOMINMAX
#include <windows.h>

namespace sextant::system {

static_assert(sizeof(UnwindFunction) == sizeof(RUNTIME_FUNCTION));

struct Frames::Impl {
  UnwindRecords records;
  uint64_t place = 0;
  bool isAdded = false;

  RUNTIME_FUNCTION *table() {
    return reinterpret_cast<RUNTIME_FUNCTION *>(records.functions.data());
  }
};

Frames::Frames() = default;
Frames::~Frames() {
  if (impl && impl->isAdded)
    RtlDeleteFunctionTable(impl->table());
}

uint64_t Frames::read(const FrameSections &sections, uint64_t place) {
  UnwindRecords records = unwindRecords(readCallFrames(sections), place);
  if (records.functions.empty())
    return 0;
  impl.reset(new Impl{std::move(records), place});
  return impl->records.records.size();
}

void Frames::add(Pages &pages) {
  if (!impl)
    return;
  const std::vector<std::byte> &bytes = impl->records.records;
  if (!pages.commit(impl->place, bytes.size(), Access::Read))
    return;
  std::memcpy(pages.begin() + impl->place, bytes.data(), bytes.size());
  impl->isAdded =
      pages.protect(impl->place, bytes.size(), Access::Read).empty() &&
      RtlAddFunctionTable(impl->table(), static_cast<DWORD>(impl->records.functions.size()),
                          reinterpret_cast<DWORD64>(pages.begin()));
}

} // namespace sextant::system
