// Turns tasks of the simt dialect into LLVM IR with one thread a lane, as GPUs run them.
#pragma once

#include "backends/common/ThreadTarget.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace sextant {

/// Makes one function for each task, with the task's name and parameters (buffers as pointers,
/// booleans as bytes). Null after an error on an op's location.
std::unique_ptr<llvm::Module> emitThreads(mlir::ModuleOp module, llvm::LLVMContext &context,
                                          const ThreadTarget &target,
                                          const llvm::TargetMachine &machine, bool lineInfo);

/// The name of the math library's function that `op` becomes ("sin", "pow", …); empty if it needs
/// none.
llvm::StringRef mathLibraryName(mlir::Operation &op);

} // namespace sextant
