// Split images: what is written comes back, whatever the images are; and what a damaged pack
// of them says is refused, each check with its message.
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"

#include "packager/Sections.h"

using namespace sextant;
using namespace sextant::module;
using namespace sextant::module::format;
using namespace sextant::test;

namespace {

template <class T> void put(Bytes &bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

/// An ELF file of the sections "", .strtab (with the name of one function), .symtab, .text and
/// .empty, in this order after the file header; the table of sections is its end.
Bytes elf(const std::string &function, const Bytes &code) {
  const std::string names = std::string("\0.strtab\0.symtab\0.text\0.empty\0", 30) + function;
  const size_t strings = 64, symbols = (strings + names.size() + 1 + 7) / 8 * 8,
               text = (symbols + 48 + 15) / 16 * 16, table = (text + code.size() + 7) / 8 * 8;
  Bytes image(table + 5 * 64);
  const unsigned char start[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  std::memcpy(image.data(), start, sizeof(start));
  put<uint64_t>(image, 40, table);
  put<uint16_t>(image, 58, 64);
  put<uint16_t>(image, 60, 5);
  put<uint16_t>(image, 62, 1);
  std::memcpy(image.data() + strings, names.data(), names.size());
  put<uint32_t>(image, symbols + 24, 30); // name
  put<uint8_t>(image, symbols + 28, 0x12);
  put<uint64_t>(image, symbols + 40, code.size());
  std::copy(code.begin(), code.end(), image.begin() + static_cast<ptrdiff_t>(text));
  auto section = [&](unsigned i, uint32_t name, uint32_t type, uint64_t offset, uint64_t size) {
    put<uint32_t>(image, table + i * 64, name);
    put<uint32_t>(image, table + i * 64 + 4, type);
    put<uint64_t>(image, table + i * 64 + 24, offset);
    put<uint64_t>(image, table + i * 64 + 32, size);
    put<uint32_t>(image, table + i * 64 + 40, i == 2 ? 1 : 0);
  };
  section(1, 1, 3, strings, names.size() + 1);
  section(2, 9, 2, symbols, 48);
  section(3, 17, 1, text, code.size());
  section(4, 23, 1, table, 0);
  return image;
}

/// A module of these images, a kernel each, k0, k1, …, for so many targets in turn.
packager::ModuleBuilder builderOf(const std::vector<Bytes> &images, uint32_t targets = 2) {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t source = builder.addSource("a.py", {});
  for (uint32_t i = 0; i < images.size(); ++i) {
    const uint32_t kernel = *builder.addKernel(totalKernel(source, "k" + std::to_string(i)));
    const std::string arch = "sm_8" + std::to_string(i % targets);
    need(builder.addVariant(
        kernel, totalPlan(32),
        variantFor({"cuda", arch, {}, 32}, builder.addImage(images[i]), "cubin")));
  }
  return builder;
}

/// Nothing that compresses.
Bytes noise(size_t size) {
  Bytes bytes(size);
  uint32_t state = 1;
  for (std::byte &byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

bool isSplit(const Bytes &module) {
  return (Patient{module}.header().required & requiredSplit) != 0;
}

/// Every image comes back, at every effort; none of them is refused.
void checkRoundTrip(const std::vector<Bytes> &images) {
  using packager::Compression;
  for (const Compression compression :
       {Compression::None, Compression::Fast, Compression::Balanced, Compression::Small}) {
    const Bytes module = *builderOf(images).build({.compression = compression, .jobs = 1});
    CHECK(*builderOf(images).build({.compression = compression, .jobs = 3}) == module);
    const auto reader = Reader::fromMemory(module);
    REQUIRE(reader.ok());
    const Status verified = reader->verify();
    INFO(verified.message);
    REQUIRE(verified.ok());
    for (uint32_t i = 0; i < images.size(); ++i) {
      const auto kernel = reader->kernel(*reader->findKernel("k" + std::to_string(i)));
      REQUIRE(kernel.ok());
      CHECK(*reader->image(kernel->variants[0].image) == images[i]);
    }
  }
}

std::vector<Bytes> family(uint32_t count) {
  std::vector<Bytes> images;
  for (uint32_t i = 0; i < count; ++i)
    images.push_back(elf("scan_" + std::string(i % 5 + 1, 'x'), imageBytes(i, 100 + 24 * i)));
  return images;
}

} // namespace

TEST_CASE("an ELF file is cut at its sections and around its functions' names") {
  const Bytes image = elf("scan_t0", imageBytes(1, 40));
  std::vector<std::string> streams;
  size_t total = 0;
  for (const packager::Cut &cut : packager::cutImage(image)) {
    total += cut.length;
    if (cut.kind != packager::Cut::Padding)
      streams.push_back(cut.stream);
  }
  CHECK(total == image.size());
  CHECK(streams == std::vector<std::string>{"file header", ".strtab", "names", ".strtab", ".symtab",
                                            ".text", "section headers"});
}

TEST_CASE("split images come back") {
  const std::vector<Bytes> images = family(40);
  checkRoundTrip(images);
  CHECK(isSplit(*builderOf(images).build()));
  CHECK_FALSE(isSplit(*builderOf(images).build({.compression = packager::Compression::None})));
  CHECK_FALSE(isSplit(*builderOf({imageBytes(1, 500)}).build()));
}

TEST_CASE("images that are not whole ELF files come back") {
  const Bytes whole = elf("scan_t0", imageBytes(1, 200));
  std::vector<Bytes> images = {whole, imageBytes(3, 70), Bytes{std::byte{0x7f}}, Bytes{}};
  for (const size_t length : {size_t(4), size_t(16), size_t(63), size_t(64), size_t(65),
                              whole.size() / 2, whole.size() - 1})
    images.emplace_back(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length));
  Bytes longer = whole;
  longer.resize(longer.size() + 13, std::byte{9});
  images.push_back(longer);
  // Each field of the file header and of the table of sections in turn, at its extremes.
  const auto table = Patient{whole}.get<uint64_t>(40);
  for (size_t at = 16; at < 64; at += 2)
    for (const uint16_t value : {uint16_t(0xffff), uint16_t(1)}) {
      images.push_back(whole);
      put<uint16_t>(images.back(), at, value);
    }
  for (size_t at = table + 64; at < whole.size(); at += 4)
    for (const uint32_t value : {0xffffffffu, 1u, 64u}) {
      images.push_back(whole);
      put<uint32_t>(images.back(), at, value);
    }
  std::sort(images.begin(), images.end());
  images.erase(std::unique(images.begin(), images.end()), images.end());
  checkRoundTrip(images);
}

TEST_CASE("what images have in common is stored once") {
  // The code is noise and the same in all: what is left are names, offsets and sizes.
  std::vector<Bytes> images;
  for (unsigned i = 0; i < 64; ++i)
    images.push_back(elf("kernel_" + std::string(i % 16 + 1, char('a' + i / 16)), noise(4000)));
  const Bytes one = *builderOf({images.front()}).build();
  const Bytes all = *builderOf(images).build();
  CHECK(all.size() < one.size() + 64 * 120);
  CHECK(Patient{all}.header().imageCount == 64);
  images.resize(128, images.front()); // and an image that is there already not at all
  CHECK(Patient{*builderOf(images).build()}.header().imageCount == 64);
}

TEST_CASE("packs stay within what readers take") {
  auto isSound = [](const Bytes &module) {
    const auto reader = Reader::fromMemory(module);
    REQUIRE(reader.ok());
    const Status verified = reader->verify();
    INFO(verified.message);
    CHECK(verified.ok());
  };
  // More images than a pack may have: there are several.
  packager::ModuleBuilder many("sextant", "");
  Bytes image(4);
  for (uint32_t i = 0; i < maxPackImages + 1; ++i) {
    put(image, 0, i);
    many.addImage(image);
  }
  const Patient patient{*many.build({.compression = packager::Compression::Fast})};
  REQUIRE(patient.header().packCount > 1);
  for (uint32_t i = 0; i < patient.header().packCount; ++i)
    CHECK(patient.packEntry(i).imageCount <= maxPackImages);
  isSound(patient.bytes);
  // Images that have more pieces than bytes of their own, which are a word of code.
  std::vector<Bytes> alike;
  for (uint32_t i = 0; i < 1000; ++i) {
    put(image, 0, i * 0x01010101u);
    alike.push_back(elf("scan_t0", image));
  }
  const Bytes module = *builderOf(alike, 1).build({.compression = packager::Compression::Fast});
  REQUIRE(isSplit(module));
  isSound(module);
  // A name that is there so often that the image is more than maxGrowth times what is stored.
  const std::string name(3000, 'x');
  std::string names = name;
  for (unsigned i = 0; i < 1000; ++i)
    names += std::string(1, 0) + name;
  isSound(*builderOf({elf(names, image)}).build());
}

namespace {

/// Pack 1 of a module of one pack of four ELF images, stored so that it can be damaged.
struct SplitPatient : Patient {
  SplitPatient() : Patient{*builderOf(family(4), 1).build()} { storePacks(); }
  uint64_t content() const { return packEntry(1).offset; }
  uint32_t streamCount() const { return get<SplitHead>(content()).streamCount; }
  uint64_t stream(uint32_t number) const {
    uint64_t at = content() + sizeof(SplitHead) + 4 * streamCount();
    for (uint32_t i = 0; i < number; ++i)
      at += get<uint32_t>(content() + sizeof(SplitHead) + 4 * i);
    return at;
  }
  uint64_t pieceAt(PieceKind kind) const {
    uint64_t at = stream(0) + sizeof(TemplateHead);
    while (get<PieceItem>(at).kind != kind)
      at += sizeof(PieceItem);
    return at;
  }
  std::string error() {
    hashAgain();
    return verifyError();
  }
};

std::string afterEdit(const std::function<void(SplitPatient &)> &change) {
  SplitPatient patient;
  change(patient);
  return patient.error();
}
std::string afterPiece(PieceKind kind, const std::function<void(PieceItem &)> &change) {
  return afterEdit([&](SplitPatient &p) { p.edit<PieceItem>(p.pieceAt(kind), change); });
}

} // namespace

TEST_CASE("what a pack of split images says is checked") {
  REQUIRE(SplitPatient().header().packCount == 2);
  CHECK(afterEdit([](SplitPatient &) {}).empty());
  auto says = [](const char *what) { return about("pack 1", what); };
  for (const uint32_t count : {0u, 1u, 257u, ~0u})
    CHECK(afterEdit([&](SplitPatient &p) { p.put(p.content() + 4, count); }) ==
          says("its header is invalid"));
  CHECK(afterEdit([](SplitPatient &p) { p.put(p.content() + 8, ~0u); }) ==
        says("its streams reach past its end"));
  CHECK(afterEdit([](SplitPatient &p) {
          p.edit<PackEntry>(p.packEntryAt(1), [](PackEntry &e) { e.bytes = e.storedBytes = 20; });
        }) == says("its streams reach past its end"));
  CHECK(afterEdit([](SplitPatient &p) {
          p.edit<uint32_t>(p.content() + 12, [](uint32_t &size) { --size; });
        }) == says("bytes follow its last stream"));
  CHECK(afterEdit([](SplitPatient &p) { p.put(p.content(), 2u); }) ==
        says("a template reaches past its stream"));
  for (const uint32_t count : {maxPieces + 1, ~0u})
    CHECK(afterEdit([&](SplitPatient &p) { p.put(p.stream(0), count); }) ==
          says("a template reaches past its stream"));
  CHECK(afterEdit([&](SplitPatient &p) { p.put(p.stream(0) + 4, ~0u); }) ==
        says("a template reaches past its stream"));
  CHECK(afterEdit([](SplitPatient &p) {
          p.edit<uint32_t>(p.stream(0) + 4, [](uint32_t &own) { --own; });
        }) == says("a template has too few bytes of its own"));
  CHECK(afterPiece(PieceKind::Bytes, [](PieceItem &i) { i.stream = 255; }) ==
        says("a piece of a template is of no kind or stream"));
  CHECK(afterPiece(PieceKind::Bytes, [](PieceItem &i) { i.kind = PieceKind(6); }) ==
        says("a piece of a template is of no kind or stream"));
  CHECK(afterPiece(PieceKind::Words, [](PieceItem &i) { i.length -= 2; }) ==
        says("a template has a part of a word"));
  CHECK(afterPiece(PieceKind::Words, [](PieceItem &i) { i.length = ~3u; }) ==
        says("a template reaches past its stream"));
  for (const uint32_t length : {0u, 3u, 8192u})
    CHECK(afterPiece(PieceKind::Padding, [&](PieceItem &i) { i.length = length; }) ==
          says("a template pads to a size that is not a power of two"));
  CHECK(afterPiece(PieceKind::Bytes, [](PieceItem &i) {
          i.kind = PieceKind::Repeat;
          i.length = 100;
        }) == says("a template repeats none of the bytes before it"));
  CHECK(afterPiece(PieceKind::Padding, [](PieceItem &i) {
          i.kind = PieceKind::Repeat;
          i.length = 0; // words
        }) == says("a template repeats none of the bytes before it"));
  CHECK(afterPiece(PieceKind::Padding, [](PieceItem &i) { i.kind = PieceKind::Same; }) ==
        says("a template has too few bytes of its own"));
  CHECK(afterEdit([](SplitPatient &p) {
          const auto head = p.get<TemplateHead>(p.stream(0));
          p.put<uint16_t>(p.stream(0) + sizeof(head) + head.pieceCount * sizeof(PieceItem), 0x7fff);
        }) == says("a word depends on a piece that is not there"));
  CHECK(afterEdit([](SplitPatient &p) { p.put(p.stream(1), 1u); }) ==
        says("its images reach past their streams"));
  CHECK(afterEdit([](SplitPatient &p) { p.put(p.stream(1) + 4, ~0u); }) ==
        says("its images reach past their streams"));
  CHECK(afterPiece(PieceKind::Bytes, [](PieceItem &i) { i.length = 0; }) != "");
}

namespace {

/// The content of a pack: one template of these pieces, and images that have no bytes.
Bytes contentOf(const std::vector<PieceItem> &pieces, uint32_t images, uint32_t ownBytes = 0) {
  const auto front = uint32_t(sizeof(TemplateHead) + pieces.size() * sizeof(PieceItem));
  Bytes content(sizeof(SplitHead) + 8 + front + ownBytes + images * sizeof(uint32_t));
  put(content, 0, SplitHead{1, 2});
  put(content, 8, front + ownBytes);
  put(content, 12, uint32_t(images * sizeof(uint32_t)));
  put(content, 16, TemplateHead{uint32_t(pieces.size()), ownBytes});
  for (size_t i = 0; i < pieces.size(); ++i)
    put(content, 24 + i * sizeof(PieceItem), pieces[i]);
  return content;
}

} // namespace

TEST_CASE("templates are used up, and images have no more pieces than their pack has bytes") {
  auto check = [](const Bytes &content, uint32_t images) {
    return checkSplit(content, images, 100, "pack 1").message;
  };
  CHECK(check(contentOf({}, 3), 3).empty());
  CHECK(check(contentOf({}, 3), 2) == about("pack 1", "bytes follow its last image"));
  const auto nothing = splitImage(contentOf({}, 1), 0, 100, "pack 1");
  REQUIRE(nothing.ok());
  CHECK(nothing->bytes.empty());
  CHECK(check(contentOf({}, 1, 4), 1) ==
        about("pack 1", "a template has more bytes than its pieces"));
  CHECK(check(contentOf({{openLength, PieceKind::Bytes, 0, 0, 0}}, 1), 1) ==
        about("pack 1", "its images reach past their streams"));
  // 24 bytes and 8 for each piece, 4 for each image.
  const std::vector<PieceItem> pieces(100, {1, PieceKind::Padding, 0, 0, 0});
  CHECK(check(contentOf(pieces, 8), 8).empty());
  CHECK(check(contentOf(pieces, 9), 9) ==
        about("pack 1", "its images have more pieces than it has bytes"));
}

TEST_CASE("a split image is not put together beyond the limit") {
  // One template that repeats its first bytes until the image is larger than its pack allows.
  SplitPatient patient;
  const auto reader = Reader::fromMemory(patient.bytes, {.maxImageBytes = 100});
  CHECK(reader->image(0).error().code == Code::TooLarge);
  Bytes content;
  auto add = [&](const auto &value) {
    const auto *from = reinterpret_cast<const std::byte *>(&value);
    content.insert(content.end(), from, from + sizeof(value));
  };
  const uint32_t pieces = 8000, bytes = 4000;
  add(SplitHead{1, 3});
  add(uint32_t(sizeof(TemplateHead) + pieces * sizeof(PieceItem)));
  add(uint32_t(4));
  add(bytes);
  add(TemplateHead{pieces, 0});
  add(PieceItem{bytes, PieceKind::Bytes, 2, 0, 0});
  for (uint32_t i = 1; i < pieces; ++i)
    add(PieceItem{0, PieceKind::Repeat, 0, 0, 0});
  add(uint32_t(0));
  content.resize(content.size() + bytes);
  const auto image = splitImage(content, 0, 1 << 30, "pack 1");
  CHECK(image.error().message == about("pack 1", "an image exceeds the limit"));
  // As many images of many pieces as the stream has room for are not laid out either.
  CHECK(checkSplit(content, ~0u, 1 << 30, "pack 1").message ==
        about("pack 1", "an image exceeds the limit"));
}
