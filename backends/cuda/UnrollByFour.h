// Short loops whose iterations run four a step, as nvcc has them.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace sextant {

/// Has the optimiser run four iterations a step of loops that are one short block of code, and whose
/// count is known when they begin. LLVM for NVIDIA would run fewer.
void unrollByFour(llvm::PassBuilder &passes);

} // namespace sextant
