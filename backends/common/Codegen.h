// The LLVM steps of every backend that uses LLVM: a target machine, the optimiser, object or
// assembly emission.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace sextant {

struct MachineOptions {
  std::string triple, cpu, features; ///< as llc takes them
  unsigned optLevel = 3;
  bool positionIndependent = false;
};

/// Creates a machine for one of the targets that LLVM was built with. The first use registers the
/// target; thread-safe.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const MachineOptions &options);

/// LLVM's analyses, in the form that its passes and getResult() need: all registered, and known to
/// each other.
struct Analyses {
  explicit Analyses(llvm::PassBuilder &passes);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
};

/// LLVM's vectorisers: of loops, and of straight code (SLP).
struct Vectorizers {
  bool loops = false, slp = false;
};

/// Runs LLVM's default pipeline for `optLevel` 0 to 3, with these vectorisers; with the one of
/// straight code only if all functions are small. `extend`, if given, adds passes to it.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel,
              Vectorizers vectorizers = {},
              llvm::function_ref<void(llvm::PassBuilder &)> extend = nullptr);

/// Marks the branch back of a loop with what its `simt.unroll` asks for.
void hintUnroll(llvm::Instruction *back, unsigned unroll);

/// A fact that the code generator reports about the resources of a kernel.
struct CodegenRemark {
  llvm::StringRef function, key, value;
};

/// A function whose frame is larger than its attribute "warn-stack-size" allows.
struct LargeFrame {
  std::string function;
  uint64_t bytes;
};

/// Emits machine code or assembly of a module. If LLVM's code generator reports an error through
/// the module's context, its text is returned as an error. `remark`, if given, gets what AMDGPU
/// calls "kernel-resource-usage", and `frames` those that are too large.
llvm::Expected<llvm::SmallVector<char, 0>>
emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
         llvm::function_ref<void(const CodegenRemark &)> remark = nullptr,
         std::vector<LargeFrame> *frames = nullptr);

/// Writes `text` to `path` (for --save-temps).
llvm::Error writeTemp(const std::string &path, llvm::StringRef text);
/// Returns the module's text, for --save-temps and --dump-ir.
std::string printModule(const llvm::Module &module);

} // namespace sextant
