// Workarounds for what LLVM 19's code generators get wrong, or make calls of.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant::cpu {

/// Changes a module for AVX-512 so that it has none of the code that is known to be miscompiled. It
/// must run last before code generation: the optimiser would undo it.
void avoidMiscompiles(llvm::Module &module);

/// Gives functions of halves, which the optimiser makes, floats as operands again: x86's code
/// generator calls C's fminf for the least of two halves. Must run after the optimiser, too.
void widenHalves(llvm::Module &module);

/// Makes NaNs quiet before `minnum` and `maxnum` on aarch64, whose instruction answers a signalling
/// NaN by a NaN, and not by the other operand. Must run after the optimiser, too.
void quietNans(llvm::Module &module);

} // namespace sextant::cpu
