// The compiler's version. `--version` prints it, and every module carries it.
#pragma once

namespace sextant {

inline const char *compilerVersion() { return SEXTANT_VERSION; }

} // namespace sextant
