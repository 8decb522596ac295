// The compiler's version, as `--version` and every module carry it.
#pragma once

namespace sextant {

inline const char *compilerVersion() { return SEXTANT_VERSION; }

} // namespace sextant
