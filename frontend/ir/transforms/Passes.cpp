// The table of named transforms.
#include "frontend/ir/transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

using namespace sextant::simt;

static constexpr NamedPass passes[] = {
    {"simplify", "fold, canonicalise, merge common subexpressions",
     [](mlir::ModuleOp module, llvm::StringRef) { return simplify(module); }},
};

llvm::ArrayRef<NamedPass> sextant::simt::allPasses() { return passes; }

const NamedPass *sextant::simt::findPass(llvm::StringRef name) {
  const NamedPass *found =
      llvm::find_if(passes, [&](const NamedPass &pass) { return pass.name == name; });
  return found == std::end(passes) ? nullptr : found;
}
