// The reader's checks of images and packs, each with its exact message, as in MalformedTest.cpp.
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"

#include <zstd.h>

using namespace sextant;
using namespace sextant::module;
using namespace sextant::module::format;
using namespace sextant::test;

namespace {

std::string afterImageEdit(const std::function<void(ImageEntry &)> &change) {
  Patient patient = oldSample();
  patient.edit<ImageEntry>(patient.imageEntryAt(0), change);
  patient.hashAgain();
  return patient.verifyError();
}

/// Three packs: the records, then images of two targets, the second on the first.
Bytes chainedModule() {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("a.py", {})));
  Bytes image = imageBytes(5, 4000);
  need(builder.addVariant(kernel, totalPlan(32),
                          variantFor({"cuda", "sm_80", {}, 32}, builder.addImage(image), "cubin")));
  image[2000] ^= std::byte{1};
  need(builder.addVariant(kernel, totalPlan(32),
                          variantFor({"cuda", "sm_86", {}, 32}, builder.addImage(image), "cubin")));
  return *builder.build();
}

std::string afterPackEdit(uint32_t pack, const std::function<void(PackEntry &)> &change) {
  Patient patient{chainedModule()};
  patient.edit<PackEntry>(patient.packEntryAt(pack), change);
  patient.hashAgain();
  return patient.verifyError();
}

} // namespace

TEST_CASE("images of version 1.0 are checked when they are decoded") {
  const Patient sample = oldSample();
  const uint64_t stored = sample.get<ImageEntry>(sample.imageEntryAt(0)).storedBytes;
  CHECK(afterImageEdit([](ImageEntry &) {}).empty());
  CHECK(afterImageEdit([](ImageEntry &e) { e.offset = ~uint64_t(0); }) ==
        about("image 0", "it reaches past the file's end"));
  CHECK(afterImageEdit([](ImageEntry &e) { e.storedBytes = ~uint64_t(0); }) ==
        about("image 0", "it reaches past the file's end"));
  CHECK(afterImageEdit([](ImageEntry &e) { e.codec = 0; }) ==
        about("image 0", "it is stored as it is, yet its sizes differ"));
  CHECK(afterImageEdit([](ImageEntry &e) { e.codec = 7; }) ==
        "image 0 is compressed in a way (7) that this loader lacks; use a newer loader");
  CHECK(afterImageEdit([](ImageEntry &e) { e.imageBytes = uint64_t(1) << 60; }) ==
        about("image 0",
              "no frame of " + std::to_string(stored) + " bytes holds 1152921504606846976"));
  CHECK(afterImageEdit([](ImageEntry &e) { e.imageBytes += 1; }) ==
        about("image 0", "its zstd frame does not hold the bytes that its entry states"));
  CHECK(afterImageEdit([](ImageEntry &e) { e.contentHash[3] ^= 1; }) ==
        about("image 0", "the hash of its content does not match"));
  CHECK(afterImageEdit([](ImageEntry &e) {
          e.storedBytes -= 1;
        }).starts_with("corrupt module: image 0: its zstd frame is damaged ("));

  Patient frame = oldSample();
  const auto entry = frame.get<ImageEntry>(frame.imageEntryAt(0));
  frame.bytes[entry.offset] ^= std::byte{1};
  CHECK(frame.verifyError() ==
        about("image 0", "its zstd frame does not hold the bytes that its entry states"));

  const auto reader = Reader::fromMemory(sample.bytes, {.maxImageBytes = 599});
  CHECK(reader->image(0).error().message ==
        "image 0 has 600 bytes, the limit is 599; raise the limit if you trust the module");
  CHECK(reader->image(0).error().code == Code::TooLarge);
}

TEST_CASE("packs are checked when they are decoded") {
  const Patient sample{chainedModule()};
  REQUIRE(sample.header().packCount == 3);
  REQUIRE(sample.packEntry(2).base == 1);
  const PackEntry last = sample.packEntry(2);
  CHECK(afterPackEdit(2, [](PackEntry &) {}).empty());
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.offset = ~uint64_t(0); }) ==
        about("pack 2", "it reaches past the file's end"));
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.storedBytes = ~uint64_t(0); }) ==
        about("pack 2", "it reaches past the file's end"));
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.base = 2; }) ==
        about("pack 2", "its base, pack 2, does not come before it"));
  CHECK(afterPackEdit(1, [](PackEntry &e) { e.base = 2; }) ==
        about("pack 1", "its base, pack 2, does not come before it"));
  const std::string stored =
      about("pack 2", "it is stored as it is, yet has another size or a base");
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.codec = 0; }) == stored);
  CHECK(afterPackEdit(2, [](PackEntry &e) {
          e.codec = 0;
          e.bytes = e.storedBytes;
        }) == stored);
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.codec = 7; }) ==
        "pack 2 is compressed in a way (7) that this loader lacks; use a newer loader");
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.bytes = uint64_t(1) << 60; }) ==
        about("pack 2", "no frame of " + std::to_string(last.storedBytes) +
                            " bytes holds 1152921504606846976"));
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.bytes += 1; }) ==
        about("pack 2", "its zstd frame does not hold the bytes that its entry states"));
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.contentHash[3] ^= 1; }) ==
        about("pack 2", "the hash of its content does not match"));
  CHECK(afterPackEdit(2, [](PackEntry &e) {
          e.storedBytes -= 1;
        }).starts_with("corrupt module: pack 2: its zstd frame is damaged ("));
  // Against another base, or none: whatever comes out, it is not the content.
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.base = 0; }).starts_with("corrupt module: pack 2: "));
  CHECK(afterPackEdit(2, [](PackEntry &e) {
          e.base = noBase;
        }).starts_with("corrupt module: pack 2: "));
  const std::string numbers = "its images are not numbered on from those before it";
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.firstImage = 0; }) == about("pack 2", numbers));
  CHECK(afterPackEdit(1, [](PackEntry &e) { e.imageCount = 16384; }) == about("pack 1", numbers));
  CHECK(afterPackEdit(1, [](PackEntry &e) { e.imageCount = 16385; }) ==
        about("pack 1", "it cannot have 16385 images"));
  CHECK(afterPackEdit(1, [](PackEntry &e) { e.imageCount = 0; }) == about("pack 2", numbers));
  CHECK(afterPackEdit(2, [](PackEntry &e) { e.imageCount = 0; }) ==
        about("pack 2", "it has no images, yet follows packs that have"));
  CHECK(afterPackEdit(0, [](PackEntry &e) {
          e.imageCount = 1;
        }).starts_with("corrupt module: pack 0: bytes follow its last image"));

  Patient frame{chainedModule()};
  frame.bytes[last.offset] ^= std::byte{1};
  CHECK(frame.verifyError() ==
        about("pack 2", "its zstd frame does not hold the bytes that its entry states"));
  Patient entry{chainedModule()};
  entry.bytes[entry.packEntryAt(1) + 3] ^= std::byte{1};
  CHECK(entry.verifyError() == about("pack 1", "the hash of its entry does not match"));
  Patient fewer{chainedModule()};
  fewer.edit<Header>(0, [](Header &h) { h.imageCount = 3; });
  fewer.hashAgain();
  CHECK(fewer.verifyError() == about("the header", "its packs hold 2 of 3 images"));
  CHECK(Reader::fromMemory(fewer.bytes)->image(2).error().message ==
        about("image 2", "no pack holds it"));

  // Both packs count, as both are decompressed: 4008 bytes each.
  const Bytes bytes = chainedModule();
  CHECK(Reader::fromMemory(bytes, {.maxImageBytes = 8016})->image(1).ok());
  const auto reader = Reader::fromMemory(bytes, {.maxImageBytes = 8015});
  CHECK(reader->image(1).error().message ==
        "pack 2 takes more than 8015 bytes to decompress, which is the limit; raise the limit if "
        "you trust the module");
  CHECK(reader->image(1).error().code == Code::TooLarge);
}

TEST_CASE("the sizes of a pack's images add up to the pack") {
  auto after = [](uint64_t size) {
    Patient patient{chainedModule()};
    patient.storePacks();
    patient.put<uint64_t>(patient.packEntry(2).offset, size);
    patient.hashAgain();
    return patient.verifyError();
  };
  CHECK(after(4000).empty());
  CHECK(after(4001) == about("pack 2", "its images reach past its end"));
  CHECK(after(~uint64_t(0)) == about("pack 2", "its images reach past its end"));
  CHECK(after(3999) == about("pack 2", "bytes follow its last image"));
  Patient patient{chainedModule()};
  patient.storePacks();
  patient.edit<PackEntry>(patient.packEntryAt(2),
                          [](PackEntry &e) { e.bytes = e.storedBytes = 7; });
  patient.hashAgain();
  CHECK(patient.verifyError() == about("pack 2", "it has no room for the sizes of its images"));
}

TEST_CASE("a long chain of bases is refused") {
  // Twelve packs, each of them said to lie on the one before.
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("a.py", {})));
  for (unsigned sm = 0; sm < 12; ++sm)
    need(builder.addVariant(kernel, totalPlan(32),
                            variantFor({"cuda", "sm_" + std::to_string(80 + sm), {}, 32},
                                       builder.addImage(imageBytes(sm, 3000)), "cubin")));
  Patient patient{*builder.build()};
  REQUIRE(patient.header().packCount == 13);
  for (uint32_t i = 2; i < 13; ++i)
    patient.edit<PackEntry>(patient.packEntryAt(i), [&](PackEntry &e) { e.base = i - 1; });
  patient.hashAgain();
  const auto reader = Reader::fromMemory(patient.bytes);
  CHECK(reader->image(11).error().message == about("pack 12", "more than 8 bases lie below it"));
}

TEST_CASE("a frame that expands beyond its entry is refused") {
  // The entry and the frame's own header agree on 70000 bytes, the blocks hold more:
  // rewrite the content size in the frame of a longer image.
  packager::ModuleBuilder builder("sextant", "");
  builder.addImage(Bytes(99992, std::byte{7})); // and eight bytes for its size
  Patient patient{*builder.build()};
  PackEntry entry = patient.packEntry(0);
  const auto *frame = patient.bytes.data() + entry.offset;
  REQUIRE(ZSTD_getFrameContentSize(frame, entry.storedBytes) == 100000);
  bool isPatched = false; // the four bytes of 100000, after magic and descriptor
  for (uint64_t at = entry.offset + 5; at < entry.offset + 10 && !isPatched; ++at)
    if (patient.get<uint32_t>(at) == 100000) {
      patient.put<uint32_t>(at, 70000);
      isPatched = true;
    }
  REQUIRE(isPatched);
  entry.bytes = 70000;
  patient.put(patient.packEntryAt(0), entry);
  patient.hashAgain();
  CHECK(patient.verifyError().starts_with("corrupt module: pack 0: its zstd frame is damaged ("));
}
