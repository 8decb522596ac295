// The order of Select.h, as tables.
#include "loader/format/Select.h"
#include "tests/support/Catch.h"

#include <algorithm>

using namespace sextant::module;

namespace {

/// "backend:arch+feature/waveN" or "arch"; backend by the arch's look.
Variant variantOf(std::string_view text, std::vector<std::string> requirements = {}) {
  Variant variant;
  std::string rest(text);
  if (const size_t slash = rest.find("/wave"); slash != rest.npos) {
    variant.target.wave = static_cast<unsigned>(std::stoul(rest.substr(slash + 5)));
    rest.resize(slash);
  }
  for (size_t plus; (plus = rest.rfind('+')) != rest.npos && !rest.starts_with("gfx");) {
    variant.target.features.insert(variant.target.features.begin(), rest.substr(plus + 1));
    rest.resize(plus);
  }
  variant.target.backend = rest.starts_with("gfx")                               ? "amdgpu"
                           : rest.starts_with("sm_") || rest.starts_with("comp") ? "cuda"
                                                                                 : "cpu";
  for (const char *backend : {"vulkan", "metal"})
    if (rest.starts_with(std::string(backend) + ":")) {
      variant.target.backend = backend;
      rest = rest.substr(rest.find(':') + 1);
    }
  const std::string &backend = variant.target.backend;
  variant.format = backend == "amdgpu"   ? "hsaco"
                   : backend == "vulkan" ? "spirv"
                   : backend == "metal"  ? "msl"
                   : backend == "cpu"    ? "elf"
                                         : "cubin";
  variant.target.arch = rest;
  variant.requirements = std::move(requirements);
  return variant;
}

std::vector<Variant> variantsOf(const std::vector<std::string> &names) {
  std::vector<Variant> variants;
  for (const std::string &name : names)
    variants.push_back(variantOf(name));
  return variants;
}

/// Returns what runs on `device`, the best first: archs with waves where they are not 32.
std::string order(std::string_view device, const std::vector<std::string> &names,
                  const SelectRules &rules = {}) {
  const auto facts = factsOf(device);
  REQUIRE(facts);
  const std::vector<Variant> variants = variantsOf(names);
  std::string text;
  for (const Verdict &verdict : select(*facts, variants, rules))
    if (verdict.usable)
      text += (text.empty() ? "" : " ") + names[verdict.variant];
  return text;
}

std::string reason(std::string_view device, const Variant &variant, const SelectRules &rules = {}) {
  const std::vector<Variant> variants = {variant};
  return select(*factsOf(device), variants, rules).front().reason;
}

const std::vector<std::string> cudaNames = {"compute_75", "sm_75",       "sm_80",  "sm_86",
                                            "sm_87",      "sm_89",       "sm_90",  "sm_90a",
                                            "compute_90", "compute_90a", "sm_100", "sm_120"};

} // namespace

TEST_CASE("cuda: exact, then the newest compatible, then the newest PTX") {
  CHECK(order("sm_75", cudaNames) == "sm_75 compute_75");
  CHECK(order("sm_80", cudaNames) == "sm_80 compute_75");
  CHECK(order("sm_86", cudaNames) == "sm_86 sm_80 compute_75");
  CHECK(order("sm_89", cudaNames) == "sm_89 sm_86 sm_80 compute_75");
  CHECK(order("sm_87", cudaNames) == "sm_87 compute_75"); // Tegra
  CHECK(order("sm_90", cudaNames) == "sm_90a sm_90 compute_90a compute_90 compute_75");
  CHECK(order("sm_100", cudaNames) == "sm_100 compute_90 compute_75");
  CHECK(order("sm_103", cudaNames) == "sm_100 compute_90 compute_75");
  CHECK(order("sm_121", cudaNames) == "sm_120 compute_90 compute_75");
  CHECK(order("sm_70", cudaNames).empty());
  CHECK(order("sm_103", {"sm_100f", "compute_100f", "sm_100a", "compute_120f"}) ==
        "sm_100f compute_100f");
}

TEST_CASE("cuda: PTX that was kept for an sm_XY is portable") {
  std::vector<Variant> variants = variantsOf({"sm_80", "sm_75", "sm_90"});
  variants[0].format = "ptx";
  auto verdicts = select(*factsOf("sm_80"), variants);
  CHECK(verdicts[0].variant == 0);
  CHECK(verdicts[0].match == Match::Portable);
  verdicts = select(*factsOf("sm_90"), variants);
  CHECK(verdicts[0].variant == 2);
  CHECK(verdicts[1].variant == 0);
  CHECK(!verdicts[2].usable);
}

TEST_CASE("cpu: the highest level that the device has") {
  const std::vector<std::string> names = {"x86-64-v2", "x86-64-v4", "x86-64-v3", "aarch64"};
  CHECK(order("x86-64-v4", names) == "x86-64-v4 x86-64-v3 x86-64-v2");
  CHECK(order("x86-64-v3", names) == "x86-64-v3 x86-64-v2");
  CHECK(order("x86-64-v2", names) == "x86-64-v2");
  CHECK(order("x86-64", names).empty());
  CHECK(order("aarch64", names) == "aarch64");
}

TEST_CASE("amdgpu: the processor itself, then the generic one that covers it") {
  const std::vector<std::string> names = {
      "gfx9-generic/wave64", "gfx906/wave64", "gfx10-3-generic", "gfx1030",       "gfx1036/wave64",
      "gfx11-generic",       "gfx1100",       "gfx1100/wave64",  "gfx12-generic", "gfx90a/wave64"};
  CHECK(order("gfx906", names) == "gfx906/wave64 gfx9-generic/wave64");
  CHECK(order("gfx900", names) == "gfx9-generic/wave64");
  CHECK(order("gfx90c:xnack-", names) == "gfx9-generic/wave64");
  CHECK(order("gfx908", names).empty()); // not of the family that gfx9-generic covers
  CHECK(order("gfx90a", names) == "gfx90a/wave64");
  CHECK(order("gfx942", names).empty());
  CHECK(order("gfx1010", names).empty());
  CHECK(order("gfx1030", names) == "gfx1030 gfx10-3-generic");
  CHECK(order("gfx1036", names) == "gfx1036/wave64 gfx10-3-generic");
  CHECK(order("gfx1031", names) == "gfx10-3-generic"); // gfx1030's own code does not run there
  CHECK(order("gfx1100", names) == "gfx1100 gfx1100/wave64 gfx11-generic");
  CHECK(order("gfx1100/wave64", names) == "gfx1100/wave64 gfx1100 gfx11-generic");
  CHECK(order("gfx1152", names) == "gfx11-generic");
  CHECK(order("gfx1201", names) == "gfx12-generic");
  CHECK(order("gfx942", {"gfx9-4-generic/wave64", "gfx9-generic/wave64"}) ==
        "gfx9-4-generic/wave64");
  CHECK(order("gfx11-generic", names) == "gfx11-generic"); // any device of the family
  CHECK(reason("gfx1101", variantOf("gfx11-generic")) == "generic: gfx11-generic covers gfx1101");
  CHECK(reason("gfx1101", variantOf("gfx1100")) == "runs only on gfx1100; the device is gfx1101");
  CHECK(reason("gfx908", variantOf("gfx9-generic/wave64")) ==
        "covers only the processors of gfx9-generic; the device is gfx908");
  CHECK(reason("gfx90a", variantOf("gfx90a")) == "has waves of 32 lanes; the device runs 64");
}

TEST_CASE("amdgpu: every processor has the generic one that LLVM's usage page gives it") {
  // Worked out by hand from the page's table of generic processors.
  const std::vector<std::pair<std::string, std::vector<std::string>>> table = {
      {"gfx9-generic", {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"}},
      {"gfx9-4-generic", {"gfx940", "gfx941", "gfx942", "gfx950"}},
      {"gfx10-1-generic", {"gfx1010", "gfx1011", "gfx1012", "gfx1013"}},
      {"gfx10-3-generic",
       {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"}},
      {"gfx11-generic",
       {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"}},
      {"gfx12-generic", {"gfx1200", "gfx1201"}},
  };
  size_t covered = 0;
  for (const auto &[generic, processors] : table) {
    covered += processors.size();
    for (const AmdProcessor &device : amdProcessors()) {
      INFO(generic << " on " << device.name);
      const bool isOf =
          std::find(processors.begin(), processors.end(), device.name) != processors.end();
      const Match match = fitOf("amdgpu", generic, "hsaco", device.name).match;
      CHECK(match == (isOf ? Match::Generic : Match::None));
    }
  }
  CHECK(amdProcessors().size() == covered + 2); // gfx908 and gfx90a stand alone
  for (const AmdProcessor &variant : amdProcessors())
    for (const AmdProcessor &device : amdProcessors()) {
      INFO(variant.name << " on " << device.name);
      const Match match = fitOf("amdgpu", variant.name, "hsaco", device.name).match;
      CHECK(match == (&variant == &device ? Match::Exact : Match::None));
    }
}

TEST_CASE("amdgpu: modifiers of target IDs") {
  const std::vector<std::string> names = {"gfx90a/wave64", "gfx90a:xnack+/wave64",
                                          "gfx90a:xnack-/wave64", "gfx90a:sramecc+:xnack-/wave64"};
  CHECK(order("gfx90a", names) == "gfx90a/wave64");
  CHECK(order("gfx90a:sramecc+:xnack-", names) ==
        "gfx90a:sramecc+:xnack-/wave64 gfx90a:xnack-/wave64 gfx90a/wave64");
  CHECK(order("gfx90a:xnack-:sramecc-", names) == "gfx90a:xnack-/wave64 gfx90a/wave64");
  CHECK(order("gfx90a:xnack+", names) == "gfx90a:xnack+/wave64 gfx90a/wave64");
  CHECK(order("gfx906:xnack-", {"gfx9-generic:xnack+/wave64", "gfx9-generic:xnack-/wave64"}) ==
        "gfx9-generic:xnack-/wave64");
  CHECK(reason("gfx90a:xnack-", variantOf("gfx90a:xnack+/wave64")) ==
        "is built for xnack+; the device is gfx90a:xnack-");
  CHECK(reason("gfx90a", variantOf("gfx90a:xnack+/wave64")) ==
        "is built for xnack+; the device, gfx90a, does not say");
}

TEST_CASE("vulkan and metal: versions") {
  const std::vector<std::string> names = {"vulkan:1.1", "vulkan:1.3", "vulkan:1.2", "vulkan:1.10"};
  CHECK(order("vulkan:1.1", names) == "vulkan:1.1");
  CHECK(order("vulkan:1.2", names) == "vulkan:1.2 vulkan:1.1");
  CHECK(order("vulkan:1.4", names) == "vulkan:1.3 vulkan:1.2 vulkan:1.1");
  CHECK(order("vulkan:1.10", names) == "vulkan:1.10 vulkan:1.3 vulkan:1.2 vulkan:1.1");
  CHECK(order("vulkan:1.0", names).empty());
  CHECK(order("metal:3.1", {"metal:2.3", "metal:3.0", "metal:3.2", "vulkan:1.1"}) ==
        "metal:3.0 metal:2.3");
  CHECK(order("vulkan:1.1/wave16", {"vulkan:1.1", "vulkan:1.1/wave16"}) == "vulkan:1.1/wave16");
  CHECK(reason("vulkan:1.3", variantOf("vulkan:1.1")) == "portable: Vulkan 1.3 runs 1.1 code");
  CHECK(reason("vulkan:1.0", variantOf("vulkan:1.1")) == "needs Vulkan 1.1; the device has 1.0");
  CHECK(reason("metal:2.3", variantOf("metal:3.0")) == "needs Metal 3.0; the device has 2.3");
  CHECK(reason("metal:2.3", variantOf("vulkan:1.1")) == "is code for vulkan; the device is metal");
}

TEST_CASE("vulkan: the variant that uses the device's atomics, else the loop") {
  DeviceFacts device = *factsOf("vulkan:1.2");
  device.waves = {32, 64};
  const std::vector<Variant> variants = {
      variantOf("vulkan:1.1"), variantOf("vulkan:1.1+float32-atomics/wave64"),
      variantOf("vulkan:1.1+float32-atomics"),
      variantOf("vulkan:1.1+float32-atomics", {"shared-bytes>=20000"})};
  auto usable = [&] {
    std::string text;
    for (const Verdict &verdict : select(device, variants))
      text += verdict.usable ? std::to_string(verdict.variant) : "";
    return text;
  };
  CHECK(usable() == "0");
  device.features = {"float32-atomics"};
  device.numbers = {{"shared-bytes", 16384, 0}};
  CHECK(usable() == "201"); // the wave comes before features
  CHECK(select(device, variants).back().reason ==
        "needs shared-bytes>=20000; the device has 16384");
  device.numbers = {{"shared-bytes", 32768, 0}};
  CHECK(usable() == "2301");
}

TEST_CASE("waves: the device's preference, after the architecture") {
  const std::vector<std::string> names = {"x86-64-v3/wave4",  "x86-64-v3/wave64",
                                          "x86-64-v3/wave8",  "x86-64-v3/wave16",
                                          "x86-64-v2/wave32", "x86-64-v3/wave32"};
  CHECK(order("x86-64-v3", names) ==
        "x86-64-v3/wave32 x86-64-v3/wave16 x86-64-v3/wave8 x86-64-v3/wave64 x86-64-v3/wave4 "
        "x86-64-v2/wave32");
  CHECK(order("x86-64-v3/wave4", names) ==
        "x86-64-v3/wave4 x86-64-v3/wave32 x86-64-v3/wave16 x86-64-v3/wave8 x86-64-v3/wave64 "
        "x86-64-v2/wave32");
  CHECK(order("x86-64-v3", names, {.wave = 8}) == "x86-64-v3/wave8");
  CHECK(reason("x86-64-v3", variantOf("x86-64-v3/wave4"), {.wave = 8}) ==
        "has waves of 4 lanes; 8 are asked for");
  CHECK(reason("sm_90", variantOf("sm_90/wave64")) == "has waves of 64 lanes; the device runs 32");
}

TEST_CASE("a pin that is a variant's whole name means that one") {
  const std::vector<std::string> names = {"vulkan:1.1/wave32", "vulkan:1.1+float32-atomics/wave32",
                                          "vulkan:1.1+float32-atomics+shared-48k/wave32"};
  const auto picks = [&](const std::string &pin) {
    DeviceFacts device = *factsOf("vulkan:1.2");
    device.features = {"float32-atomics", "shared-48k"};
    std::vector<Variant> variants;
    for (const std::string &name : names)
      variants.push_back(variantOf(name));
    const std::vector<Verdict> verdicts = select(device, variants, {.pin = pin});
    return verdicts.front().usable ? str(variants[verdicts.front().variant].target) : "";
  };
  for (const std::string &name : names)
    CHECK(picks(name) == name);
  CHECK(picks("vulkan:1.1") == names[2]);
  CHECK(picks("vulkan:1.1+float32-atomics") == names[2]);
}

TEST_CASE("pins and blocks remove, they do not reorder") {
  CHECK(order("sm_86", cudaNames, {.pin = "sm_80"}) == "sm_80");
  CHECK(order("sm_86", cudaNames, {.pin = "cuda:compute_75"}) == "compute_75");
  CHECK(order("sm_86", cudaNames, {.pin = "sm_90"}).empty()); // a pin is not a permission
  CHECK(order("sm_86", cudaNames, {.blocked = {"sm_86", "compute_75"}}) == "sm_80");
  CHECK(order("sm_86", cudaNames, {.blocked = {"cuda"}}).empty());
  SelectRules listed;
  listed.block(",sm_86,,compute_75,"); // as SEXTANT_BLOCK has them
  listed.block("");
  CHECK(listed.blocked == std::vector<std::string>{"sm_86", "compute_75"});
  CHECK(reason("sm_86", variantOf("sm_86"), {.blocked = {"sm_86"}}) == "is blocked by 'sm_86'");
  CHECK(reason("sm_86", variantOf("sm_86"), {.pin = "sm_80"}) ==
        "is not what the pin 'sm_80' names");
}

TEST_CASE("features and requirements") {
  DeviceFacts device = *factsOf("sm_90");
  const std::vector<Variant> variants = {variantOf("sm_90"), variantOf("sm_90+tma"),
                                         variantOf("compute_90", {"ptx>=8.4"}),
                                         variantOf("compute_80", {"cluster"})};
  auto verdicts = select(device, variants);
  CHECK(verdicts[0].variant == 0);
  CHECK(verdicts[1].variant == 2);
  CHECK(verdicts[2].reason == "needs the feature 'tma', which the device lacks");
  CHECK(verdicts[3].reason == "needs the feature 'cluster', which the device lacks");
  device.features = {"cluster", "tma"};
  device.numbers = {{"ptx", 8, 3}};
  verdicts = select(device, variants);
  CHECK(verdicts[0].variant == 1); // more features first
  CHECK(verdicts[1].variant == 0);
  CHECK(verdicts[2].variant == 3);
  CHECK(verdicts[3].reason == "needs ptx>=8.4; the device has 8.3");
  CHECK(reason("sm_90", variantOf("sm_90", {"glsl>=4"})) ==
        "needs glsl>=4; the device has no such thing");
  CHECK(reason("sm_90", variantOf("sm_90", {"ptx>=8.x"})) ==
        "has the requirement 'ptx>=8.x', which this version does not understand");
}

TEST_CASE("variants for large arrays wait for a launch that needs them") {
  const std::vector<std::string> names = {"sm_90+large-arrays", "sm_90", "sm_80+large-arrays"};
  CHECK(order("sm_90", names) == "sm_90");
  const std::string wait = "is for launches with more than 2147483647 scalars or iterations";
  CHECK(reason("sm_90", variantOf("sm_90+large-arrays")) == wait);
  // isLarge says that nothing else is against them.
  const SelectRules any, pinned = {.pin = "cuda:sm_90"}, blocked = {.blocked = {"sm_90"}};
  for (auto [device, rules, isLarge] : {std::tuple("sm_90", &any, true),
                                        {"sm_90", &pinned, true},
                                        {"sm_90", &blocked, false},
                                        {"sm_80", &any, false}}) {
    const std::vector<Variant> variants = variantsOf({"sm_90+large-arrays"});
    const Verdict verdict = select(*factsOf(device), variants, *rules).front();
    CHECK(!verdict.usable);
    CHECK(verdict.isLarge == isLarge);
  }
  const std::vector<Variant> ordinary = variantsOf({"sm_90"});
  CHECK(!select(*factsOf("sm_90"), ordinary).front().isLarge);
  // A pin that names the feature takes them, and only them.
  CHECK(order("sm_90", names, {.pin = "+large-arrays"}) == "sm_90+large-arrays");
  CHECK(order("sm_90", names, {.pin = "sm_90+large-arrays"}) == "sm_90+large-arrays");
}

TEST_CASE("other implementations run where the first does, and after it") {
  const std::vector<std::string> names = {"sm_80", "sm_80+implementation=two", "sm_86",
                                          "sm_86+implementation=two"};
  CHECK(order("sm_86", names) == "sm_86 sm_86+implementation=two sm_80 sm_80+implementation=two");
  CHECK(order("sm_86", names, {.pin = "+implementation=two"}) ==
        "sm_86+implementation=two sm_80+implementation=two");
  CHECK(order("sm_86", names, {.blocked = {"+implementation=two"}}) == "sm_86 sm_80");
  // A device without the first still runs the second.
  CHECK(order("sm_86", {"sm_86+implementation=two"}) == "sm_86+implementation=two");
  CHECK(reason("sm_86", variantOf("sm_86+implementations")) ==
        "needs the feature 'implementations', which the device lacks");
}

TEST_CASE("an implementation is not a feature that is better than none") {
  DeviceFacts facts{"vulkan", "1.1", {32}, {"float32-atomics"}, {}};
  const std::vector<Variant> variants =
      variantsOf({"vulkan:1.1", "vulkan:1.1+float32-atomics", "vulkan:1.1+implementation=two",
                  "vulkan:1.1+float32-atomics+implementation=two"});
  std::vector<uint32_t> found;
  for (const Verdict &verdict : select(facts, variants))
    found.push_back(verdict.variant);
  CHECK(found == std::vector<uint32_t>{1, 3, 0, 2});
}

TEST_CASE("reasons say what is needed and what is there") {
  CHECK(reason("sm_80", variantOf("x86-64-v3")) == "is code for cpu; the device is cuda");
  CHECK(reason("sm_80", variantOf("sm_86")) == "needs sm_86 or newer; the device is sm_80");
  CHECK(reason("sm_90", variantOf("sm_86")) ==
        "is machine code of another generation, sm_86; the device is sm_90");
  CHECK(reason("sm_100", variantOf("sm_90a")) == "runs only on sm_90a; the device is sm_100");
  CHECK(reason("sm_80", variantOf("compute_90")) ==
        "needs compute_90 or newer; the device is sm_80");
  CHECK(reason("sm_100", variantOf("compute_90a")) ==
        "needs compute_90a exactly; the device is sm_100");
  CHECK(reason("sm_100", variantOf("compute_90")) ==
        "portable: the driver compiles compute_90 code for the device");
  CHECK(reason("sm_89", variantOf("sm_86")) == "compatible: sm_89 runs sm_86 code");
  CHECK(reason("sm_89", variantOf("sm_banana")) == "is for sm_banana; the device is sm_89");
  CHECK(reason("x86-64-v2", variantOf("x86-64-v3")) == "needs x86-64-v3; the device is x86-64-v2");
}

TEST_CASE("equal variants keep the module's order, and every variant has a verdict") {
  const std::vector<Variant> variants(40, variantOf("sm_80"));
  const auto verdicts = select(*factsOf("sm_80"), variants);
  REQUIRE(verdicts.size() == 40);
  for (uint32_t i = 0; i < 40; ++i)
    CHECK(verdicts[i].variant == i);
  CHECK(select(*factsOf("sm_80"), {}).empty());
}

TEST_CASE("patterns name targets") {
  const Target target{"cuda", "sm_90", {"a", "tma"}, 32};
  for (const char *pattern : {"", "cuda", "cuda:", "sm_90", "cuda:sm_90", "/wave32", "sm_90/wave32",
                              "sm_90+tma", "cuda:sm_90+a+tma/wave32", "+tma"}) {
    INFO(pattern);
    CHECK(matches(pattern, target));
  }
  for (const char *pattern : {"cpu", "cuda:sm_9", "sm_9", ":sm_90", "/wave64", "/wave", "/32", "/",
                              "sm_90+b", "cuda:sm_90/wave32x", "sm_90/wave-1"}) {
    INFO(pattern);
    CHECK(!matches(pattern, target));
  }
}

TEST_CASE("patterns name target IDs") {
  const Target target{"amdgpu", "gfx90a:sramecc-:xnack+", {}, 64};
  for (const char *pattern : {"amdgpu", "gfx90a", "gfx90a:xnack+", "amdgpu:gfx90a:xnack+:sramecc-",
                              "gfx90a:sramecc-/wave64", "amdgpu:gfx90a"}) {
    INFO(pattern);
    CHECK(matches(pattern, target));
  }
  for (const char *pattern : {"gfx90a:xnack-", "gfx90", "gfx90a:sramecc+", "amdgpu:gfx908",
                              "gfx90a:xnack++fast", "gfx90a:xnack+/wave32"}) {
    INFO(pattern);
    CHECK(!matches(pattern, target));
  }
}

TEST_CASE("facts of devices that are not present") {
  CHECK(factsOf("compute_90")->arch == "sm_90");
  CHECK(factsOf("cuda:sm_121a")->arch == "sm_121");
  CHECK(factsOf("cpu:aarch64/wave8")->waves == std::vector<unsigned>{8, 32, 16, 64, 4, 1});
  CHECK(factsOf("gfx942")->waves == std::vector<unsigned>{64});
  CHECK(factsOf("amdgpu:gfx1030/wave64")->waves == std::vector<unsigned>{64, 32});
  CHECK(factsOf("gfx90a:xnack+:sramecc-")->arch == "gfx90a:sramecc-:xnack+");
  CHECK(factsOf("vulkan:1.2/wave128")->waves == std::vector<unsigned>{128});
  CHECK(factsOf("metal:3.0")->waves == std::vector<unsigned>{32});
  for (const char *text : {"",
                           "sm_",
                           "sm_9",
                           "sm_xyz",
                           "sm_99999",
                           "cpu:sm_90",
                           "x86-64-v5",
                           "sm_90/wave64",
                           "gfx999",
                           "sm_90/",
                           "gfx90a:",
                           "gfx90a:xnack",
                           "gfx90a:xnack+:xnack-",
                           "gfx900:sramecc+",
                           "gfx1100:xnack+",
                           "gfx13-generic",
                           "gfx90a/wave32",
                           "cuda:gfx90a",
                           "1.1",
                           "vulkan:",
                           "vulkan:1",
                           "vulkan:0.9",
                           "vulkan:1.x",
                           "vulkan:1.1/wave2",
                           "vulkan:1.1/wave24",
                           "metal:3.0/wave64",
                           "sm_90+tma"}) {
    INFO(text);
    CHECK(!factsOf(text));
  }
}

TEST_CASE("a kernel that nothing serves says why") {
  Kernel kernel;
  kernel.instance = "scan";
  kernel.variants = variantsOf({"sm_90", "x86-64-v3"});
  kernel.refusals.push_back({{"cuda", "sm_75", {}, 32}, "f16 atomics need sm_80"});
  auto why = [&](std::string_view device, const SelectRules &rules = {}) {
    const DeviceFacts facts = *factsOf(device);
    return whyNone(facts, kernel, select(facts, kernel.variants, rules));
  };
  CHECK(why("sm_75") == "kernel 'scan' has no variant for cuda:sm_75; cuda:sm_90/wave32 is machine "
                        "code of another generation, sm_90; the device is sm_75; cuda:sm_75/wave32 "
                        "was left out: f16 atomics need sm_80; compile with "
                        "--targets=sm_75");
  CHECK(why("sm_90", {.blocked = {"cuda"}}) ==
        "kernel 'scan' has no variant for cuda:sm_90; cuda:sm_90/wave32 is blocked by 'cuda'; "
        "cuda:sm_75/wave32 was left out: f16 atomics need sm_80; loosen the pin, "
        "block or wave, or compile with --targets=sm_90");
  kernel.variants.clear();
  kernel.refusals.clear();
  CHECK(why("aarch64") == "kernel 'scan' has no variant for cpu:aarch64; the module holds no cpu "
                          "code for it at all; compile with --targets=aarch64");
}
