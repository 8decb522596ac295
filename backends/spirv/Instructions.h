// Instructions in the target's own words (simt.instruction). SPIR-V has no place for such a text:
// each is a call of a function that only sets its results to 0, whose body the backend replaces in
// the text that it makes of SPIR-V (SpirvCode::instructions).
#pragma once

#include "backends/spirv/FunctionCode.h"

namespace sextant::spirv {

/// Writes the functions for the instructions of a task. They come before it.
void declareInstructions(mlir::func::FuncOp task, ModuleCode &module);
void emitInstruction(simt::InstructionOp op, FunctionCode &code);
/// The texts, in the order of the functions' numbers.
std::vector<std::string> textsOf(const ModuleCode &module);

} // namespace sextant::spirv
