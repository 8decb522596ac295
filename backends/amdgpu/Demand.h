// What shuffles need to do, from what their operands and uses say of lanes: scans select by the
// lane's number, and a source that no lane wants need not be reached; an index that is a
// function of the lane is a pattern.
#pragma once

#include "frontend/ir/SimtDialect.h"
#include "llvm/ADT/SmallVector.h"

namespace sextant {

/// Whether all lanes that use the result of a shuffle up have their source in their own row
/// of 16 lanes. False where it is not known.
bool staysInRow(simt::ShuffleOp up, unsigned distance, unsigned wave);

/// Each lane's source, where the index depends on the lane alone; empty where it does not.
llvm::SmallVector<unsigned> sourceLanes(simt::ShuffleOp byIndex, unsigned wave);

} // namespace sextant
