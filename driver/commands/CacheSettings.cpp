// Options win over variables. Sizes are written as people write them.
#include "driver/commands/CacheSettings.h"

#include "frontend/spelling/Texts.h"

#include <charconv>
#include <cstdio>
#include <functional>

namespace sextant {

void addCacheOptions(CLI::App &command, CacheOptionsText &options) {
  command.add_option(
      "--cache-dir", options.folder,
      "images of earlier runs are taken from this folder; default: $SEXTANT_CACHE_DIR, "
      "without which there is no cache");
  command.add_option(
      "--cache-size", options.limit,
      "what it may hold, as 500M or 2G; 0: anything; default: $SEXTANT_CACHE_SIZE, or 2G");
  command.add_option("--cache-remote", options.remote,
                     "URL of a cache that machines share, asked after the folder; "
                     "default: $SEXTANT_CACHE_REMOTE; if unset, no remote cache");
  command.add_flag("--no-cache", options.isOff, "no cache, whatever SEXTANT_CACHE_DIR says");
}

uint64_t parseByteSize(const std::string &text, const std::string &where) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit = upper({end, text.data() + text.size()});
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
    throw Refusal(Problem::CacheSettingWrong, where + ": '" + text + "' is not a size",
                  "write bytes, or as 64K, 500M, 2G");
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

namespace {

using Variables = std::function<std::string(const char *)>;

/// Reads a file that only this team knows. What is in it does not matter.
std::string secretOf(const Environment &environment, const std::string &path) {
  if (path.empty())
    return {};
  const std::string bytes = readFile(environment, path);
  if (bytes.size() < 16)
    throw Refusal(Problem::CacheSettingWrong,
                  "SEXTANT_CACHE_REMOTE_SECRET: '" + path + "' has " +
                      std::to_string(bytes.size()) + " bytes, which can be guessed",
                  "make one: head -c 32 /dev/urandom > " + path);
  std::string digits;
  for (const char letter : bytes) {
    constexpr std::string_view hex = "0123456789abcdef";
    digits += hex[static_cast<unsigned char>(letter) >> 4];
    digits += hex[static_cast<unsigned char>(letter) & 15];
  }
  return digits;
}

/// Returns the CA file's path. Checks it first, because libcurl reports a bad CA file as an
/// untrusted server.
std::string authoritiesOf(const Environment &environment, const std::string &path) {
  if (readFile(environment, path).find("-----BEGIN ") == std::string::npos)
    throw Refusal(Problem::CacheSettingWrong,
                  "SEXTANT_CACHE_REMOTE_CA: '" + path + "' has no certificate in PEM form",
                  "name the file of the authority that signed the server's certificate");
  return resolvePath(environment, path);
}

std::chrono::milliseconds parseWait(const std::string &text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0) ||
      seconds > 86400)
    throw Refusal(Problem::CacheSettingWrong,
                  "SEXTANT_CACHE_REMOTE_WAIT: '" + text + "' is not a time",
                  "write seconds, as 5 or 0.5");
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

RemoteSettings remoteSettings(const std::string &url, const Environment &environment,
                              const Variables &variable) {
  RemoteSettings settings;
  if (url.empty())
    return settings;
  const size_t end = url.find_last_not_of('/');
  settings.url = url.substr(0, end + 1);
  const bool isHttp = url.starts_with("http://") || url.starts_with("https://");
  if (!isHttp || url.find_first_of(" \t\r\n?#") != std::string::npos)
    throw Refusal(Problem::CacheSettingWrong,
                  "the remote cache has to be the URL of a folder, http:// or https://",
                  "as https://cache.example.com/sextant");
  settings.header = variable("SEXTANT_CACHE_REMOTE_HEADER");
  if (!settings.header.empty() && (settings.header.find(':') == std::string::npos ||
                                   settings.header.find_first_of("\r\n") != std::string::npos))
    throw Refusal(Problem::CacheSettingWrong,
                  "SEXTANT_CACHE_REMOTE_HEADER is not a line `NAME: VALUE`",
                  "as `Authorization: Bearer …`");
  if (const std::string file = variable("SEXTANT_CACHE_REMOTE_CA"); !file.empty())
    settings.authorities = authoritiesOf(environment, file);
  settings.isReadOnly = !variable("SEXTANT_CACHE_REMOTE_READONLY").empty() &&
                        variable("SEXTANT_CACHE_REMOTE_READONLY") != "0";
  if (const std::string wait = variable("SEXTANT_CACHE_REMOTE_WAIT"); !wait.empty())
    settings.wait = parseWait(wait);
  return settings;
}

} // namespace

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
  const std::string remote =
      options.remote.empty() ? variable("SEXTANT_CACHE_REMOTE") : options.remote;
  if (!options.isOff && !remote.empty() && settings.folder.empty())
    throw Refusal(Problem::CacheFolderMissing,
                  "a remote cache needs a folder too, and none is named",
                  "set SEXTANT_CACHE_DIR, or say --cache-dir FOLDER");
  if (!options.isOff)
    settings.remote = remoteSettings(remote, environment, variable);
  if (!settings.folder.empty())
    settings.secret = secretOf(environment, variable("SEXTANT_CACHE_REMOTE_SECRET"));
  return settings;
}

} // namespace sextant
