// One row for each architecture, least capable first.
#include "backends/cuda/CudaArch.h"

#include <algorithm>

using namespace sextant;

static const CudaArch table[] = {
    {{"sm_75", {32}, "Turing: T4, RTX 20", true}, "sm_75", "ptx63", 75, 64 * 1024},
    {{"sm_80", {32}, "Ampere: A100", true}, "sm_80", "ptx70", 80, 163 * 1024},
    {{"sm_86", {32}, "Ampere: A40, RTX 30", false}, "sm_86", "ptx71", 86, 99 * 1024},
    {{"sm_87", {32}, "Ampere: Jetson Orin", false}, "sm_87", "ptx74", 87, 163 * 1024},
    {{"sm_89", {32}, "Ada: L4, L40, RTX 40", false}, "sm_89", "ptx78", 89, 99 * 1024},
    {{"sm_90", {32}, "Hopper: H100, H200", true}, "sm_90", "ptx78", 90, 227 * 1024},
    {{"sm_90a", {32}, "only Hopper: H100, H200", false}, "sm_90a", "ptx80", 90, 227 * 1024},
    {{"sm_100", {32}, "Blackwell: B100, B200", true}, "sm_90", "ptx78", 100, 227 * 1024},
    {{"sm_100a", {32}, "only Blackwell: B100, B200", false}, "sm_90", "ptx78", 100, 227 * 1024},
    {{"sm_103", {32}, "Blackwell: B300", false}, "sm_90", "ptx78", 103, 227 * 1024},
    {{"sm_103a", {32}, "only Blackwell: B300", false}, "sm_90", "ptx78", 103, 227 * 1024},
    {{"sm_110", {32}, "Blackwell: Jetson Thor", false}, "sm_90", "ptx78", 110, 227 * 1024},
    {{"sm_120", {32}, "Blackwell: RTX 50", true}, "sm_90", "ptx78", 120, 99 * 1024},
    {{"sm_120a", {32}, "only Blackwell: RTX 50", false}, "sm_90", "ptx78", 120, 99 * 1024},
    {{"sm_121", {32}, "Blackwell: GB10", false}, "sm_90", "ptx78", 121, 99 * 1024},
    {{"compute_75", {32}, "PTX for sm_75 and newer", false}, "sm_75", "ptx63", 75, 64 * 1024},
    {{"compute_80", {32}, "PTX for sm_80 and newer", false}, "sm_80", "ptx70", 80, 99 * 1024},
    {{"compute_90", {32}, "PTX for sm_90 and newer", true}, "sm_90", "ptx78", 90, 99 * 1024},
};

llvm::ArrayRef<CudaArch> sextant::cudaArchs() { return table; }

const CudaArch *sextant::findCudaArch(llvm::StringRef name) {
  for (const CudaArch &arch : table)
    if (arch.arch.name == name)
      return &arch;
  return nullptr;
}

unsigned sextant::sharedLimitOfAll(llvm::StringRef name) {
  const CudaArch *arch = findCudaArch(name);
  unsigned least = arch ? arch->sharedLimit : 0;
  for (const CudaArch &later : table)
    if (arch && !arch->isVirtual() && !arch->isSpecific() && !later.isVirtual() &&
        later.capability > arch->capability && later.capability / 10 == arch->capability / 10)
      least = std::min(least, later.sharedLimit);
  return least;
}
