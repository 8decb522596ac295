// Options win over variables. Sizes are written as people write them.
#include "driver/commands/CacheSettings.h"

#include <cctype>
#include <charconv>
#include <cstdio>

namespace sextant {

void addCacheOptions(CLI::App &command, CacheOptionsText &options) {
  command.add_option(
      "--cache-dir", options.folder,
      "images of earlier runs are taken from this folder; default: $SEXTANT_CACHE_DIR, "
      "without which there is no cache");
  command.add_option(
      "--cache-size", options.limit,
      "what it may hold, as 500M or 2G; 0: anything; default: $SEXTANT_CACHE_SIZE, or 2G");
  command.add_flag("--no-cache", options.isOff, "no cache, whatever SEXTANT_CACHE_DIR says");
}

uint64_t parseByteSize(const std::string &text, const std::string &where) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(end, text.data() + text.size());
  for (char &letter : unit)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  unsigned shift = 0;
  bool good = error == std::errc();
  if (!unit.empty()) {
    size_t power = std::string("KMGT").find(unit[0]);
    std::string rest = unit.substr(1);
    good &= power != std::string::npos && (rest.empty() || rest == "B" || rest == "IB");
    shift = good ? 10 * (static_cast<unsigned>(power) + 1) : 0;
    good &= value <= (UINT64_MAX >> shift);
  }
  if (!good)
    throw Refusal(where + ": '" + text + "' is no size", "write bytes, or as 64K, 500M, 2G");
  return value << shift;
}

std::string formatByteSize(uint64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit < 3; ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
  return text;
}

CacheSettings cacheSettings(const CacheOptionsText &options, const Environment &environment) {
  auto variable = [&](const char *name) {
    return environment.variable ? environment.variable(name).value_or("") : "";
  };
  CacheSettings settings;
  std::string folder = options.folder.empty() ? variable("SEXTANT_CACHE_DIR") : options.folder;
  if (!options.isOff && !folder.empty())
    settings.folder = resolvePath(environment, folder);
  std::string fromVariable = variable("SEXTANT_CACHE_SIZE");
  if (!options.limit.empty())
    settings.limit = parseByteSize(options.limit, "--cache-size");
  else if (!fromVariable.empty())
    settings.limit = parseByteSize(fromVariable, "SEXTANT_CACHE_SIZE");
  else
    settings.limit = uint64_t(2) << 30;
  return settings;
}

} // namespace sextant
