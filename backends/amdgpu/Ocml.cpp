// Links ocml, and defines the constants that it reads. ocml has these constants only for processors
// that were known when it was built.
#include "backends/amdgpu/Ocml.h"
#include "backends/Errors.h"
#include "backends/common/LinkBitcode.h"
#include "backends/common/Variables.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sextant;

const MemoryBuffer *sextant::ocml() {
  static const std::unique_ptr<MemoryBuffer> contents = [] {
    if (std::optional<std::string> chosen = environmentVariable("SEXTANT_OCML"))
      return readToolFile(*chosen);
    std::vector<std::string> roots;
    if (std::optional<std::string> root = environmentVariable("ROCM_PATH"))
      roots.push_back(*root);
    // The files that a wheel of the command brings.
    const std::string program = sys::fs::getMainExecutable(nullptr, nullptr);
    roots.push_back((sys::path::parent_path(program) + "/../share/sextant").str());
    roots.insert(roots.end(), {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                               "/opt/rocm", "/usr/lib", "/usr"});
    for (const std::string &root : roots)
      if (std::unique_ptr<MemoryBuffer> file = readToolFile(root + "/amdgcn/bitcode/ocml.bc"))
        return file;
    return std::unique_ptr<MemoryBuffer>();
  }();
  return contents.get();
}

std::string sextant::ocmlSearchPlaces() {
  if (std::string problem = chosenInVain("SEXTANT_OCML", "read"); !problem.empty())
    return "amdgcn/bitcode/ocml.bc; " + problem;
  return "amdgcn/bitcode/ocml.bc, which was not found in $ROCM_PATH, /usr/lib or /opt/rocm; "
         "install the package rocm-device-libs, or set SEXTANT_OCML to the file";
}

static void defineConstant(Module &module, StringRef name, ConstantInt *value) {
  GlobalVariable *variable = module.getGlobalVariable(name);
  if (!variable)
    return;
  variable->setInitializer(value);
  variable->setLinkage(GlobalValue::InternalLinkage);
}

Error sextant::linkOcml(Module &module, const AmdArch &arch, unsigned wave) {
  std::vector<std::string> called = calledFunctions(module, "__ocml_");
  if (called.empty())
    return Error::success();
  const MemoryBuffer *bitcode = ocml();
  if (!bitcode)
    return fail(called.front() + " needs " + ocmlSearchPlaces());
  if (Error error = linkBitcode(module, bitcode->getMemBufferRef(), called, "ocml"))
    return error;
  IntegerType *byte = Type::getInt8Ty(module.getContext());
  IntegerType *word = Type::getInt32Ty(module.getContext());
  defineConstant(module, "__oclc_ISA_version", ConstantInt::get(word, arch.isaVersion));
  defineConstant(module, "__oclc_wavefrontsize64", ConstantInt::get(byte, wave == 64));
  defineConstant(module, "__oclc_correctly_rounded_sqrt32", ConstantInt::get(byte, 1));
  for (const char *off : {"__oclc_daz_opt", "__oclc_finite_only_opt", "__oclc_unsafe_math_opt"})
    defineConstant(module, off, ConstantInt::get(byte, 0));
  for (const GlobalVariable &variable : module.globals())
    if (variable.isDeclaration() && variable.getName().starts_with("__oclc_"))
      return fail("ocml needs a constant that is not known here: " + variable.getName());
  return Error::success();
}
