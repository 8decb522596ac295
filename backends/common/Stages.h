// What users may see of one compilation between its steps: --dump-ir and --save-temps.
#pragma once

#include "backends/Backend.h"

#include "llvm/IR/Module.h"

namespace sextant {

struct Stages {
  const Target &target;
  const CompileOptions &options;

  /// Whether what comes out of `pass` is to be printed.
  bool dumps(llvm::StringRef pass) const;
  void dump(llvm::StringRef pass, mlir::ModuleOp module) const;
  void dump(llvm::StringRef pass, const llvm::Module &module) const;

  bool saves() const { return !options.saveTemps.empty(); }
  /// Writes `text` beside the other files of this target, where files are asked for.
  llvm::Error save(const llvm::Twine &suffix, llvm::StringRef text) const;
};

} // namespace sextant
