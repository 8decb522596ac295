// Which lanes look at what a shuffle yields: scans select by the lane's number, and a source
// that no lane wants need not be reached.
#pragma once

#include "frontend/ir/SimtDialect.h"

namespace sextant {

/// Whether all lanes that use the result of a shuffle up have their source in their own row
/// of 16 lanes. False where it is not known.
bool staysInRow(simt::ShuffleOp up, unsigned distance, unsigned wave);

} // namespace sextant
