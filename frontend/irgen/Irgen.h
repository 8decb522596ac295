// Turns typed kernels into simt modules.
#pragma once

#include "frontend/hir/Hir.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace sextant {

/// Builds the module of one kernel instance for one wave size. Each task is a func.func named
/// Task::name, whose arguments are Kernel::params in order. The module is verified, simplified and
/// checked for divergent block barriers, and its tests at run time are expanded. Locations are
/// FileLineColLoc of the kernel's source. Loads the dialects that it needs into `context`. Returns
/// null, with errors on the context's diagnostic handler, if the kernel has something that cannot
/// be expressed yet.
/// \param choice the target's
mlir::OwningOpRef<mlir::ModuleOp> generate(const hir::Kernel &kernel, mlir::MLIRContext &context,
                                           const hir::Choice &choice = {});

} // namespace sextant
