// Links the functions of ROCm's ocml that a module calls.
#pragma once

#include "backends/amdgpu/AmdArch.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace sextant {

/// The bitcode of ocml, read once a process; null where there is none.
/// $SEXTANT_OCML names the only file to use.
const llvm::MemoryBuffer *ocml();
/// Where that looked, and what to install, for messages.
std::string ocmlSearchPlaces();

/// Does nothing where the module calls none of them; an error where it does and there is
/// no ocml. Denormals are kept and square roots rounded correctly, as everywhere else.
llvm::Error linkOcml(llvm::Module &module, const AmdArch &arch, unsigned wave);

} // namespace sextant
