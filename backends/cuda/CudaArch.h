// The architectures that the cuda backend knows, and how each is asked for.
#pragma once

#include "backends/Backend.h"

namespace sextant {

struct CudaArch {
  Arch arch;
  /// What LLVM 19 calls it: sm_90 for everything newer, whose machine code
  /// ptxas then makes from that PTX.
  std::string llvmCpu;
  /// The oldest PTX version that has the architecture: the older the PTX, the
  /// more drivers accept it.
  std::string llvmPtx;
  unsigned capability;  ///< 10 × major + minor
  unsigned sharedLimit; ///< bytes that a block may have, of every GPU that runs the code

  bool isVirtual() const { return llvm::StringRef(arch.name).starts_with("compute_"); }
};

llvm::ArrayRef<CudaArch> cudaArchs();
/// Null where there is none of that name.
const CudaArch *findCudaArch(llvm::StringRef name);

} // namespace sextant
