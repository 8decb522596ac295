// libdevice: only what is called, internal, and without its own target attributes.
#include "backends/cuda/Libdevice.h"
#include "backends/cuda/Toolkit.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

Error sextant::linkLibdevice(Module &module) {
  SmallVector<std::string> called;
  for (Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      called.push_back(function.getName().str());
  if (called.empty())
    return Error::success();
  const MemoryBuffer *bitcode = libdevice();
  if (!bitcode)
    return createStringError(inconvertibleErrorCode(),
                             "libdevice, which has " + called.front() + ", was not found");
  Expected<std::unique_ptr<Module>> library =
      getLazyBitcodeModule(bitcode->getMemBufferRef(), module.getContext());
  if (!library)
    return library.takeError();
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  for (const std::string &name : called)
    if (!(*library)->getFunction(name))
      return createStringError(inconvertibleErrorCode(), "libdevice has no " + name);
  // What the library reads through __nvvm_reflect("__CUDA_FTZ").
  module.addModuleFlag(Module::Override, "nvvm-reflect-ftz", uint32_t(0));
  bool failed = Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded,
                                    [](Module &linked, const StringSet<> &names) {
                                      internalizeModule(linked, [&](const GlobalValue &value) {
                                        return !value.hasName() || !names.contains(value.getName());
                                      });
                                    });
  if (failed)
    return createStringError(inconvertibleErrorCode(), "libdevice could not be linked");
  for (Function &function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
  return Error::success();
}
