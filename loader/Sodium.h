// libsodium, which checks signatures. The loader finds it when a key is first given, as it finds
// drivers. With SEXTANT_LINK_SODIUM it is linked instead.
#pragma once

#include "loader/Error.h"
#include "loader/format/Trust.h"

namespace sextant::loader {

/// Returns libsodium's functions, which stay valid for good. SXT_ERROR_UNTRUSTED: libsodium is not
/// available.
sxt_status sodium(const module::Crypto *&crypto);

} // namespace sextant::loader
