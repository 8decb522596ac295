// From typed kernels to simt modules.
#pragma once

#include "frontend/hir/Hir.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace sextant {

/// Builds the module of one kernel instance for one wave size: a func.func a
/// task, named Task::name, whose arguments are Kernel::params in order. The
/// module is verified, simplified, and checked for divergent block barriers; what it tests at run
/// time is expanded. Loads the dialects
/// that it needs into `context`. Locations are FileLineColLoc of the kernel's source. Returns null,
/// with errors on the context's diagnostic handler, where the kernel has something that cannot be
/// expressed yet.
mlir::OwningOpRef<mlir::ModuleOp> generate(const hir::Kernel &kernel, mlir::MLIRContext &context);

} // namespace sextant
