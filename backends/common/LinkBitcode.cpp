// Links only the functions that are called, makes them internal, and drops their target attributes.
#include "backends/common/LinkBitcode.h"
#include "backends/Errors.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

std::vector<std::string> sextant::calledFunctions(const Module &module, StringRef prefix) {
  std::vector<std::string> called;
  for (const Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with(prefix))
      called.push_back(function.getName().str());
  return called;
}

Error sextant::linkBitcode(Module &module, MemoryBufferRef bitcode, ArrayRef<std::string> called,
                           StringRef library) {
  Expected<std::unique_ptr<Module>> source = getLazyBitcodeModule(bitcode, module.getContext());
  if (!source)
    return source.takeError();
  (*source)->setTargetTriple(module.getTargetTriple());
  (*source)->setDataLayout(module.getDataLayout());
  for (const std::string &name : called)
    if (!(*source)->getFunction(name))
      return fail(library + " has no " + name);
  bool failed = Linker::linkModules(module, std::move(*source), Linker::LinkOnlyNeeded,
                                    [](Module &linked, const StringSet<> &names) {
                                      internalizeModule(linked, [&](const GlobalValue &value) {
                                        return !value.hasName() || !names.contains(value.getName());
                                      });
                                    });
  if (failed)
    return fail(library + " could not be linked");
  for (Function &function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
  return Error::success();
}
