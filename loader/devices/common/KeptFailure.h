// A failure that a stream finds after the call that caused it: kept until a later call can report
// it, once.
#pragma once

#include "loader/Error.h"

#include <optional>
#include <string>
#include <utility>

namespace sextant::loader {

class KeptFailure {
public:
  explicit operator bool() const { return kept.has_value(); }

  /// \param text the reason; if there is no memory for it, the failure is told without
  void keep(sxt_status status, const char *text) {
    kept.emplace(status, std::string());
    (void)guarded([&] {
      kept->second = text;
      return SXT_OK;
    });
  }

  /// Reports the failure, if one is kept, as "`what`: its reason".
  sxt_status tell(const char *what) {
    if (!kept)
      return SXT_OK;
    const auto [status, text] = *std::exchange(kept, std::nullopt);
    return fail(status, "%s: %s", what, text.c_str());
  }

private:
  std::optional<std::pair<sxt_status, std::string>> kept;
};

} // namespace sextant::loader
