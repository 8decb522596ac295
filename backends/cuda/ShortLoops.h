// Short loops, several iterations a step, as nvcc has them.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace sextant {

/// Has the optimiser unroll loops that are one short block of code, and whose count is known when
/// they begin: the whole loop if it stays short, or else four iterations, where LLVM for NVIDIA
/// would take fewer.
void unrollShortLoops(llvm::PassBuilder &passes);

} // namespace sextant
