// The architectures that the cuda backend knows, and what LLVM and ptxas call each.
#pragma once

#include "backends/Backend.h"

namespace sextant {

struct CudaArch {
  Arch arch;
  /// LLVM 19's name: sm_90 for everything newer. ptxas then makes the machine code from that PTX.
  std::string llvmCpu;
  /// The oldest PTX version that has the architecture. The older the PTX, the more drivers accept
  /// it.
  std::string llvmPtx;
  unsigned capability;  ///< 10 × major + minor
  unsigned sharedLimit; ///< bytes that a block may have: of PTX, on every GPU that runs it

  bool isVirtual() const { return llvm::StringRef(arch.name).starts_with("compute_"); }
  /// True if code may have the instructions of one processor, and no other runs it: sm_90a (CUDA
  /// Binary Utilities, "architecture-specific features").
  bool isSpecific() const { return llvm::StringRef(arch.name).ends_with("a"); }
  /// The generation of its matrix unit (Backend::matrixUnit).
  llvm::StringRef matrixUnit() const {
    if (isSpecific() && capability == 90)
      return "sm_90a";
    return capability >= 90   ? "sm_90"
           : capability >= 89 ? "sm_89"
           : capability >= 80 ? "sm_80"
                              : "sm_75";
  }
};

llvm::ArrayRef<CudaArch> cudaArchs();
/// Returns null if there is no such architecture.
const CudaArch *findCudaArch(llvm::StringRef name);
/// Bytes that a block may have on every GPU that runs the architecture's code: machine code runs on
/// later ones of its generation too (sm_80 on 8.6, which has less). 0 if there is no such
/// architecture.
unsigned sharedLimitOfAll(llvm::StringRef name);

} // namespace sextant
