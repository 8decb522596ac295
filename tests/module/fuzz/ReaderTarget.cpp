// libFuzzer's entry to the module reader and all that reads through it.
#include "loader/format/Hash.h"
#include "packager/Merge.h"
#include "packager/Sign.h"
#include "packager/Thin.h"
#include "tests/module/Exercise.h"
#include "tests/module/fuzz/Allocations.h"
#include "tests/module/fuzz/Draft.h"
#include "tests/module/fuzz/Mutator.h"
#include "tests/module/fuzz/Samples.h"

#include <optional>

using namespace sextant;

namespace {

/// A call of the reader takes no more memory than this, whatever the file says: the packs below
/// an image together, what is kept of packs, the image's copy, four times a pack for the
/// templates of split images; a record and the info record, decoded; packs that are kept while
/// all of a module is looked at.
constexpr size_t most = 7 * test::exerciseLimits.maxImageBytes +
                        64 * test::exerciseLimits.maxRecordBytes + (size_t(4) << 20);

template <class Call> void bounded(Call call) {
  const size_t before = test::allocations().live;
  test::resetAllocations();
  call();
  test::always(test::allocations().peak <= before + most);
}

/// Part by part, and whether the whole is sound; nothing where it is not opened.
std::optional<bool> readAll(std::span<const std::byte> bytes, const module::Trust &trust) {
  std::optional<bool> isSound;
  bounded([&] {
    const auto reader = module::Reader::fromMemory(bytes, test::exerciseLimits, trust);
    if (!reader.ok())
      return;
    bounded([&] { (void)reader->info().ok(); });
    bounded([&] { (void)reader->attachment("scene.json").ok(); });
    for (uint32_t i = 0; i < std::min(reader->kernelCount(), 4u); ++i)
      bounded([&] { (void)reader->kernel(i).ok(); });
    for (uint32_t i = 0; i < std::min(reader->imageCount(), 4u); ++i)
      bounded([&] { (void)reader->image(i).ok(); });
    bounded([&] { isSound = reader->verify().ok(); });
  });
  return isSound;
}

packager::Contents contentsOf(std::span<const std::byte> module) {
  const auto reader = module::Reader::fromMemory(module);
  auto contents = packager::contentsOf(*reader);
  test::always(contents.ok());
  return std::move(*contents);
}

/// Writes what a sound module was made into, and requires it to be sound. \param isChosen whether
/// it is written: that takes a while
void writeAgain(const packager::Contents &contents, bool isChosen) {
  const auto builder = packager::builderOf(contents);
  test::always(builder.ok());
  size_t bytes = 0;
  for (const std::vector<std::byte> &image : contents.images)
    bytes += image.size();
  if (!isChosen || bytes > (size_t(1) << 18))
    return;
  const auto module = builder->build({.compression = packager::Compression::Fast, .jobs = 1});
  test::always(module.ok());
  const auto reader = module::Reader::fromMemory(*module);
  test::always(reader.ok() && reader->verify().ok());
}

/// The result of `merge` and `thin` can be written.
void combine(std::span<const std::byte> module) {
  const auto reader = module::Reader::fromMemory(module, test::exerciseLimits);
  if (reader->imageCount() > 64)
    return;
  const auto contents = packager::contentsOf(*reader);
  if (!contents.ok())
    return;
  const bool isChosen = module::hash64(module.data(), module.size()) % 8 == 0;
  static const packager::Contents sample = contentsOf(fuzz::sampleFile(0));
  for (const packager::Contents &other : {*contents, sample}) {
    if (const auto merged = packager::merge({{"first", *contents}, {"second", other}},
                                            {.allowMixedCompilers = true});
        merged.ok())
      writeAgain(*merged, isChosen);
  }
  for (const char *pattern : {"cuda", "total@cpu"}) {
    packager::ThinOptions options;
    options.keep = *packager::parsePatterns({pattern});
    if (const auto thinned = packager::thin(*contents, options); thinned.ok())
      writeAgain(*thinned, isChosen);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::span<const std::byte> bytes = bytesOf(data, size);
  const std::optional<bool> plain = readAll(bytes, {});
  // Digests and keys refuse more, and let nothing else through.
  const std::optional<bool> digested = readAll(bytes, {&packager::crypto(), {}});
  test::always(digested.has_value() == plain.has_value() && (!digested || *plain >= *digested));
  const std::optional<bool> trusted =
      readAll(bytes, {&packager::crypto(), {packager::publicKeyOf(fuzz::testKey())}});
  test::always(!trusted || (plain && *digested == *trusted));
  if (test::exercise(bytes))
    combine(bytes);
  return 0;
}
