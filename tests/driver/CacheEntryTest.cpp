// The fields of a result that an entry of the cache keeps: every one, and warnings at their lines
// in a file whose text has changed meanwhile. Entries that were forged are refused, in bounded
// memory.
#include "tests/module/fuzz/Allocations.h"
#include "tests/support/Catch.h"

#include "driver/cache/CodegenCache.h"

#include <algorithm>
#include <cstring>

using namespace sextant;

namespace {

using Files = std::vector<std::unique_ptr<SourceFile>>;

const Target target = {"vulkan", "1.1", {}, 64};

Files filesOf(const std::string &text) {
  Files files;
  files.push_back(std::make_unique<SourceFile>("other.py", "x\n"));
  files.push_back(std::make_unique<SourceFile>("k.py", text));
  return files;
}

/// A result with a warning at "second" and a note at "third".
CodegenResult resultAt(const SourceFile &file) {
  auto place = [&](const std::string &word) {
    auto at = static_cast<uint32_t>(file.text().find(word));
    return SourceRange{&file, at, at + static_cast<uint32_t>(word.size())};
  };
  CodegenResult result;
  BuiltVariant variant;
  variant.target = {"vulkan", "1.1", {"a", "b"}, 64};
  variant.image.format = "spirv";
  variant.image.bytes.assign({'\0', 'x', '\n'});
  variant.image.requirements = {"r1", "r2"};
  variant.image.tasks = {{"t0", 1, 2, 3, 4, 5, 6}, {"t1"}};
  result.variants.push_back(variant);
  variant.target.features.clear();
  variant.image.bytes.clear();
  variant.image.tasks.clear();
  result.variants.push_back(variant);
  result.ignoresWave = true;
  Diagnostic warning{Severity::Warning, place("second"), "slow", "be quick", {}};
  warning.notes.push_back({Severity::Note, place("third"), "called from here", {}, {}});
  warning.notes.push_back({Severity::Note, {}, "nowhere", {}, {}});
  result.diagnostics.push_back(warning);
  return result;
}

} // namespace

namespace {

std::string number(int64_t value) { return {reinterpret_cast<const char *>(&value), sizeof value}; }

/// A result has at least one variant: here one with code, then `diagnostics`.
std::string resultWith(const std::string &diagnostics) {
  CodegenResult result;
  result.variants.resize(1);
  result.variants[0].target = target;
  std::string bytes = serialize(result);
  bytes.resize(bytes.size() - 16); // no diagnostics, and ignoresWave
  return bytes + diagnostics + number(0);
}

/// A warning with so many notes, each of them in the one before it, after the count of warnings.
std::string nested(unsigned depth) {
  const std::string head = number(1) + number(0) + number(0) + number(0) + number(0);
  std::string bytes = number(1);
  for (unsigned i = 0; i < depth; ++i)
    bytes += head + number(1);
  return bytes + head + number(0);
}

} // namespace

TEST_CASE("an entry is for one target") {
  Files files = filesOf("first\n  second\nthird\n");
  const std::string bytes = serialize(resultAt(*files[1]));
  CHECK(deserialize(bytes, target, files));
  for (const Target &other : {Target{"vulkan", "1.1", {}, 32}, Target{"vulkan", "1.2", {}, 64},
                              Target{"metal", "1.1", {}, 64}, Target{"vulkan", "1.1", {"a"}, 64}})
    CHECK(!deserialize(bytes, other, files));
  // The variant that was asked for is one of them.
  CodegenResult lacking = resultAt(*files[1]);
  lacking.variants.pop_back();
  CHECK(!deserialize(serialize(lacking), target, files));
  lacking.variants.clear();
  CHECK(!deserialize(serialize(lacking), target, files));
}

TEST_CASE("notes in notes do not take the stack") {
  const Files files;
  const std::optional<CodegenResult> few = deserialize(resultWith(nested(2)), target, files);
  REQUIRE(few);
  CHECK(few->diagnostics.at(0).notes.at(0).notes.size() == 1);
  CHECK(!deserialize(resultWith(nested(300'000)), target, files));
}

TEST_CASE("counts take no memory") {
  const Files files;
  const auto peakOf = [&](const std::string &bytes, bool isGood) {
    const size_t before = test::allocations().live;
    test::resetAllocations();
    CHECK(deserialize(bytes, target, files).has_value() == isGood);
    return test::allocations().peak - before;
  };
  constexpr int64_t many = 15 << 20;
  const std::string zeros(many, '\0');
  const std::string variant = number(1) + number(6) + "vulkan" + number(3) + "1.1";
  // Counts of variants, features, tasks and warnings that are as large as the entry.
  const std::string afterWave = number(0) + number(64) + number(0) + number(0) + number(0);
  CHECK(peakOf(number(many) + zeros, false) < (1 << 20));
  for (const std::string &bytes :
       {variant + number(many) + zeros, variant + afterWave + number(many) + zeros,
        resultWith(number(many) + zeros)})
    CHECK(peakOf(bytes, false) < 16 * bytes.size());
  CHECK(peakOf(resultWith(number(0)), true) < (1 << 20));
}

TEST_CASE("an entry opens under its own name, with its own secret") {
  const EntryName name{"0123456789abcdef", "image cpu:x86-64-v3/wave8 -O3"};
  for (const char *secret : {"", "00ff"}) {
    const std::string entry = sealEntry(name, "the code", secret);
    CHECK(openEntry(name, entry, secret) == "the code");
    CHECK(sizeOfEntry(entry.substr(0, entryHeadBytes)) == entry.size());
    CHECK(!openEntry({"0123456789abcdee", name.about}, entry, secret));
    CHECK(!openEntry({name.key, "image cpu:x86-64-v2/wave8 -O3"}, entry, secret));
    CHECK(!openEntry({name.key, name.about + " -g"}, entry, secret));
    for (const char *other : {"", "00ff", "00fe"})
      CHECK(openEntry(name, entry, other).has_value() == (std::strcmp(secret, other) == 0));
    for (size_t i = 0; i < entry.size(); ++i) {
      std::string damaged = entry;
      damaged[i] = static_cast<char>(damaged[i] ^ 1);
      CHECK(!openEntry(name, damaged, secret));
      CHECK(!openEntry(name, entry.substr(0, i), secret));
    }
    CHECK(!openEntry(name, entry + "x", secret));
  }
  // A sparse file holds zeros.
  CHECK(!sizeOfEntry(std::string(entryHeadBytes, '\0')));
}

TEST_CASE("an entry keeps all of a result") {
  Files files = filesOf("first\n  second\nthird\n");
  std::optional<CodegenResult> read = deserialize(serialize(resultAt(*files[1])), target, files);
  REQUIRE(read);
  REQUIRE(read->variants.size() == 2);
  const BuiltVariant &one = read->variants[0];
  CHECK(one.target.str() == "vulkan:1.1+a+b/wave64");
  CHECK(one.image.format == "spirv");
  CHECK(std::string(one.image.bytes.begin(), one.image.bytes.end()) == std::string("\0x\n", 3));
  CHECK(one.image.requirements == std::vector<std::string>{"r1", "r2"});
  REQUIRE(one.image.tasks.size() == 2);
  const TaskResources &task = one.image.tasks[0];
  CHECK(task.task == "t0");
  CHECK(task.registers == 1);
  CHECK(task.spillBytes == 2);
  CHECK(task.stackBytes == 3);
  CHECK(task.sharedBytes == 4);
  CHECK(task.scalarRegisters == 5);
  CHECK(task.occupancy == 6);
  CHECK(one.image.tasks[1].registers == -1);
  CHECK(read->ignoresWave);
  CHECK(read->variants[1].target.str() == "vulkan:1.1/wave64");
  CHECK(read->variants[1].image.bytes.empty());
}

TEST_CASE("warnings find their lines in a file with other comments") {
  Files before = filesOf("first # long comment\n  second\nthird\n");
  std::string bytes = serialize(resultAt(*before[1]));
  Files after = filesOf("first # short\n  second\nthird\n");
  std::optional<CodegenResult> read = deserialize(bytes, target, after);
  REQUIRE(read);
  REQUIRE(read->diagnostics.size() == 1);
  const Diagnostic &warning = read->diagnostics[0];
  CHECK(warning.severity == Severity::Warning);
  CHECK(warning.message == "slow");
  CHECK(warning.fix.text == "be quick");
  CHECK(warning.at.file == after[1].get());
  CHECK(warning.at.file->text().substr(warning.at.begin, warning.at.end - warning.at.begin) ==
        "second");
  REQUIRE(warning.notes.size() == 2);
  CHECK(warning.notes[0].at.file->text().substr(warning.notes[0].at.begin, 5) == "third");
  CHECK(warning.notes[1].at.file == nullptr);
}

TEST_CASE("bytes that are not an entry, or of files that are not read, are refused") {
  Files files = filesOf("first\n  second\nthird\n");
  std::string bytes = serialize(resultAt(*files[1]));
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK(!deserialize(bytes.substr(0, size), target, files));
  CHECK(!deserialize(bytes + "x", target, files));
  CHECK(!deserialize(std::string(64, '\xff'), target, files));
  files.pop_back();
  CHECK(!deserialize(bytes, target, files));
}
