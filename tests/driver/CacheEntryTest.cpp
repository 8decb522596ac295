// What an entry of the cache keeps of a result: every field, and warnings at their lines in a
// file whose text has changed meanwhile.
#include "tests/support/Catch.h"

#include "driver/cache/CodegenCache.h"

using namespace sextant;

namespace {

using Files = std::vector<std::unique_ptr<SourceFile>>;

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

TEST_CASE("an entry keeps all of a result") {
  Files files = filesOf("first\n  second\nthird\n");
  std::optional<CodegenResult> read = deserialize(serialize(resultAt(*files[1])), files);
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
  std::optional<CodegenResult> read = deserialize(bytes, after);
  REQUIRE(read);
  REQUIRE(read->diagnostics.size() == 1);
  const Diagnostic &warning = read->diagnostics[0];
  CHECK(warning.severity == Severity::Warning);
  CHECK(warning.message == "slow");
  CHECK(warning.fix == "be quick");
  CHECK(warning.at.file == after[1].get());
  CHECK(warning.at.file->text().substr(warning.at.begin, warning.at.end - warning.at.begin) ==
        "second");
  REQUIRE(warning.notes.size() == 2);
  CHECK(warning.notes[0].at.file->text().substr(warning.notes[0].at.begin, 5) == "third");
  CHECK(warning.notes[1].at.file == nullptr);
}

TEST_CASE("what is no entry, or of files that are not read, is none") {
  Files files = filesOf("first\n  second\nthird\n");
  std::string bytes = serialize(resultAt(*files[1]));
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK(!deserialize(bytes.substr(0, size), files));
  CHECK(!deserialize(bytes + "x", files));
  CHECK(!deserialize(std::string(64, '\xff'), files));
  files.pop_back();
  CHECK(!deserialize(bytes, files));
}
