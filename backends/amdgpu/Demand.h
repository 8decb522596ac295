// The lanes that a shuffle has to serve, derived from its operands and uses. Scans select by
// the lane's number, so a source that no lane uses need not be reached. An index that is a function
// of the lane is a pattern.
#pragma once

#include "frontend/ir/SimtDialect.h"
#include "llvm/ADT/SmallVector.h"

namespace sextant {

/// True if all lanes that use the result of a shuffle up have their source in their own row of 16
/// lanes; false if that is not known.
bool staysInRow(simt::ShuffleOp up, unsigned distance, unsigned wave);

/// Each lane's source, if the index depends only on the lane; otherwise empty.
llvm::SmallVector<unsigned> sourceLanes(simt::ShuffleOp byIndex, unsigned wave);

} // namespace sextant
