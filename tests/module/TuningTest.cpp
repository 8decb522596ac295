// The measurements of machines, and which variant follows from them on another one.
#include "loader/format/Tuning.h"
#include "packager/Tuning.h"
#include "tests/support/Catch.h"

#include <algorithm>

using namespace sextant::module;
using sextant::packager::Measurement;

static void add(std::vector<Measurement> &all, const Measurement &measurement) {
  sextant::packager::addAll(all, {measurement});
}

namespace {

Variant variantOf(std::string backend, std::string arch, std::vector<std::string> features,
                  unsigned wave) {
  Variant variant;
  variant.target = {backend, std::move(arch), std::move(features), wave};
  variant.format = backend == "amdgpu"   ? "hsaco"
                   : backend == "vulkan" ? "spirv"
                   : backend == "cpu"    ? "elf"
                                         : "cubin";
  return variant;
}

/// The target that a device runs, and why: "TARGET: REASON"; the default has no reason.
std::string chosen(std::string_view device, std::string_view name,
                   const std::vector<Variant> &variants, const std::string &text,
                   const SelectRules &rules = {}) {
  const auto facts = factsOf(device);
  REQUIRE(facts);
  const std::vector<Verdict> verdicts = select(*facts, variants, rules);
  REQUIRE(!verdicts.empty());
  const std::vector<Tuned> tuned = parseTuned(text);
  const auto choice = chooseTuned(tuned, "scan", *facts, name, variants, verdicts);
  if (!choice)
    return verdicts[0].usable ? str(variants[verdicts[0].variant].target) : "nothing";
  return str(variants[verdicts[choice->verdict].variant].target) + ": " + choice->reason;
}

const std::vector<Variant> cuda = {
    variantOf("cuda", "sm_80", {}, 32),           variantOf("cuda", "sm_80", {"TILE=64"}, 32),
    variantOf("cuda", "sm_80", {"TILE=256"}, 32), variantOf("cuda", "sm_90", {}, 32),
    variantOf("cuda", "sm_90", {"TILE=64"}, 32),  variantOf("cuda", "sm_90", {"TILE=256"}, 32)};

} // namespace

TEST_CASE("nothing measured: the default", "[tuning]") {
  CHECK(chosen("sm_90", "H100", cuda, "") == "cuda:sm_90/wave32");
  // Lines that do not count: another kernel's, another backend's, no line at all, a line without a
  // target.
  CHECK(chosen("sm_90", "H100", cuda,
               "sort cuda:sm_90 cuda:sm_90+TILE=64/wave32 H100\n"
               "scan amdgpu:gfx942 amdgpu:gfx942+TILE=64/wave64 MI300X\n"
               "# scan cuda:sm_90 cuda:sm_90+TILE=64/wave32 H100\n"
               "\n"
               "scan cuda:sm_90\n"
               "scan sm_90 cuda:sm_90+TILE=64/wave32 H100") == "cuda:sm_90/wave32");
}

TEST_CASE("the device itself, its architecture, the nearest one", "[tuning]") {
  const std::string text = "scan cuda:sm_90 cuda:sm_90+TILE=64/wave32 NVIDIA H100\n"
                           "scan cuda:sm_90 cuda:sm_90+TILE=256/wave32 NVIDIA H200\n"
                           "scan cuda:sm_80 cuda:sm_80/wave32 NVIDIA A100\n";
  CHECK(chosen("sm_90", "NVIDIA H200", cuda, text) ==
        "cuda:sm_90+TILE=256/wave32: tuned on NVIDIA H200");
  CHECK(chosen("sm_90", "NVIDIA H100", cuda, text) ==
        "cuda:sm_90+TILE=64/wave32: tuned on NVIDIA H100");
  CHECK(chosen("sm_90", "NVIDIA GH200", cuda, text) ==
        "cuda:sm_90+TILE=64/wave32: tuned on cuda:sm_90, NVIDIA H100");
  // 86 is 4 from 90 and 6 from 80, but its code is that of sm_80.
  CHECK(chosen("sm_86", "NVIDIA A10", cuda, text) ==
        "cuda:sm_80+TILE=64/wave32: tuned on cuda:sm_90, NVIDIA H100, the nearest device that was "
        "measured");
  // 85 would be as near to both: the older one counts, and says that the default is best.
  CHECK(chosen("sm_85", "NVIDIA X", cuda,
               "scan cuda:sm_90 cuda:sm_90+TILE=64/wave32 NVIDIA H100\n"
               "scan cuda:sm_80 cuda:sm_80+TILE=256/wave32 NVIDIA A100\n") ==
        "cuda:sm_80+TILE=256/wave32: tuned on cuda:sm_80, NVIDIA A100, the nearest device that was "
        "measured");
}

TEST_CASE("only among what the device would run", "[tuning]") {
  const std::string text = "scan cuda:sm_90 cuda:sm_90+TILE=512/wave32 NVIDIA H200\n"
                           "scan cuda:sm_90 cuda:sm_90+TILE=64/wave32 NVIDIA H100\n";
  // The module has no such variant any more: what comes next counts.
  CHECK(chosen("sm_90", "NVIDIA H200", cuda, text) ==
        "cuda:sm_90+TILE=64/wave32: tuned on cuda:sm_90, NVIDIA H100");
  SelectRules rules;
  rules.blocked = {"+TILE=64"};
  CHECK(chosen("sm_90", "NVIDIA H200", cuda, text, rules) == "cuda:sm_90/wave32");
  rules.blocked = {};
  rules.pin = "sm_90+TILE=256";
  CHECK(chosen("sm_90", "NVIDIA H200", cuda, text, rules) == "cuda:sm_90+TILE=256/wave32");
  rules.pin = "compute_90";
  CHECK(chosen("sm_90", "NVIDIA H200", cuda, text, rules) == "nothing");
}

TEST_CASE("any number of lines and variants", "[tuning]") {
  // Among 50,000 lines and 5,000 variants the last line names a variant; none but the last does.
  std::vector<Variant> variants = {variantOf("cuda", "sm_80", {}, 32)};
  for (unsigned tile = 1; tile < 5000; ++tile)
    variants.push_back(variantOf("cuda", "sm_80", {"TILE=" + std::to_string(tile)}, 32));
  std::string text;
  for (unsigned line = 0; line < 50'000; ++line)
    text += "scan cuda:sm_90 cuda:sm_90+TILE=x" + std::to_string(line) + "/wave32 NVIDIA H100\n";
  CHECK(chosen("sm_80", "NVIDIA A100", variants, text) == "cuda:sm_80/wave32");
  text += "scan cuda:sm_90 cuda:sm_90+TILE=4711/wave32 NVIDIA H100\n";
  CHECK(chosen("sm_80", "NVIDIA A100", variants, text) ==
        "cuda:sm_80+TILE=4711/wave32: tuned on cuda:sm_90, NVIDIA H100, the nearest device that "
        "was measured");
  // Lines of kernels stay in their order, whatever comes between them.
  const std::vector<Tuned> sorted =
      parseTuned("b cuda:1 t1\na cuda:1 t2\nb cuda:1 t3\na cuda:1 t4");
  std::string order;
  for (const Tuned &one : sorted)
    order += one.kernel + one.target + " ";
  CHECK(order == "at2 at4 bt1 bt3 ");
  // Lines past the limit are not read.
  const std::string comment = "#" + std::string(maxTunedBytes, ' ') + "\n";
  CHECK(parseTuned(comment + text).empty());
  CHECK(parseTuned(text + comment).size() == 50'001);
}

TEST_CASE("measurements in any order", "[tuning]") {
  using namespace sextant::packager;
  std::string text;
  for (unsigned i = 60'000; i-- > 0;) // downwards, each twice
    text += "scan\tcuda:sm_90\tH100\tn=" + std::to_string(i / 2) + "\td/wave32\t" +
            std::to_string(1 + i % 2) + "\n";
  const auto all = parseMeasurements(text);
  REQUIRE(all);
  REQUIRE(all->size() == 30'000);
  CHECK(std::is_sorted(all->begin(), all->end(), [](const Measurement &a, const Measurement &b) {
    return a.arguments < b.arguments;
  }));
  for (const Measurement &one : *all)
    REQUIRE(one.milliseconds.at("d/wave32") == 1);
  CHECK(!parseMeasurements("#" + std::string(maxMeasuredBytes, ' ')));
  sextant::packager::Contents contents;
  std::vector<Measurement> many = *all;
  for (Measurement &one : many)
    one.arguments += std::string(600, 'x');
  CHECK(setMeasurements(contents, many).code == Code::TooLarge);
  CHECK(contents.attachments.empty());
}

TEST_CASE("waves, several constants, other implementations", "[tuning]") {
  const std::vector<Variant> amd = {
      variantOf("amdgpu", "gfx1100", {}, 32), variantOf("amdgpu", "gfx1100", {}, 64),
      variantOf("amdgpu", "gfx1100", {"ITEMS=4", "TILE=64"}, 32),
      variantOf("amdgpu", "gfx1100", {"ITEMS=4", "TILE=64"}, 64),
      variantOf("amdgpu", "gfx1100", {"ITEMS=4", "TILE=64", "implementation=other"}, 64)};
  CHECK(chosen("gfx1100", "RX", amd, "scan amdgpu:gfx1100 amdgpu:gfx1100/wave64 RX") ==
        "amdgpu:gfx1100/wave64: tuned on RX");
  // On another architecture the constants and the wave size count, not the target.
  CHECK(chosen("gfx1100", "RX", amd,
               "scan amdgpu:gfx1030 amdgpu:gfx1030+ITEMS=4+TILE=64/wave64 RX 6900") ==
        "amdgpu:gfx1100+ITEMS=4+TILE=64/wave64: tuned on amdgpu:gfx1030, RX 6900, the nearest "
        "device that was measured");
  CHECK(chosen("gfx1100", "RX", amd,
               "scan amdgpu:gfx942 amdgpu:gfx942+ITEMS=4+TILE=64+implementation=other/wave64 MI") ==
        "amdgpu:gfx1100+ITEMS=4+TILE=64+implementation=other/wave64: tuned on amdgpu:gfx942, MI, "
        "the nearest device that was measured");
  // One constant makes another variant.
  CHECK(chosen("gfx1100", "RX", amd, "scan amdgpu:gfx942 amdgpu:gfx942+TILE=64/wave64 MI") ==
        "amdgpu:gfx1100/wave32");
  // gfx90a is nearer to gfx1030 than to gfx1100.
  const std::vector<Variant> old = {variantOf("amdgpu", "gfx90a", {}, 64),
                                    variantOf("amdgpu", "gfx90a", {"T=1"}, 64),
                                    variantOf("amdgpu", "gfx90a", {"T=2"}, 64)};
  CHECK(chosen("gfx90a:sramecc+:xnack-", "MI250", old,
               "scan amdgpu:gfx1100 amdgpu:gfx1100+T=1/wave32 A\n"
               "scan amdgpu:gfx1030 amdgpu:gfx1030+T=2/wave32 B\n")
            .starts_with("amdgpu:gfx90a+T=2/wave64"));
}

TEST_CASE("a version tells nothing about a GPU, its maker does", "[tuning]") {
  const std::vector<Variant> vulkan = {variantOf("vulkan", "1.1", {}, 32),
                                       variantOf("vulkan", "1.1", {"TILE=64"}, 32),
                                       variantOf("vulkan", "1.1", {"TILE=256"}, 32)};
  const std::string text = "scan vulkan:1.3 vulkan:1.1+TILE=64/wave32 NVIDIA H100\n"
                           "scan vulkan:1.3 vulkan:1.1+TILE=256/wave64 AMD Radeon RX 7900\n";
  CHECK(chosen("vulkan:1.3", "NVIDIA H100", vulkan, text) ==
        "vulkan:1.1+TILE=64/wave32: tuned on NVIDIA H100");
  CHECK(chosen("vulkan:1.3", "NVIDIA A10", vulkan, text) ==
        "vulkan:1.1+TILE=64/wave32: tuned on vulkan:1.3, NVIDIA H100");
  CHECK(chosen("vulkan:1.3", "AMD Radeon 780M", vulkan, text) ==
        "vulkan:1.1+TILE=256/wave32: tuned on vulkan:1.3, AMD Radeon RX 7900");
  CHECK(chosen("vulkan:1.3", "llvmpipe", vulkan, text) == "vulkan:1.1/wave32");
}

TEST_CASE("the default comes first, whatever features it has", "[tuning]") {
  Variant plain = variantOf("vulkan", "1.1", {"float32-atomics"}, 32);
  // As words are sorted, TILE=64 stands before it in a module.
  const std::vector<Variant> vulkan = {
      variantOf("vulkan", "1.1", {"TILE=64", "float32-atomics"}, 32), plain};
  auto facts = factsOf("vulkan:1.3");
  REQUIRE(facts);
  facts->features = {"float32-atomics"};
  const std::vector<Verdict> verdicts = select(*facts, vulkan);
  CHECK(verdicts[0].variant == 1);
  CHECK(verdicts[1].usable);
}

TEST_CASE("the fastest of measurements", "[tuning]") {
  std::vector<Measurement> all;
  // TILE=64 wins one run by 4, TILE=256 another by 2: in the mean TILE=64.
  add(all, {"scan",
            "cuda:sm_90",
            "H100",
            "n=10",
            {{"d/wave32", 4}, {"d+TILE=64/wave32", 1}, {"d+TILE=256/wave32", 4}}});
  add(all, {"scan",
            "cuda:sm_90",
            "H100",
            "n=20",
            {{"d/wave32", 9}, {"d+TILE=64/wave32", 4}, {"d+TILE=256/wave32", 2}}});
  // Less than 1 % is not a reason to leave the default.
  add(all,
      {"sort", "cuda:sm_90", "H100", "n=10", {{"d/wave32", 1.0}, {"d+TILE=64/wave32", 0.995}}});
  // A variant that failed once does not win.
  add(all, {"sum", "cuda:sm_90", "H100", "n=1", {{"d/wave32", 2}, {"d+TILE=64/wave32", 1}}});
  add(all, {"sum", "cuda:sm_90", "H100", "n=2", {{"d/wave32", 2}}});
  auto targets = [&] {
    std::string text;
    for (const Tuned &one : sextant::packager::fastestOf(all))
      text += one.kernel + " " + one.device + " " + one.name + " " + one.target + "\n";
    return text;
  };
  CHECK(targets() == "scan cuda:sm_90 H100 d+TILE=64/wave32\n"
                     "sort cuda:sm_90 H100 d/wave32\n"
                     "sum cuda:sm_90 H100 d/wave32\n");
  // A second run of the same: of each target the shorter time counts, in any order.
  add(all, {"scan",
            "cuda:sm_90",
            "H100",
            "n=20",
            {{"d/wave32", 10}, {"d+TILE=64/wave32", 4.5}, {"d+TILE=256/wave32", 0.5}}});
  CHECK(targets().starts_with("scan cuda:sm_90 H100 d+TILE=256/wave32\n"));
  // Another device has its own line.
  add(all, {"scan", "cuda:sm_80", "A100", "n=20", {{"d/wave32", 1}}});
  CHECK(targets().starts_with("scan cuda:sm_80 A100 d/wave32\nscan cuda:sm_90 H100 "));
}

TEST_CASE("measurements as text", "[tuning]") {
  using namespace sextant::packager;
  std::vector<Measurement> all;
  add(all, {"scan",
            "cuda:sm_90",
            "NVIDIA H100",
            "n=10 x=a\tb",
            {{"d/wave32", 0.25}, {"d+TILE=64/wave32", 1.5e-3}}});
  const std::string text = sextant::packager::textOf(all);
  CHECK(text ==
        "# KERNEL, DEVICE, NAME, ARGUMENTS, then TARGET, MILLISECONDS of each variant\n"
        "scan\tcuda:sm_90\tNVIDIA H100\tn=10 x=a b\td+TILE=64/wave32\t0.0015\td/wave32\t0.25\n");
  const auto again = parseMeasurements(text);
  REQUIRE(again.ok());
  CHECK(sextant::packager::textOf(*again) == text);
  for (const char *wrong :
       {"scan", "scan\ta\tb\tc", "scan\ta\tb\tc\td", "scan\ta\tb\tc\td\t0", "scan\ta\tb\tc\td\t-1",
        "scan\ta\tb\tc\td\tnan", "scan\ta\tb\tc\td\t1x", "scan\ta\tb\tc\td\t1\te"}) {
    INFO(wrong);
    const auto result = parseMeasurements("# fine\n" + std::string(wrong));
    REQUIRE(!result.ok());
    CHECK(result.error().message == "line 2 is not a measurement of `sextant tune`");
  }
}
