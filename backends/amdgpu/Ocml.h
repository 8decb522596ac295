// Links the functions of ROCm's ocml that a module calls.
#pragma once

#include "backends/amdgpu/AmdArch.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace sextant {

/// Returns the bitcode of ocml, read once a process; null if it is missing. $SEXTANT_OCML names the
/// only file to use.
const llvm::MemoryBuffer *ocml();
/// Says for messages where ocml() looked and what to install.
std::string ocmlSearchPlaces();

/// Does nothing if the module calls none of them. Returns an error if it does and ocml is missing.
/// Denormals are kept and square roots rounded correctly, as everywhere else.
llvm::Error linkOcml(llvm::Module &module, const AmdArch &arch, unsigned wave);

} // namespace sextant
