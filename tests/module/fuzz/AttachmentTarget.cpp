// libFuzzer's entry to what modules carry as text: the measurements of `sextant tune`, and the
// fastest variants. Both are read, written again, joined, and chosen by. Memory is a multiple of
// the text.
#include "packager/Tuning.h"
#include "tests/module/Exercise.h"
#include "tests/module/fuzz/Allocations.h"

#include <string>

using namespace sextant;
using test::always;

namespace {

/// Texts for an input of this size: objects, maps and copies of them, and what the variants take.
size_t mostFor(size_t bytes) { return 256 * bytes + (size_t(1) << 20); }

const std::vector<module::Variant> &variants() {
  static const std::vector<module::Variant> all = [] {
    std::vector<module::Variant> made;
    struct Code {
      const char *backend, *arch, *format;
    };
    for (const Code &code : {Code{"cuda", "sm_80", "cubin"}, Code{"cuda", "sm_90", "cubin"},
                             Code{"amdgpu", "gfx1100", "hsaco"}, Code{"vulkan", "1.1", "spirv"},
                             Code{"cpu", "x86-64-v2", "elf"}})
      for (const char *choice : {"", "TILE=1", "TILE=64", "implementation=b"})
        for (const unsigned wave : {32U, 64U}) {
          module::Variant &variant = made.emplace_back();
          variant.target = {code.backend, code.arch, {}, wave};
          if (*choice != '\0')
            variant.target.features.emplace_back(choice);
          variant.format = code.format;
        }
    return made;
  }();
  return all;
}

void choose(std::string_view text) {
  const std::vector<module::Tuned> tuned = module::parseTuned(text);
  for (const char *name : {"sm_90", "sm_86", "gfx1100", "vulkan:1.3", "x86-64-v3"}) {
    const auto facts = module::factsOf(name);
    always(facts.has_value());
    const auto verdicts = module::select(*facts, variants());
    for (const char *kernel : {"a", "scan", ""}) {
      const auto choice =
          module::chooseTuned(tuned, kernel, *facts, "NVIDIA H100", variants(), verdicts);
      always(!choice || (choice->verdict < verdicts.size() && verdicts[choice->verdict].usable));
    }
  }
  // The text that was written is read again.
  const std::string written = module::textOf(tuned);
  always(module::textOf(module::parseTuned(written)) == written);
}

void join(std::string_view text) {
  const auto all = packager::parseMeasurements(text);
  if (!all)
    return;
  const std::string written = packager::textOf(*all);
  const auto again = packager::parseMeasurements(written);
  always(again.ok());
  // Added to itself, it is what it was, in the form that texts keep.
  std::vector<packager::Measurement> twice = *again;
  packager::addAll(twice, *again);
  always(packager::textOf(twice) == packager::textOf(*again));
  packager::Contents contents;
  always(packager::setMeasurements(contents, twice).ok());
  always(packager::measurementsOf(contents).ok());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const size_t before = test::allocations().live;
  test::resetAllocations();
  choose(text);
  join(text);
  always(test::allocations().peak <= before + mostFor(size));
  return 0;
}
