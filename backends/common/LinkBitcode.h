// Links functions of a math library that comes as LLVM bitcode.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>
#include <vector>

namespace sextant {

/// Names of the functions that `module` declares with that prefix and does not have.
std::vector<std::string> calledFunctions(const llvm::Module &module, llvm::StringRef prefix);

/// Links `called` and what they need from `bitcode`; all of it becomes internal and loses its
/// own target attributes. `library` is what errors call it.
llvm::Error linkBitcode(llvm::Module &module, llvm::MemoryBufferRef bitcode,
                        llvm::ArrayRef<std::string> called, llvm::StringRef library);

} // namespace sextant
