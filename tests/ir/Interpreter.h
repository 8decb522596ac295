// Runs one thread of a generated task on the host, by folding: slow, and
// independent of every backend.
#pragma once

#include "frontend/ir/SimtDialect.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

/// Memory of one global buffer: a constant attribute an element.
using HostBuffer = std::vector<mlir::Attribute>;

/// Constants for parameters: of buffers the index into `buffers`, else a value.
struct HostArguments {
  std::vector<HostBuffer> buffers;
  std::vector<mlir::Attribute> values; ///< one a parameter; null for buffers
};

/// Runs `task` in thread 0 of block 0. False where an op has no defined value, an index is
/// out of bounds, or more than a million ops have run.
bool interpret(mlir::func::FuncOp task, HostArguments &arguments);
