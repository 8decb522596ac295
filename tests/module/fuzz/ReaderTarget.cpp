// libFuzzer's entry to the module reader and all that reads through it.
#include "tests/module/Exercise.h"
#include "tests/module/fuzz/Allocations.h"
#include "tests/module/fuzz/Mutator.h"

using namespace sextant;

namespace {

/// A call of the reader takes no more memory than this, whatever the file says: the packs below
/// an image together, what is kept of packs, the image's copy, four times a pack for the
/// templates of split images; a record, decoded.
constexpr size_t most = 7 * test::exerciseLimits.maxImageBytes +
                        32 * test::exerciseLimits.maxRecordBytes + (size_t(2) << 20);

template <class Call> void bounded(Call call) {
  const size_t before = test::allocations().live;
  test::resetAllocations();
  call();
  test::always(test::allocations().peak <= before + most);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::span<const std::byte> bytes = bytesOf(data, size);
  bounded([&] {
    const auto reader = module::Reader::fromMemory(bytes, test::exerciseLimits);
    if (!reader.ok())
      return;
    bounded([&] { (void)reader->info().ok(); });
    for (uint32_t i = 0; i < std::min(reader->kernelCount(), 4u); ++i)
      bounded([&] { (void)reader->kernel(i).ok(); });
    for (uint32_t i = 0; i < std::min(reader->imageCount(), 4u); ++i)
      bounded([&] { (void)reader->image(i).ok(); });
    bounded([&] { (void)reader->verify().ok(); });
  });
  test::exercise(bytes);
  return 0;
}
