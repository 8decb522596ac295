#include "loader/devices/common/Patience.h"
#include "loader/Error.h"
#include "loader/system/Environment.h"

#include <algorithm>
#include <cstdlib>

namespace sextant::loader {

Patience::Clock::duration Patience::limit() {
  const char *text = system::environment("SEXTANT_WAIT_LIMIT");
  if (!text)
    return {};
  constexpr double most = 1e9; // seconds, which the clock can count
  char *end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end == '\0' && seconds > 0 && seconds <= most)
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  log(SXT_LOG_WARNING, "SEXTANT_WAIT_LIMIT=%s is ignored: expected seconds, more than 0", text);
  return {};
}

bool Patience::isOver() const { return isLimited() && Clock::now() - begin >= limit(); }

bool Patience::shouldAsk() {
  const Clock::duration waited = Clock::now() - begin;
  if (waited < next)
    return false;
  next = waited + std::min<Clock::duration>(waited, std::chrono::minutes(1));
  return true;
}

} // namespace sextant::loader
