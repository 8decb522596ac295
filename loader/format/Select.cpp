// The total order of Select.h.
#include "loader/format/Select.h"

#include <algorithm>
#include <charconv>

namespace sextant::module {

namespace {

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

bool contains(std::span<const std::string> list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// How a variant's architecture fits a device's. `rank` orders fits of one match,
/// higher is better.
struct Fit {
  Match match = Match::None;
  unsigned rank = 0;
  std::string reason;
};

//===--- CUDA --------------------------------------------------------------===//

struct CudaArch {
  bool isVirtual = false; ///< compute_XY: PTX
  unsigned major = 0, minor = 0;
  char suffix = 0; ///< 'a', 'f' or none
};

std::optional<CudaArch> parseCuda(std::string_view arch) {
  CudaArch result;
  if (arch.starts_with("sm_")) {
    arch.remove_prefix(3);
  } else if (arch.starts_with("compute_")) {
    arch.remove_prefix(8);
    result.isVirtual = true;
  } else {
    return std::nullopt;
  }
  if (!arch.empty() && (arch.back() == 'a' || arch.back() == 'f')) {
    result.suffix = arch.back();
    arch.remove_suffix(1);
  }
  const std::optional<unsigned> value = number(arch);
  if (!value || *value < 10 || *value > 9999)
    return std::nullopt;
  result.major = *value / 10;
  result.minor = *value % 10;
  return result;
}

/// Chips whose code other chips of the same generation do not run, nor they theirs.
bool isTegra(const CudaArch &arch) {
  constexpr unsigned tegra[] = {53, 62, 72, 87, 101, 110};
  return std::find(std::begin(tegra), std::end(tegra), arch.major * 10 + arch.minor) !=
         std::end(tegra);
}

/// \param isPtx the image is PTX, whatever its target says: without ptxas the compiler
///        keeps the PTX of an sm_XY.
Fit fitCuda(std::string_view variantArch, bool isPtx, std::string_view deviceArch) {
  std::optional<CudaArch> variant = parseCuda(variantArch);
  const std::optional<CudaArch> device = parseCuda(deviceArch);
  const std::string isOther = "the device is " + std::string(deviceArch);
  if (!variant || !device)
    return {Match::None, 0, "is for " + std::string(variantArch) + "; " + isOther};
  variant->isVirtual |= isPtx;
  const unsigned suffixRank = variant->suffix == 'a' ? 2 : variant->suffix == 'f' ? 1 : 0;
  const unsigned rank = (variant->major * 10 + variant->minor) * 4 + suffixRank;
  const bool same = variant->major == device->major && variant->minor == device->minor;
  const bool family = variant->major == device->major && variant->minor <= device->minor;
  const bool older = variant->major < device->major || family;
  if (variant->isVirtual) {
    const bool runs = variant->suffix == 'a' ? same : variant->suffix == 'f' ? family : older;
    if (runs)
      return {Match::Portable, rank,
              "portable: the driver compiles " + std::string(variantArch) + " code for the device"};
    return {Match::None, 0,
            "needs " + std::string(variantArch) +
                (variant->suffix == 'a' ? " exactly; " : " or newer; ") + isOther};
  }
  if (same)
    return {Match::Exact, rank, "exact architecture"};
  if (variant->suffix == 'a' || isTegra(*variant) || isTegra(*device))
    return {Match::None, 0, "runs on " + std::string(variantArch) + " alone; " + isOther};
  if (family)
    return {Match::Compatible, rank,
            "compatible: " + std::string(deviceArch) + " runs " + std::string(variantArch) +
                " code"};
  if (variant->major == device->major)
    return {Match::None, 0, "needs " + std::string(variantArch) + " or newer; " + isOther};
  return {Match::None, 0,
          "is machine code of another generation, " + std::string(variantArch) + "; " + isOther};
}

//===--- CPU ---------------------------------------------------------------===//

/// N of x86-64-vN, 0 for others.
unsigned x86Level(std::string_view arch) {
  if (arch == "x86-64")
    return 1;
  if (!arch.starts_with("x86-64-v"))
    return 0;
  return number(arch.substr(8)).value_or(0);
}

Fit fitCpu(std::string_view variantArch, std::string_view deviceArch) {
  const unsigned variant = x86Level(variantArch), device = x86Level(deviceArch);
  if (variantArch == deviceArch)
    return {Match::Exact, variant, "exact architecture"};
  if (variant != 0 && variant < device)
    return {Match::Compatible, variant,
            "compatible: " + std::string(deviceArch) + " runs " + std::string(variantArch) +
                " code"};
  return {Match::None, 0,
          "needs " + std::string(variantArch) + "; the device is " + std::string(deviceArch)};
}

//===--- Requirements ------------------------------------------------------===//

/// "name>=8.4" or "name" against the device. The reason why not, or "".
std::string lacks(const DeviceFacts &device, std::string_view requirement) {
  const size_t at = requirement.find(">=");
  if (at == requirement.npos)
    return contains(device.features, requirement)
               ? ""
               : "needs the feature '" + std::string(requirement) + "', which the device lacks";
  const std::string_view name = requirement.substr(0, at);
  std::string_view bound = requirement.substr(at + 2);
  const size_t dot = bound.find('.');
  const std::optional<unsigned> major = number(bound.substr(0, dot));
  const std::optional<unsigned> minor =
      dot == bound.npos ? std::optional<unsigned>(0) : number(bound.substr(dot + 1));
  if (!major || !minor)
    return "has the requirement '" + std::string(requirement) +
           "', which this version does not understand";
  for (const FactNumber &fact : device.numbers)
    if (fact.name == name) {
      if (fact.major > *major || (fact.major == *major && fact.minor >= *minor))
        return "";
      return "needs " + std::string(requirement) + "; the device has " +
             std::to_string(fact.major) + "." + std::to_string(fact.minor);
    }
  return "needs " + std::string(requirement) + "; the device has no such thing";
}

Fit fitOf(const DeviceFacts &device, const Variant &variant) {
  const Target &target = variant.target;
  if (target.backend != device.backend)
    return {Match::None, 0, "is code for " + target.backend + "; the device is " + device.backend};
  if (target.backend == "cuda")
    return fitCuda(target.arch, variant.format == "ptx", device.arch);
  if (target.backend == "cpu")
    return fitCpu(target.arch, device.arch);
  if (target.arch == device.arch)
    return {Match::Exact, 0, "exact architecture"};
  return {Match::None, 0, "needs " + target.arch + "; the device is " + device.arch};
}

size_t waveOrder(const DeviceFacts &device, unsigned wave) {
  return static_cast<size_t>(std::find(device.waves.begin(), device.waves.end(), wave) -
                             device.waves.begin());
}

/// Why a variant whose architecture fits is still out, or "".
std::string excluded(const DeviceFacts &device, const Variant &variant, const SelectRules &rules) {
  const Target &target = variant.target;
  if (waveOrder(device, target.wave) == device.waves.size()) {
    std::string sizes;
    for (unsigned wave : device.waves)
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(wave);
    return "has waves of " + std::to_string(target.wave) + " lanes; the device runs " +
           (sizes.empty() ? "none" : sizes);
  }
  for (const std::string &feature : target.features)
    if (std::string why = lacks(device, feature); !why.empty())
      return why;
  for (const std::string &requirement : variant.requirements)
    if (std::string why = lacks(device, requirement); !why.empty())
      return why;
  if (rules.wave != 0 && target.wave != rules.wave)
    return "has waves of " + std::to_string(target.wave) + " lanes; " + std::to_string(rules.wave) +
           " are asked for";
  if (!rules.pin.empty() && !matches(rules.pin, target))
    return "is not what the pin '" + rules.pin + "' names";
  for (const std::string &pattern : rules.blocked)
    if (matches(pattern, target))
      return "is blocked by '" + pattern + "'";
  return "";
}

} // namespace

std::string_view nameOf(Match match) {
  switch (match) {
  case Match::Exact:
    return "exact";
  case Match::Compatible:
    return "compatible";
  case Match::Portable:
    return "portable";
  case Match::None:
    break;
  }
  return "none";
}

std::vector<Verdict> select(const DeviceFacts &device, std::span<const Variant> variants,
                            const SelectRules &rules) {
  struct Ranked {
    Verdict verdict;
    unsigned rank = 0;
    size_t wave = 0, features = 0;
  };
  std::vector<Ranked> list;
  for (uint32_t i = 0; i < variants.size(); ++i) {
    const Target &target = variants[i].target;
    Fit fit = fitOf(device, variants[i]);
    Verdict verdict{i, fit.match != Match::None, fit.match, std::move(fit.reason)};
    if (verdict.usable)
      if (std::string why = excluded(device, variants[i], rules); !why.empty()) {
        verdict.usable = false;
        verdict.reason = std::move(why);
      }
    list.push_back(
        {std::move(verdict), fit.rank, waveOrder(device, target.wave), target.features.size()});
  }
  std::sort(list.begin(), list.end(), [](const Ranked &a, const Ranked &b) {
    if (a.verdict.usable != b.verdict.usable)
      return a.verdict.usable;
    if (!a.verdict.usable)
      return a.verdict.variant < b.verdict.variant;
    if (a.verdict.match != b.verdict.match)
      return a.verdict.match < b.verdict.match;
    if (a.rank != b.rank)
      return a.rank > b.rank;
    if (a.wave != b.wave)
      return a.wave < b.wave;
    if (a.features != b.features)
      return a.features > b.features;
    return a.verdict.variant < b.verdict.variant;
  });
  std::vector<Verdict> verdicts;
  verdicts.reserve(list.size());
  for (Ranked &entry : list)
    verdicts.push_back(std::move(entry.verdict));
  return verdicts;
}

std::string whyNone(const DeviceFacts &device, const Kernel &kernel,
                    std::span<const Verdict> verdicts) {
  std::string text =
      "kernel '" + kernel.instance + "' has no variant for " + device.backend + ":" + device.arch;
  bool isAnyForBackend = false, isAnyByRule = false;
  for (const Verdict &verdict : verdicts) {
    if (verdict.variant >= kernel.variants.size())
      continue;
    const Target &target = kernel.variants[verdict.variant].target;
    if (target.backend != device.backend)
      continue;
    isAnyForBackend = true;
    isAnyByRule |= verdict.match != Match::None;
    text += "; " + str(target) + " " + verdict.reason;
  }
  for (const Refusal &refusal : kernel.refusals) {
    if (refusal.target.backend != device.backend)
      continue;
    isAnyForBackend = true;
    text += "; " + str(refusal.target) + " was refused by the compiler: " + refusal.reason;
  }
  if (!isAnyForBackend)
    text += "; the module holds no " + device.backend + " code for it at all";
  return text + (isAnyByRule
                     ? "; loosen the pin, block or wave, or compile with --targets=" + device.arch
                     : "; compile with --targets=" + device.arch);
}

namespace {
/// `[head][+feature…][/waveN]`, head being `[backend:]arch` or a part.
struct Pattern {
  std::string_view backend, arch; ///< both from a head without colon
  bool hasColon = false;
  std::vector<std::string_view> features;
  std::optional<unsigned> wave;
  bool valid = true;
};

Pattern parsePattern(std::string_view text) {
  Pattern pattern;
  if (const size_t slash = text.rfind('/'); slash != text.npos) {
    const std::string_view wave = text.substr(slash + 1);
    pattern.wave = wave.starts_with("wave") ? number(wave.substr(4)) : std::nullopt;
    pattern.valid = pattern.wave.has_value();
    text = text.substr(0, slash);
  }
  size_t plus = text.find('+');
  std::string_view head = text.substr(0, plus);
  while (plus != text.npos) {
    const size_t next = text.find('+', plus + 1);
    pattern.features.push_back(
        text.substr(plus + 1, next == text.npos ? text.npos : next - plus - 1));
    plus = next;
  }
  const size_t colon = head.find(':');
  pattern.hasColon = colon != head.npos;
  pattern.backend = head.substr(0, colon);
  pattern.arch = pattern.hasColon ? head.substr(colon + 1) : head;
  return pattern;
}
} // namespace

bool matches(std::string_view text, const Target &target) {
  const Pattern pattern = parsePattern(text);
  if (!pattern.valid || (pattern.wave && *pattern.wave != target.wave))
    return false;
  for (std::string_view feature : pattern.features)
    if (!contains(target.features, feature))
      return false;
  if (pattern.hasColon)
    return pattern.backend == target.backend &&
           (pattern.arch.empty() || pattern.arch == target.arch);
  return pattern.arch.empty() || pattern.arch == target.arch || pattern.arch == target.backend;
}

std::optional<DeviceFacts> factsOf(std::string_view target) {
  const Pattern pattern = parsePattern(target);
  if (!pattern.valid)
    return std::nullopt;
  DeviceFacts facts;
  const bool isX86 = x86Level(pattern.arch) >= 1 && x86Level(pattern.arch) <= 4;
  if (isX86 || pattern.arch == "aarch64") {
    facts.backend = "cpu";
    facts.arch = pattern.arch;
    facts.waves = {32, 16, 8, 64, 4};
  } else if (const std::optional<CudaArch> cuda = parseCuda(pattern.arch)) {
    facts.backend = "cuda";
    facts.arch = "sm_" + std::to_string(cuda->major * 10 + cuda->minor);
    facts.waves = {32};
    facts.numbers = {{"ptx", 99, 0}};
  } else {
    return std::nullopt;
  }
  if (pattern.hasColon && pattern.backend != facts.backend)
    return std::nullopt;
  if (pattern.wave) {
    const auto at = std::find(facts.waves.begin(), facts.waves.end(), *pattern.wave);
    if (at == facts.waves.end())
      return std::nullopt;
    std::rotate(facts.waves.begin(), at, at + 1);
  }
  return facts;
}

} // namespace sextant::module
