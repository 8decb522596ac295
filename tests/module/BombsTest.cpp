// Files that say much in few bytes. Refused before memory is asked for, or held to a fixed
// multiple of what the limits allow; counted by operator new.
#include "packager/Contents.h"
#include "packager/Describe.h"
#include "packager/Diff.h"
#include "packager/Sizes.h"
#include "packager/Tuning.h"
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"
#include "tests/module/fuzz/Allocations.h"

#include <ctime>
#include <zstd.h>

using namespace sextant;
using namespace sextant::test;

namespace {

constexpr size_t little = 1 << 17; ///< bytes that an error message and its like may take

/// Returns what operator new was asked for meanwhile.
template <class Body> Allocations during(Body body) {
  const size_t before = allocations().live;
  resetAllocations();
  body();
  Allocations after = allocations();
  after.live -= std::min(after.live, before);
  after.peak -= std::min(after.peak, before);
  return after;
}

/// Gives a pack another content, in a small frame at the file's end.
void replaceContent(Patient &patient, uint32_t pack, const Bytes &content) {
  Bytes frame(ZSTD_compressBound(content.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), 1));
  PackEntry entry = patient.packEntry(pack);
  entry.offset = patient.bytes.size();
  entry.storedBytes = frame.size();
  entry.bytes = content.size();
  entry.codec = static_cast<uint32_t>(Codec::Zstd);
  entry.base = noBase;
  const auto hash = hash128(content);
  std::memcpy(entry.contentHash, hash.data(), hash.size());
  patient.bytes.insert(patient.bytes.end(), frame.begin(), frame.end());
  patient.put(patient.packEntryAt(pack), entry);
  patient.edit<Header>(0, [&](Header &h) { h.fileBytes = patient.bytes.size(); });
  patient.hashAgain();
}

std::string tooLarge(uint32_t pack, uint64_t limit) {
  return "pack " + std::to_string(pack) + " takes more than " + std::to_string(limit) +
         " bytes to decompress, which is the limit; raise the limit if you trust the module";
}

/// One kernel's record, grown to `bytes`: `change` fills in what follows its head.
Patient withRecord(uint32_t bytes, const std::function<void(KernelRecord &, Bytes &)> &change) {
  packager::ModuleBuilder builder("sextant", "");
  (void)*builder.addKernel(totalKernel(builder.addSource("a.py", {})));
  Patient patient{*builder.build()};
  patient.storePacks();
  const uint64_t at = patient.recordAt(0);
  const KernelEntry entry = patient.kernelEntry(0);
  Bytes record(patient.bytes.begin() + static_cast<ptrdiff_t>(at),
               patient.bytes.begin() + static_cast<ptrdiff_t>(at + entry.bytes));
  record.resize(bytes);
  auto head = patient.get<KernelRecord>(at);
  change(head, record);
  std::memcpy(record.data(), &head, sizeof(head));
  patient.edit<KernelEntry>(patient.kernelEntryAt(0), [&](KernelEntry &e) {
    e.offset = 0;
    e.bytes = bytes;
    e.recordHash = hash64(record.data(), record.size());
  });
  replaceContent(patient, 0, record);
  return patient;
}

} // namespace

TEST_CASE("a frame's claim is judged before it is believed") {
  Patient patient{sampleModule()};
  const uint32_t last = patient.header().packCount - 1;
  const uint32_t image = patient.packEntry(last).firstImage;
  replaceContent(patient, last, Bytes(3 << 20));
  const uint64_t frame = patient.packEntry(last).storedBytes;
  CHECK(frame < 1024); // thousands of bytes for each
  const auto reader = Reader::fromMemory(patient.bytes, {.maxImageBytes = 1 << 20});
  Status status;
  CHECK(during([&] { status = reader->image(image).error(); }).largest < little);
  CHECK(status.message == tooLarge(last, 1 << 20));
  CHECK(status.code == Code::TooLarge);
  // Within the limit it is had, at the price of its content and a copy.
  const auto generous = Reader::fromMemory(patient.bytes, {.maxImageBytes = 3 << 20});
  CHECK(during([&] { (void)generous->image(image).ok(); }).peak < (6 << 20) + little);
  // More than any frame of its size holds, whatever the limit is.
  patient.edit<PackEntry>(patient.packEntryAt(last),
                          [&](PackEntry &e) { e.bytes = (frame + 1) * maxZstdRatio; });
  patient.hashAgain();
  const auto all = Reader::fromMemory(patient.bytes, {.maxImageBytes = ~uint64_t(0)});
  CHECK(during([&] { status = all->image(image).error(); }).largest < little);
  CHECK(status.message == about("pack " + std::to_string(last),
                                "no frame of " + std::to_string(frame) + " bytes holds " +
                                    std::to_string((frame + 1) * maxZstdRatio)));
}

TEST_CASE("frames that are not one of today's zstd are refused") {
  const std::string who = "pack 0", notOne = about(who, "it is not exactly one zstd frame"),
                    noSize =
                        about(who, "its zstd frame does not hold the bytes that its entry states");
  packager::ModuleBuilder builder("sextant", "");
  builder.addImage(imageBytes(1, 5000));
  const Bytes sound = *builder.build();
  /// The frame, changed, at the file's end.
  auto with = [&](const std::function<void(Bytes &)> &change) {
    Patient patient{sound};
    PackEntry entry = patient.packEntry(0);
    const auto from = sound.begin() + static_cast<ptrdiff_t>(entry.offset);
    Bytes frame(from, from + static_cast<ptrdiff_t>(entry.storedBytes));
    change(frame);
    std::fill_n(patient.bytes.begin() + static_cast<ptrdiff_t>(entry.offset), entry.storedBytes,
                std::byte{0}); // belongs to nothing now
    entry.offset = patient.bytes.size();
    entry.storedBytes = frame.size();
    patient.bytes.insert(patient.bytes.end(), frame.begin(), frame.end());
    patient.put(patient.packEntryAt(0), entry);
    patient.edit<Header>(0, [&](Header &h) { h.fileBytes = patient.bytes.size(); });
    patient.hashAgain();
    return patient.verifyError();
  };
  auto append = [](Bytes &frame, std::initializer_list<unsigned> bytes) {
    for (const unsigned byte : bytes)
      frame.push_back(static_cast<std::byte>(byte));
  };
  CHECK(with([](Bytes &) {}).empty());
  // After it: a skippable frame of two bytes; an empty frame; a byte.
  CHECK(with([&](Bytes &f) { append(f, {0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 1}); }) == notOne);
  CHECK(with([&](Bytes &f) { append(f, {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0}); }) == notOne);
  CHECK(with([&](Bytes &f) { append(f, {0}); }) == notOne);
  // A skippable frame in front holds nothing.
  CHECK(with([&](Bytes &f) {
          Bytes all;
          append(all, {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0});
          all.insert(all.end(), f.begin(), f.end());
          f = all;
        }) == noSize);
  // zstd 0.7's magic, and its head, which states the same size, to builds of zstd that can read it.
  const std::string old = with([&](Bytes &f) { f[0] = std::byte{0x27}; });
  CHECK((old == notOne || old == noSize));
}

TEST_CASE("packs on packs count together") {
  // Ten packs of 3 MiB after that of the records, each on the one before it.
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("a.py", {})));
  for (unsigned sm = 0; sm < 10; ++sm)
    need(builder.addVariant(kernel, totalPlan(32),
                            variantFor({"cuda", "sm_" + std::to_string(80 + sm), {}, 32},
                                       builder.addImage(imageBytes(sm, 3000)), "cubin")));
  Patient patient{*builder.build()};
  REQUIRE(patient.header().packCount == 11);
  Bytes content(3 << 20); // one image, as its size in front says
  const uint64_t size = content.size() - sizeof(uint64_t);
  std::memcpy(content.data(), &size, sizeof(size));
  for (uint32_t pack = 1; pack < 11; ++pack) {
    replaceContent(patient, pack, content);
    if (pack > 1)
      patient.edit<PackEntry>(patient.packEntryAt(pack), [&](PackEntry &e) { e.base = pack - 1; });
  }
  patient.hashAgain();
  const auto reader = Reader::fromMemory(patient.bytes, {.maxImageBytes = 26 << 20});
  Status status;
  CHECK(during([&] { status = reader->image(8).error(); }).largest < little);
  CHECK(status.message == tooLarge(9, 26 << 20));
  // A reader keeps one pack and a mebibyte of a chain that fits.
  const auto generous = Reader::fromMemory(patient.bytes, {.maxImageBytes = 27 << 20});
  const Allocations used = during([&] { (void)generous->image(8).ok(); });
  CHECK(used.peak < (9 << 20) + little);
  CHECK(used.live < (4 << 20) + little);
  const std::string deep = about("pack 10", "more than 8 bases lie below it");
  CHECK(Reader::fromMemory(patient.bytes)->image(9).error().message == deep);
  CHECK(Reader::fromMemory(patient.bytes)->verify().message == deep);
}

TEST_CASE("a record decodes to 32 times its size at most") {
  constexpr uint32_t bytes = 1 << 20;
  constexpr uint32_t room = bytes - 1024; ///< for a table; what was there before is in front of it
  auto used = [&](const std::function<void(KernelRecord &, Bytes &)> &change) {
    const Patient patient = withRecord(bytes, change);
    CHECK(patient.bytes.size() < bytes / 2);
    const auto reader = Reader::fromMemory(patient.bytes);
    (void)reader->findKernel("total").ok(); // brings the pack
    std::string message;
    const Allocations taken = during([&] {
      const auto kernel = reader->kernel(0);
      message = kernel.ok() ? "" : kernel.error().message;
    });
    INFO(message);
    CHECK(taken.peak < 32 * size_t(bytes));
    return message;
  };
  // Plans of nothing.
  CHECK(used([&](KernelRecord &head, Bytes &) {
          head.plans = {1024, room / 8, sizeof(PlanItem)};
        }).empty());
  // Plans of an expression each: their parameters are laid out once, not each time.
  CHECK(used([&](KernelRecord &head, Bytes &record) {
          constexpr uint32_t count = room / 64;
          head.plans = {1024, count, sizeof(PlanItem)};
          head.tasks = {1024 + count * 8, count, sizeof(TaskItem)};
          head.steps = {1024 + count * 28, count, sizeof(StepItem)};
          const Text name = head.name;
          for (uint32_t i = 0; i < count; ++i) {
            const PlanItem plan{0, 1};
            const TaskItem task{name, 1, 0, 0, 1, 0, 1};
            const StepItem step{LaunchExpr::Constant, 0, 5};
            std::memcpy(record.data() + 1024 + i * 8, &plan, sizeof(plan));
            std::memcpy(record.data() + 1024 + count * 8 + i * 20, &task, sizeof(task));
            std::memcpy(record.data() + 1024 + count * 28 + i * 16, &step, sizeof(step));
          }
        }).empty());
  // Refusals whose words are all one long text.
  CHECK(used([&](KernelRecord &head, Bytes &record) {
          constexpr uint32_t count = room / 16;
          const Text text{1024, 128};
          std::fill_n(record.begin() + 1024, 128, std::byte{'x'});
          head.words = {2048, count, sizeof(Text)};
          for (uint32_t i = 0; i < count; ++i)
            std::memcpy(record.data() + 2048 + i * sizeof(Text), &text, sizeof(text));
          head.refusals = {2048 + count * uint32_t(sizeof(Text)), 1, sizeof(RefusalItem)};
          const RefusalItem item{text, text, text, 32, count};
          std::memcpy(record.data() + head.refusals.offset, &item, sizeof(item));
        }).empty());
  // A stack as deep as the file likes.
  CHECK(used([&](KernelRecord &head, Bytes &record) {
          constexpr uint32_t count = room / 32;
          const PlanItem plan{0, 1};
          const TaskItem task{head.name, 1, 0, 0, 1, 0, count};
          head.plans = {1024, 1, sizeof(plan)};
          head.tasks = {1032, 1, sizeof(task)};
          head.steps = {1056, count, sizeof(StepItem)};
          std::memcpy(record.data() + 1024, &plan, sizeof(plan));
          std::memcpy(record.data() + 1032, &task, sizeof(task));
          for (uint32_t i = 0; i < count; ++i) {
            const StepItem step{LaunchExpr::Constant, 0, i};
            std::memcpy(record.data() + 1056 + i * sizeof(step), &step, sizeof(step));
          }
        }) == about("kernel 'total'", "task 'total': iterations: it needs a stack deeper than 32"));
}

TEST_CASE("a record beyond the limit is not decompressed") {
  const Patient patient =
      withRecord((1 << 24) + 8, [](KernelRecord &, Bytes &) {}); // the default limit and a bit
  CHECK(patient.bytes.size() < 1 << 14);
  const auto reader = Reader::fromMemory(patient.bytes);
  Status status;
  CHECK(during([&] { status = reader->kernel(0).error(); }).largest < little);
  CHECK(status.message == "kernel 0 has a record of 16777224 bytes, the limit is 16777216; raise "
                          "the limit if you trust the module");
}

TEST_CASE("one large record does not serve many entries") {
  Patient patient = withRecord(1 << 20, [](KernelRecord &, Bytes &) {});
  const KernelEntry entry = patient.kernelEntry(0);
  const uint64_t at = (patient.bytes.size() + 7) / 8 * 8;
  constexpr uint32_t count = 1000;
  patient.bytes.resize(at + count * sizeof(KernelEntry));
  patient.edit<Header>(0, [&](Header &h) {
    h.kernelEntries = at;
    h.kernelCount = count;
    h.tableBytes = h.fileBytes = patient.bytes.size();
  });
  for (uint32_t i = 0; i < count; ++i) {
    KernelEntry copy = entry;
    copy.nameHash = entry.nameHash + i;
    patient.putHashed(patient.kernelEntryAt(i), copy, i);
  }
  patient.hashAgain();
  const auto reader = Reader::fromMemory(patient.bytes);
  CHECK(reader->kernel(0).ok());
  CHECK(reader->kernel(1).error().message ==
        about("kernel 'total'", "its entry is for another name"));
  // All of one name: each is sound, but no more than the limit is kept.
  for (uint32_t i = 0; i < count; ++i)
    patient.putHashed(patient.kernelEntryAt(i), entry, i);
  CHECK(packager::kernelsByName(*reader).error().message ==
        about("kernel 1", "its record lies over that of kernel 0"));
  uint64_t kept = 0;
  Status status;
  for (uint32_t i = 0; i < count && status.ok(); ++i)
    status = keep(*reader, i, kept);
  CHECK(kept == 4 << 20);
  CHECK(status.message == "the records of the module's kernels have more than 4194304 bytes "
                          "together, which is the limit for a file of " +
                              std::to_string(patient.bytes.size()) + "; split the module");
  // Eight of one hash are looked at.
  for (uint32_t i = 0; i < count; ++i) {
    KernelEntry copy = entry;
    copy.nameHash = hash64("other", 5);
    patient.putHashed(patient.kernelEntryAt(i), copy, i);
  }
  CHECK(reader->findKernel("other").error().message ==
        about("kernel 0", "its entry is for another name"));
}

namespace {

template <class T> void add(Bytes &bytes, const T &value) {
  const auto *first = reinterpret_cast<const std::byte *>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

/// A module with one split pack, of this content and so many images.
Patient withSplitPack(const Bytes &content, uint32_t images) {
  packager::ModuleBuilder builder("sextant", "");
  builder.addImage(imageBytes(1, 5000));
  Patient patient{*builder.build()};
  const PackEntry old = patient.packEntry(0);
  std::fill_n(patient.bytes.begin() + static_cast<ptrdiff_t>(old.offset), old.storedBytes,
              std::byte{0}); // belongs to nothing now
  replaceContent(patient, 0, content);
  patient.edit<PackEntry>(patient.packEntryAt(0), [&](PackEntry &e) { e.imageCount = images; });
  patient.edit<Header>(0, [&](Header &h) {
    h.imageCount = images;
    h.required |= requiredSplit;
  });
  patient.hashAgain();
  return patient;
}

double processorSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

} // namespace

/// One template of 2.8 MB of words, for images that have nothing of their own. 16000 of them are
/// 4 MiB of content, 45 GB of images, in a few kilobytes.
static Patient overOneTemplate(uint32_t images) {
  constexpr uint32_t words = 700000;
  Bytes content;
  add(content, SplitHead{1, 2});
  const uint32_t ownBytes = words * 4;
  add(content, uint32_t(sizeof(TemplateHead) + sizeof(PieceItem) + words * 2 + ownBytes));
  add(content, uint32_t(images * 4));
  add(content, TemplateHead{1, ownBytes});
  add(content, PieceItem{words * 4, PieceKind::Words, 0, 0, 0});
  content.resize(content.size() + words * 2 + ownBytes + images * 4);
  return withSplitPack(content, images);
}

/// Reads it in all ways, and returns the processor time.
static double secondsToRead(const Patient &patient) {
  const auto reader = Reader::fromMemory(patient.bytes);
  const double begin = processorSeconds();
  CHECK(reader->verify().ok());
  CHECK(packager::describeText(*reader).ok());
  // A command that needs the images themselves is refused after 64 MiB of them.
  const std::string tooMuch = "the module takes more than 67108864 bytes decoded, which is the "
                              "limit for a file of " +
                              std::to_string(patient.bytes.size()) +
                              "; raise the limit if you trust the module";
  const Allocations used =
      during([&] { CHECK(packager::contentsOf(*reader).error().message == tooMuch); });
  CHECK(used.peak < (80 << 20));
  CHECK(packager::describeJson(*reader).error().message == tooMuch);
  CHECK(packager::sizesOf(patient.bytes).error().message == tooMuch);
  CHECK(packager::diff(*reader, *reader).error().message == tooMuch);
  return processorSeconds() - begin;
}

TEST_CASE("many images over one large template take time in the pack, not in their product") {
  const Patient patient = overOneTemplate(16000);
  CHECK(patient.bytes.size() < 8192);
  // If each image read the templates anew, it would take ten times as long.
  CHECK(secondsToRead(patient) < 3 * secondsToRead(overOneTemplate(1600)));
  // A caller that trusts it may have more.
  const auto trusted = Reader::fromMemory(patient.bytes, {.maxTotalBytes = 100 << 20});
  CHECK(packager::contentsOf(*trusted).error().message.find("104857600") != std::string::npos);
}

TEST_CASE("a pack's templates take no multiple of its bytes") {
  // Nothing but heads of empty templates; pieces of nothing.
  constexpr uint32_t size = 32 << 20;
  for (const bool isPieces : {false, true}) {
    Bytes content;
    const uint32_t heads = isPieces ? size / (8 + 8192 * 8) : size / 8;
    add(content, SplitHead{heads, 2});
    add(content, size);
    add(content, uint32_t(4));
    content.resize(content.size() + size + 4);
    if (isPieces)
      for (uint32_t i = 0; i < heads; ++i) {
        const TemplateHead head{8192, 0};
        std::memcpy(content.data() + 16 + size_t(i) * (8 + 8192 * 8), &head, sizeof(head));
      }
    const Patient patient = withSplitPack(content, 1);
    const auto reader = Reader::fromMemory(patient.bytes);
    Status status;
    const Allocations used = during([&] { status = reader->image(0).error(); });
    CHECK(status.message == about("pack 0", isPieces
                                                ? "its templates have too many pieces"
                                                : "it has more templates than a pack has images"));
    CHECK(used.peak < size + (64u << 20));
  }
}

TEST_CASE("asking again for what is bad keeps nothing") {
  Patient patient{sampleModule()};
  const uint32_t last = patient.header().packCount - 1;
  const uint32_t image = patient.packEntry(last).firstImage, number = patient.total();
  patient.edit<PackEntry>(patient.packEntryAt(last), [](PackEntry &e) { e.contentHash[0] ^= 1; });
  patient.edit<KernelEntry>(patient.kernelEntryAt(number), [](KernelEntry &e) { ++e.nameHash; });
  patient.hashAgain();
  const auto reader = Reader::fromMemory(patient.bytes);
  auto ask = [&](unsigned times) {
    unsigned refused = 0;
    for (unsigned i = 0; i < times; ++i) {
      refused += !reader->kernel(number).ok();
      refused += !reader->findKernel("total").ok();
      refused += !reader->image(99).ok();
      refused += !reader->kernel(i | 2).ok();
      if (i % 64 == 0)
        refused += !reader->image(image).ok() && !reader->verify().ok();
    }
    CHECK(refused == times * 4 + (times + 63) / 64);
  };
  ask(64);
  CHECK(during([&] { ask(100000); }).live < 1024);
}

TEST_CASE("measurements in few bytes take a bounded memory", "[bombs]") {
  // As an attachment, 64 MiB of such lines are 7 kB.
  const std::string line = "a a:a a\n";
  std::string text;
  while (text.size() < maxAttachmentBytes)
    text += line;
  Allocations took = during(
      [&] { CHECK(module::parseTuned(text).size() == module::maxTunedBytes / line.size()); });
  CHECK(took.peak < 64 * module::maxTunedBytes);
  took = during([&] { CHECK(!packager::parseMeasurements(text)); });
  CHECK(took.peak < little);
}

/// Describes a kernel of so many variants with a plan each, chooses among them by as many lines
/// that name none of them, and returns the processor time.
static double secondsToChoose(unsigned count) {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("a.py", {})));
  const uint32_t image = builder.addImage(imageBytes(1));
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    module::Plan plan;
    plan.hidden.push_back({module::Hidden::Carry, "c", module::DType::F32, i + 1, {}});
    module::Variant variant;
    variant.target = {"cuda", "sm_80", {"TILE=" + std::to_string(i)}, 32};
    variant.image = image;
    variant.format = "cubin";
    CHECK(builder.addVariant(kernel, plan, variant).ok());
    text += "total cuda:sm_90 cuda:sm_90+TILE=x" + std::to_string(i) + "/wave32 H100\n";
  }
  const Bytes bytes = *builder.build({.compression = packager::Compression::Fast});
  const auto reader = Reader::fromMemory(bytes);
  const auto device = *module::factsOf("sm_80");
  const double begin = processorSeconds();
  CHECK(packager::describeText(*reader).ok());
  const auto total = reader->kernel(0);
  const auto verdicts = module::select(device, total->variants);
  CHECK(!module::chooseTuned(module::parseTuned(text), "total", device, "A100", total->variants,
                             verdicts));
  return processorSeconds() - begin;
}

TEST_CASE("many variants and measurements take time in their sum, not in their product") {
  // Four times as many take sixteen times as long in a product. Short times say little.
  CHECK(secondsToChoose(8000) < 8 * std::max(secondsToChoose(2000), 0.02));
}
