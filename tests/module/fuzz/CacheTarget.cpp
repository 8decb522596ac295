// libFuzzer's entry to entries of the cache, as somebody forges them who can write to it: sealed
// entries, results of code generation, remembered packs. Memory is a multiple of the bytes.
#include "driver/cache/CodegenCache.h"
#include "packager/FrameMemo.h"
#include "tests/module/Exercise.h"
#include "tests/module/fuzz/Allocations.h"
#include "tests/module/fuzz/Random.h"

#include <algorithm>
#include <cstring>

using namespace sextant;
using test::always;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

const std::vector<std::unique_ptr<SourceFile>> &files() {
  static const auto all = [] {
    std::vector<std::unique_ptr<SourceFile>> made;
    made.push_back(std::make_unique<SourceFile>("k.py", "first\n  second\r\nthird"));
    return made;
  }();
  return all;
}

const Target target = {"cpu", "x86-64-v3", {}, 8};

/// A result with one of everything.
std::string sample() {
  CodegenResult result;
  BuiltVariant variant;
  variant.target = target;
  variant.image.format = "elf";
  variant.image.bytes.assign({'c', 'o', 'd', 'e'});
  variant.image.requirements = {"r"};
  variant.image.tasks = {{"t0", 1, 2, 3, 4, 5, 6}, {"t1"}};
  result.variants = {variant, variant};
  result.variants.back().target.features = {"a", "b"};
  Diagnostic note{Severity::Note, {files()[0].get(), 8, 14}, "note", {}, {}};
  result.diagnostics = {{Severity::Warning, {files()[0].get(), 0, 5}, "slow", "fix", {note, note}}};
  return serialize(result);
}

void checkResult(std::string_view bytes) {
  const std::optional<CodegenResult> result = deserialize(bytes, target, files());
  if (!result)
    return;
  always(!result->variants.empty());
  for (const BuiltVariant &one : result->variants)
    always(one.target.arch == target.arch && one.target.wave == target.wave);
  for (const Diagnostic &one : result->diagnostics)
    (void)formatDiagnostic(one);
  // An entry that was read is written and read again.
  const std::string written = serialize(*result);
  const std::optional<CodegenResult> again = deserialize(written, target, files());
  always(again && serialize(*again) == written);
}

void checkMemo(std::string_view bytes) {
  if (const auto memo = packager::decodeMemo(bytes))
    always(packager::encodeMemo(*memo) == bytes);
}

void checkSeal(std::string_view bytes) {
  const EntryName name{"0123456789", "image"};
  always(!openEntry(name, bytes, "00ff")); // nobody knows the secret
  if (const auto content = openEntry(name, bytes))
    always(sealEntry(name, *content) == bytes);
  always(openEntry(name, sealEntry(name, bytes)) == bytes);
}

} // namespace

/// Numbers and lengths have eight bytes: one of them is changed, or bytes are.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                          unsigned int seed) {
  fuzz::Random random(seed);
  if (random.oneIn(50)) {
    const std::string bytes = sample();
    size = std::min(bytes.size(), most);
    std::memcpy(data, bytes.data(), size);
  }
  if (size < sizeof(uint64_t) || random.oneIn(2))
    return LLVMFuzzerMutate(data, size, most);
  uint64_t value = 0;
  uint8_t *at = data + random.below(size - sizeof value + 1);
  std::memcpy(&value, at, sizeof value);
  value = random.number(value, size);
  std::memcpy(at, &value, sizeof value);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  (void)files();
  const size_t before = test::allocations().live;
  test::resetAllocations();
  checkResult(bytes);
  checkMemo(bytes);
  checkSeal(bytes);
  always(test::allocations().peak <= before + 256 * size + (size_t(1) << 20));
  return 0;
}
