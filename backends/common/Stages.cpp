// Printing and saving what lies between the steps of a compilation.
#include "backends/common/Stages.h"
#include "backends/common/Codegen.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sextant;

bool Stages::dumps(StringRef pass) const {
  return options.dumpStream && (is_contained(options.dumpIr, pass.str()) ||
                                is_contained(options.dumpIr, std::string("all")));
}

void Stages::dump(StringRef pass, mlir::ModuleOp module) const {
  if (!dumps(pass))
    return;
  *options.dumpStream << "// " << target.str() << " after " << pass << "\n";
  module.print(*options.dumpStream);
  *options.dumpStream << "\n";
}

void Stages::dump(StringRef pass, const Module &module) const {
  if (dumps(pass))
    *options.dumpStream << "; " << target.str() << " after " << pass << "\n" << printModule(module);
}

Error Stages::save(const Twine &suffix, StringRef text) const {
  if (!saves())
    return Error::success();
  // Variants of one job share the prefix.
  std::string path = options.saveTemps;
  for (const std::string &feature : target.features)
    path += "+" + feature;
  return writeTemp(path + suffix.str(), text);
}
