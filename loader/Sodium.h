// libsodium, which checks signatures: found when a key is first given, as drivers are, or
// linked in where the build says so (SEXTANT_LINK_SODIUM).
#pragma once

#include "loader/Error.h"
#include "loader/format/Trust.h"

namespace sextant::loader {

/// Its functions; they stay for good. SXT_ERROR_UNTRUSTED: it is not to be had.
sxt_status sodium(const module::Crypto *&crypto);

} // namespace sextant::loader
