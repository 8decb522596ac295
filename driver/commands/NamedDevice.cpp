// Parses the grammar of NamedDevice.h.
#include "driver/commands/NamedDevice.h"

#include "driver/Environment.h"
#include "driver/compile/Targets.h"
#include "frontend/spelling/Suggestion.h"
#include "frontend/spelling/Texts.h"
#include "loader/format/families/Family.h"

#include <algorithm>
#include <bit>
#include <span>

namespace sextant {
namespace {

using module::DeviceFacts;

[[noreturn]] void refuse(const std::string &text, const std::string &why,
                         const std::string &fix = {}) {
  throw Refusal(Problem::OptionValueWrong, "--as '" + text + "': " + why, fix);
}

/// `subgroup=8..32` means every power of two in the range. 32 is preferred, because most kernels
/// are written for it; then the next larger size, then the smaller ones.
std::vector<unsigned> parseSubgroup(const std::string &text, const std::string &value) {
  const size_t dots = value.find("..");
  const std::optional<unsigned> low = module::parseNumber(value.substr(0, dots));
  const std::optional<unsigned> high =
      dots == value.npos ? low : module::parseNumber(value.substr(dots + 2));
  const auto legal = [](std::optional<unsigned> size) {
    return size && *size >= 4 && *size <= 128 && std::has_single_bit(*size);
  };
  if (!legal(low) || !legal(high) || *low > *high)
    refuse(text, "'subgroup=" + value + "' is not a subgroup size",
           "write a power of two from 4 to 128, or a range: subgroup=8..32");
  std::vector<unsigned> sizes;
  for (unsigned size = *low; size <= *high; size *= 2)
    sizes.push_back(size);
  std::sort(sizes.begin(), sizes.end(), [](unsigned left, unsigned right) {
    const auto order = [](unsigned size) { return size >= 32 ? size : 4096 / size; };
    return order(left) < order(right);
  });
  return sizes;
}

/// The last minor version of each major version of PTX, from 1 on.
constexpr unsigned ptxMinors[] = {5, 3, 2, 3, 0, 5, 8, 8, 1};

/// Throws Refusal where PTX never had this version.
void checkPtx(const std::string &text, unsigned major, unsigned minor) {
  if (major >= 1 && major <= std::size(ptxMinors) && minor <= ptxMinors[major - 1])
    return;
  std::string list;
  for (unsigned k = 0; k < std::size(ptxMinors); ++k)
    list +=
        (k ? ", " : "") + std::to_string(k + 1) + ".0" +
        (ptxMinors[k] ? " to " + std::to_string(k + 1) + "." + std::to_string(ptxMinors[k]) : "");
  refuse(text, "there is no PTX " + std::to_string(major) + "." + std::to_string(minor),
         "there are " + list);
}

void setNumber(const std::string &text, DeviceFacts &facts, const std::string &name,
               const std::string &value, const module::Family &family) {
  const size_t dot = value.find('.');
  const std::optional<unsigned> major = module::parseNumber(value.substr(0, dot));
  const std::optional<unsigned> minor =
      dot == value.npos ? std::optional<unsigned>(0) : module::parseNumber(value.substr(dot + 1));
  for (module::FactNumber &fact : facts.numbers)
    if (fact.name == name) {
      if (!major || !minor)
        refuse(text, "'" + value + "' is not a number", "write " + name + "=N or N.M");
      if (name == abi::numbers::ptx)
        checkPtx(text, *major, *minor);
      fact.major = *major;
      fact.minor = *minor;
      return;
    }
  std::vector<std::string> names;
  for (const module::NumberWord &number : family.numbers)
    names.push_back(number.name);
  if (family.hasAnyWave)
    names.push_back("subgroup");
  refuse(text, "selection asks " + facts.backend + " devices for no number '" + name + "'",
         names.empty() ? "" : "it asks for " + joined(names));
}

void setFeature(const std::string &text, DeviceFacts &facts, const std::string &word,
                const module::Family &family) {
  const bool isAbsent = word.starts_with("no-");
  const std::string name = isAbsent ? word.substr(3) : word;
  std::vector<std::string> names;
  for (const abi::FeatureWord &feature : family.features)
    names.push_back(feature.word);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    std::string fix = suggestion(name, names);
    refuse(text, "selection asks " + facts.backend + " devices for no feature '" + name + "'",
           !fix.empty() || names.empty() ? fix : "`sextant explain --help` lists the features");
  }
  std::erase(facts.features, name);
  if (!isAbsent)
    facts.features.insert(std::lower_bound(facts.features.begin(), facts.features.end(), name),
                          name);
}

/// In `vulkan`, `vulkan:` and a fact in place of the version, adds the family's version. Parts that
/// do not belong to the target go back to `facts`.
std::string completeTarget(const std::string &head, std::vector<std::string> &facts) {
  for (const module::Family *family : module::families()) {
    if (!family->version)
      continue;
    const std::string name = family->name;
    std::string prefix = name + ":" + family->version;
    if (head == name || head == name + ":")
      return prefix;
    if (head.starts_with(name + "/"))
      return prefix + head.substr(name.size());
    if (!head.starts_with(name + ":"))
      continue;
    const std::string rest = head.substr(name.size() + 1);
    if (rest.front() >= '0' && rest.front() <= '9')
      return head;
    facts.insert(facts.begin(), rest);
    return prefix;
  }
  return head;
}

/// The compute capabilities of NVIDIA's GPUs from Maxwell on, times ten. The loader takes any
/// number that a driver tells it; a name that somebody writes may be wrong.
constexpr unsigned capabilities[] = {50, 52, 53, 60, 61,  62,  70,  72,  75,  80, 86,
                                     87, 88, 89, 90, 100, 101, 103, 110, 120, 121};

constexpr std::string_view vulkanVersions[] = {"1.0", "1.1", "1.2", "1.3", "1.4"};
constexpr std::string_view metalVersions[] = {"1.0", "1.1", "1.2", "2.0", "2.1", "2.2",
                                              "2.3", "2.4", "3.0", "3.1", "3.2", "4.0"};

/// Returns the versions that a backend's name may have, where its architectures are versions.
std::span<const std::string_view> versionsOf(const std::string &backend) {
  if (backend == "vulkan")
    return vulkanVersions;
  return backend == "metal" ? std::span<const std::string_view>(metalVersions)
                            : std::span<const std::string_view>();
}

/// Returns the architectures of a backend.
std::vector<std::string> archsOf(const std::string &backend) {
  std::vector<std::string> names(versionsOf(backend).begin(), versionsOf(backend).end());
  for (const ArchRow &arch : listArchs())
    if (arch.backend == backend && versionsOf(backend).empty())
      names.push_back(arch.arch);
  if (backend == "amdgpu")
    for (const module::AmdProcessor &one : module::amdProcessors())
      names.emplace_back(one.name);
  return names;
}

/// Throws Refusal where an API or a language never had this version.
void checkVersion(const std::string &text, const DeviceFacts &facts) {
  const std::span<const std::string_view> versions = versionsOf(facts.backend);
  if (versions.empty() || std::ranges::find(versions, facts.arch) != versions.end())
    return;
  refuse(text, "there is no version " + facts.arch + " of " + facts.backend,
         "there are " + joined(archsOf(facts.backend)));
}

/// Throws Refusal with the nearest processors if NVIDIA makes none of that name.
void checkProcessor(const std::string &text, const DeviceFacts &facts) {
  const unsigned number = module::parseNumber(facts.arch.substr(facts.arch.find('_') + 1)).value();
  const auto above = std::lower_bound(std::begin(capabilities), std::end(capabilities), number);
  if (above != std::end(capabilities) && *above == number)
    return;
  std::string near;
  if (above != std::begin(capabilities))
    near = "sm_" + std::to_string(above[-1]);
  if (above != std::end(capabilities))
    near += (near.empty() ? "sm_" : " or sm_") + std::to_string(*above);
  refuse(text, "there is no processor '" + facts.arch + "'", "did you mean " + near + "?");
}

/// Says what there is instead of a device that has no such name, or no such waves.
[[noreturn]] void refuseUnknown(const std::string &text, const std::string &head) {
  if (const size_t slash = head.find("/wave"); slash != head.npos)
    if (const std::optional<DeviceFacts> facts = module::factsOf(head.substr(0, slash))) {
      std::vector<std::string> waves;
      for (unsigned wave : facts->waves)
        waves.push_back(std::to_string(wave));
      refuse(text, "'" + head.substr(0, slash) + "' has no waves of '" + head.substr(slash) + "'",
             "its waves have " + joined(waves) + " lanes");
    }
  const size_t colon = head.find(':');
  const std::string backend = head.substr(0, colon);
  std::vector<std::string> names;
  if (colon != head.npos && module::findFamily(backend)) {
    names = archsOf(backend);
    const std::string near = suggestion(head.substr(colon + 1), names);
    refuse(text, "'" + head + "' names no device that is known",
           near.empty() ? backend + " has " + joined(names) : near);
  }
  for (const module::Family *family : module::families()) {
    if (family->version)
      names.push_back(family->name);
    else
      for (std::string &name : archsOf(family->name))
        names.push_back(std::move(name));
  }
  const std::string near = suggestion(head, names);
  refuse(text, "'" + head + "' names no device that is known",
         near.empty() ? "name an architecture: sm_86, gfx1101, gfx90a:xnack+, vulkan:1.2, "
                        "x86-64-v3 (`sextant targets` lists them)"
                      : near);
}

} // namespace

module::DeviceFacts parseNamedDevice(const std::string &text) {
  std::vector<std::string> items = split(text, ',');
  const std::string head = items.front();
  items.erase(items.begin());
  const std::string target = completeTarget(head, items);
  std::optional<DeviceFacts> facts = module::factsOf(target);
  if (!facts) {
    refuseUnknown(text, head);
  }
  const module::Family &family = *module::findFamily(facts->backend);
  if (&family == &module::cudaFamily)
    checkProcessor(text, *facts);
  checkVersion(text, *facts);
  for (const abi::FeatureWord &feature : family.features)
    if (feature.presence == abi::Presence::Usual)
      facts->features.push_back(feature.word);
  facts->numbers.clear();
  for (const module::NumberWord &number : family.numbers)
    facts->numbers.push_back({number.name, number.major, number.minor});
  for (const std::string &item : items) {
    const size_t equals = item.find('=');
    if (item.empty())
      refuse(text, "an empty fact between commas");
    if (family.hasAnyWave && item.starts_with("subgroup="))
      facts->waves = parseSubgroup(text, item.substr(equals + 1));
    else if (equals != item.npos)
      setNumber(text, *facts, item.substr(0, equals), item.substr(equals + 1), family);
    else
      setFeature(text, *facts, item, family);
  }
  return std::move(*facts);
}

} // namespace sextant
