// The instructions of SPIR-V modules in split packs: bytes that were worked out by hand from
// Format.h, that everything comes back, and that damage is refused.
#include "loader/format/Instructions.h"
#include "packager/Instructions.h"
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"

#include <random>

using namespace sextant;
using namespace sextant::module;
using namespace sextant::module::format;
using namespace sextant::test;

namespace {

using Words = std::vector<uint32_t>;

uint32_t head(uint32_t opcode, uint32_t words) { return words << 16 | opcode; }

Bytes bytesOf(const Words &words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

Bytes spirv(const Words &instructions) {
  Words all = {0x07230203, 0x00010300, 0, 100, 0};
  all.insert(all.end(), instructions.begin(), instructions.end());
  return bytesOf(all);
}

Bytes of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values)
    bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

/// Instructions of every opcode that has rules and of some that have none, with any operands.
Words anyInstructions(uint32_t seed, size_t count) {
  std::mt19937 random(seed);
  Words words;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t opcode = i % 7 == 0 ? 4400 + random() % 60000 : random() % 520;
    const uint32_t length = i % 11 == 0 ? 1 + random() % 40 : 1 + random() % 7;
    words.push_back(head(opcode & 0xffff, length));
    for (uint32_t operand = 1; operand < length; ++operand)
      words.push_back(random() % 3 == 0 ? random() : random() % 200);
  }
  return words;
}

const char *decode(const Bytes &encoded, size_t words, const std::vector<InstructionRow> &rows) {
  InstructionRules rules;
  if (const char *problem = rules.read(std::as_bytes(std::span(rows))))
    return problem;
  Bytes to(words * 4);
  return decodeInstructions(rules, encoded, to);
}
std::string problemOf(const Bytes &encoded, size_t words,
                      const std::vector<InstructionRow> &rows = {}) {
  const char *problem = decode(encoded, words, rows);
  return problem == nullptr ? "" : problem;
}

/// A module of these images, a kernel each.
Bytes moduleOf(const std::vector<Bytes> &images,
               packager::Compression compression = packager::Compression::Balanced) {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t source = builder.addSource("a.py", {});
  for (uint32_t i = 0; i < images.size(); ++i) {
    const uint32_t kernel = *builder.addKernel(totalKernel(source, "k" + std::to_string(i)));
    need(builder.addVariant(
        kernel, totalPlan(32),
        variantFor({"vulkan", "1.1", {}, 32}, builder.addImage(images[i]), "spirv")));
  }
  return *builder.build({.compression = compression, .jobs = 2});
}

uint32_t requiredOf(const Bytes &module) { return Patient{module}.header().required; }

} // namespace

TEST_CASE("instructions are encoded as the format says") {
  const Words words = {
      head(19, 2),
      1, // OpTypeVoid: result 1, 0 more than the last plus 1
      head(21, 4),
      5,
      32,
      1, // OpTypeInt: 5 = 1 + 1 + 3
      head(43, 4),
      5,
      6,
      300, // OpConstant: type 5 = 0 + 5; 300 is absolute, two bytes
      head(43, 4),
      5,
      7,
      0, // the type is the previous one
      head(128, 5),
      5,
      8,
      6,
      7, // OpIAdd: 6 is 2 before the result; 7 = 0 + 7
      head(128, 5),
      4,
      9,
      11,
      5, // the type is 1 less; 11 is 2 after the result; 5 = 7 - 2
      head(5000, 3),
      1,
      0xffffffff, // no rules: absolute
  };
  const Bytes encoded = packager::encodeInstructions(bytesOf(words));
  CHECK(encoded == of({19,   2,    0,                      //
                       21,   4,    6,  32, 1,              //
                       43,   4,    10, 0,  0xac, 2,        //
                       43,   4,    0,  0,  0,              //
                       128,  1,    5,  10, 0,    4,    14, //
                       128,  1,    5,  1,  0,    3,    3,  //
                       0x88, 0x27, 3,  1,  0xff, 0xff, 0xff, 0xff, 15}));
}

TEST_CASE("any SPIR-V comes back from a module") {
  std::vector<Bytes> images;
  for (uint32_t i = 0; i < 12; ++i)
    images.push_back(spirv(anyInstructions(i, 40 * i)));
  images.push_back(spirv({head(1, 1)}));
  // The longest instruction that there is.
  Words longest(0xffff, 0x80000000);
  longest[0] = head(30, 0xffff);
  images.push_back(spirv(longest));
  // These are not instructions: they stay whole.
  images.push_back(spirv({head(1, 2)}));
  images.push_back(spirv({head(1, 0)}));
  Bytes odd = spirv({head(1, 1)});
  odd.push_back(std::byte{7});
  images.push_back(odd);
  using packager::Compression;
  for (const Compression compression :
       {Compression::None, Compression::Fast, Compression::Balanced, Compression::Small}) {
    const Bytes module = moduleOf(images, compression);
    CHECK((requiredOf(module) & requiredInstructions) ==
          (compression == Compression::None ? 0 : requiredInstructions));
    const auto reader = Reader::fromMemory(module);
    REQUIRE(reader.ok());
    const Status verified = reader->verify();
    INFO(verified.message);
    REQUIRE(verified.ok());
    for (uint32_t i = 0; i < images.size(); ++i) {
      INFO(i);
      const auto kernel = reader->kernel(*reader->findKernel("k" + std::to_string(i)));
      CHECK(*reader->image(kernel->variants[0].image) == images[i]);
    }
  }
  CHECK((requiredOf(moduleOf({odd})) & (requiredInstructions | requiredSplit)) == 0);
}

TEST_CASE("a function that is numbered otherwise costs few bytes") {
  // The same additions, whose results begin at another number.
  auto additions = [](uint32_t first) {
    Words words;
    std::mt19937 random(3);
    auto back = [&] { return static_cast<uint32_t>(1 + random() % 8); };
    for (uint32_t i = 0; i < 2000; ++i)
      words.insert(words.end(),
                   {head(128, 5), 5, first + i, first + i - back(), first + i - back()});
    return spirv(words);
  };
  const size_t one = moduleOf({additions(1000)}).size();
  const size_t two = moduleOf({additions(1000), additions(70000)}).size();
  CHECK(two - one < 600);
}

TEST_CASE("instructions that do not fill their image are refused") {
  const std::string unfit = "its instructions do not fill their image";
  const Bytes good = of({19, 2, 7});
  CHECK(problemOf(good, 2).empty());
  CHECK(problemOf(good, 1) == unfit);
  CHECK(problemOf(good, 3) == unfit);
  CHECK(problemOf(of({}), 1) == unfit);
  CHECK(problemOf(of({19}), 2) == unfit);
  CHECK(problemOf(of({19, 2}), 2) == unfit);
  CHECK(problemOf(of({19, 2, 0x80}), 2) == unfit);
  CHECK(problemOf(of({19, 0}), 0) == unfit);
  CHECK(problemOf(of({0x80, 0x80, 4, 1}), 1) == unfit); // an opcode of 17 bits
  CHECK(problemOf(of({19, 0x80, 0x80, 4}), 1) == unfit);
  CHECK(problemOf(of({19, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0}), 2) == unfit);
}

TEST_CASE("operand rules that do not exist are refused") {
  using enum OperandRule;
  const Bytes good = of({19, 2, 7});
  CHECK(
      problemOf(good, 2, {{19, 19, 1, {Result}}, {20, 511, 2, {Absolute, FromPrevious}}}).empty());
  const std::string none = "a template has operand rules that do not exist";
  CHECK(problemOf(good, 2, {{20, 19, 1, {Result}}}) == none);
  CHECK(problemOf(good, 2, {{19, 512, 1, {Result}}}) == none);
  CHECK(problemOf(good, 2, {{19, 19, 0, {Result}}}) == none);
  CHECK(problemOf(good, 2, {{19, 19, 8, {Result}}}) == none);
  CHECK(problemOf(good, 2, {{19, 19, 2, {Result, static_cast<OperandRule>(4)}}}) == none);
  CHECK(problemOf(good, 2, {{10, 20, 1, {Result}}, {20, 30, 1, {Result}}}) ==
        "a template has two rows of operand rules for an opcode");
  InstructionRules rules;
  CHECK(std::string(rules.read(of({1, 2, 3}))) ==
        "a template has a part of a row of operand rules");
}

TEST_CASE("a pack whose instructions are damaged is refused") {
  struct SpirvPatient : Patient {
    SpirvPatient() : Patient{moduleOf({spirv(anyInstructions(1, 50))})} { storePacks(); }
    uint64_t content() const { return packEntry(1).offset; }
    uint64_t stream(uint32_t number) const {
      uint64_t at = content() + sizeof(SplitHead) + 4 * get<SplitHead>(content()).streamCount;
      for (uint32_t i = 0; i < number; ++i)
        at += get<uint32_t>(content() + sizeof(SplitHead) + 4 * i);
      return at;
    }
    std::string error() {
      hashAgain();
      return verifyError();
    }
  };
  auto after = [](const std::function<void(SpirvPatient &)> &change) {
    SpirvPatient patient;
    change(patient);
    return patient.error();
  };
  auto says = [](const char *what) { return about("pack 1", what); };
  CHECK(after([](SpirvPatient &) {}).empty());
  // Stream 1: the template's number, then the bytes in the image and in the stream.
  CHECK(after([](SpirvPatient &p) {
          p.edit<uint32_t>(p.stream(1) + 4, [](auto &n) { n -= 4; });
        }) == says("its instructions do not fill their image"));
  CHECK(after([](SpirvPatient &p) { p.put(p.stream(1) + 4, 1u << 30); }) ==
        says("an image has more instructions than its stream"));
  CHECK(after([](SpirvPatient &p) { p.edit<uint32_t>(p.stream(1) + 8, [](auto &n) { ++n; }); }) ==
        says("its images reach past their streams"));
  const auto pieces = [](SpirvPatient &p) { return p.stream(0) + sizeof(TemplateHead); };
  CHECK(after([&](SpirvPatient &p) {
          p.edit<PieceItem>(pieces(p), [](auto &i) { i.kind = PieceKind::Instructions; });
        }) == says("a template has two pieces of instructions"));
  CHECK(after([&](SpirvPatient &p) {
          p.edit<PieceItem>(pieces(p) + sizeof(PieceItem), [](auto &i) { i.length += 12; });
        }) == says("a template has too few bytes of its own"));
  CHECK(after([&](SpirvPatient &p) { p.put<uint16_t>(pieces(p) + 2 * sizeof(PieceItem), 600); }) ==
        says("a template has operand rules that do not exist"));
}
