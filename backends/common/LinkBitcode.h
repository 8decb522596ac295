// Links functions of a math library that comes as LLVM bitcode.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>
#include <vector>

namespace sextant {

/// Returns the names of the functions with that prefix that `module` declares and does not define.
std::vector<std::string> calledFunctions(const llvm::Module &module, llvm::StringRef prefix);

/// Links `called` and what they need from `bitcode`. All of it becomes internal and loses its own
/// target attributes. Errors call the file `library`.
llvm::Error linkBitcode(llvm::Module &module, llvm::MemoryBufferRef bitcode,
                        llvm::ArrayRef<std::string> called, llvm::StringRef library);

} // namespace sextant
