#include "driver/commands/LoaderLog.h"

#include "driver/commands/Messages.h"
#include "sextant/sextant.h"

#include <algorithm>
#include <string_view>

namespace sextant {

LoaderLog::LoaderLog(const Environment &environment) {
  const std::string wanted =
      environment.variable ? environment.variable("SEXTANT_LOG").value_or("") : std::string();
  if (!environment.messages.json || wanted.empty())
    return;
  static constexpr std::string_view names[] = {"off", "error", "warning", "info", "debug"};
  auto level = std::ranges::find(names, wanted) - std::begin(names);
  if (wanted.size() == 1 && wanted[0] >= '0' && wanted[0] <= '4')
    level = wanted[0] - '0';
  if (level == std::size(names)) {
    sayNote(environment, "SEXTANT_LOG=" + wanted + ": expected off, error, warning, info or debug");
    level = SXT_LOG_WARNING;
  }
  isOurs = true;
  sxt_log_set_callback(
      [](sxt_log_level, const char *message, void *user) {
        sayNote(*static_cast<const Environment *>(user), message);
      },
      const_cast<Environment *>(&environment), static_cast<sxt_log_level>(level));
}

LoaderLog::~LoaderLog() {
  if (isOurs)
    sxt_log_set_callback([](sxt_log_level, const char *, void *) {}, nullptr, SXT_LOG_OFF);
}

} // namespace sextant
