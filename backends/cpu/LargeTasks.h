// Tasks of many thousands of instructions, whose time in LLVM's code generator must not grow with
// the square of their length.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sextant::cpu {

/// Changes what LLVM 19 takes quadratic time for, in tasks that are large enough to notice. The
/// code stays the same otherwise. It must run after the optimiser, which would undo it.
void prepareLargeTasks(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace sextant::cpu
