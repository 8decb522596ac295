// LLVM steps that every LLVM-based backend takes: a target machine, the
// optimiser, object or assembly emission.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace sextant {

struct MachineOptions {
  std::string triple, cpu, features; ///< as llc takes them
  unsigned optLevel = 3;
  bool positionIndependent = false;
};

/// A machine for one of the targets that LLVM was built with. Makes the target
/// known to LLVM at its first use; thread-safe.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const MachineOptions &options);

/// LLVM's analyses, as its passes and getResult() want them: all registered, and known to
/// each other.
struct Analyses {
  explicit Analyses(llvm::PassBuilder &passes);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
};

/// Runs LLVM's default pipeline for `optLevel` 0 to 3. `vectorize` turns its
/// loop and SLP vectorisers on.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel,
              bool vectorize = false);

/// A fact that the code generator tells about the resources of a kernel.
struct CodegenRemark {
  llvm::StringRef function, key, value;
};

/// Machine code or assembly of a module. The text of an error that LLVM's code
/// generator reports through the module's context is returned as an error.
/// `remark`, where given, gets what AMDGPU calls "kernel-resource-usage".
llvm::Expected<llvm::SmallVector<char, 0>>
emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
         llvm::function_ref<void(const CodegenRemark &)> remark = nullptr);

/// Writes `text` to `path` (for --save-temps).
llvm::Error writeTemp(const std::string &path, llvm::StringRef text);
/// The module's text, for --save-temps and --dump-ir.
std::string printModule(const llvm::Module &module);

} // namespace sextant
