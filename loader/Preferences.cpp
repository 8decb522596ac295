// Files of preferences: which variant runs if several could. They only choose among those, so a
// stale or damaged file costs speed at worst.
#include "loader/Program.h"
#include "loader/system/File.h"

namespace sextant::loader {
namespace {

constexpr size_t mostBytes = size_t(1) << 20;

/// Returns the file's text. If it cannot be read, logs that and returns "".
std::string readAll(const char *path) {
  system::File file;
  std::string text(mostBytes + 1, '\0'), why = file.open(path);
  size_t got = 0;
  if (why.empty())
    why = file.read(0, std::as_writable_bytes(std::span(text)), got);
  text.resize(got);
  if (!why.empty())
    log(SXT_LOG_WARNING, "preferences %s are not read: %s", path, why.c_str());
  if (text.size() > mostBytes) {
    log(SXT_LOG_WARNING, "preferences %s are not read: the file is larger than %zu bytes", path,
        mostBytes);
    text.clear();
  }
  return text;
}

} // namespace

std::vector<Preference> readPreferences(const char *path, const module::DeviceFacts &device) {
  std::vector<Preference> preferences;
  const std::string text = readAll(path), here = device.backend + ":" + device.arch;
  unsigned number = 0, wrong = 0, firstWrong = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++number;
    line = line.substr(0, line.find('#'));
    std::string_view kernel = module::nextWord(line), on = module::nextWord(line),
                     target = module::nextWord(line);
    if (kernel.empty())
      continue;
    if (target.empty() || !module::nextWord(line).empty()) {
      if (!wrong++)
        firstWrong = number;
    } else if (on == here) {
      preferences.push_back({std::string(kernel), std::string(target)});
    }
  }
  if (wrong)
    log(SXT_LOG_WARNING,
        "preferences %s: line %u is not 'KERNEL DEVICE TARGET' (nor are %u others): left out", path,
        firstWrong, wrong - 1);
  return preferences;
}

} // namespace sextant::loader
