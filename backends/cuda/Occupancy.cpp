// The numbers are those of the CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability"; the rounding is that of the toolkit's occupancy calculator.
#include "backends/cuda/Occupancy.h"

#include <algorithm>
#include <iterator>
#include <llvm/Support/MathExtras.h>

using namespace sextant;

namespace {

struct Multiprocessor {
  unsigned capability;
  unsigned warps, blocks; ///< at most resident
  unsigned sharedKiB;     ///< for all resident blocks
};

constexpr Multiprocessor table[] = {
    {75, 32, 16, 64},   {80, 64, 32, 164},  {86, 48, 16, 100},  {87, 48, 16, 164},
    {89, 48, 24, 100},  {90, 64, 32, 228},  {100, 64, 32, 228}, {103, 64, 32, 228},
    {110, 48, 24, 228}, {120, 48, 24, 100}, {121, 48, 24, 100},
};

constexpr unsigned partitions = 4, registers = 64 * 1024, registerUnit = 256, warpSize = 32;

} // namespace

int sextant::residentWarps(unsigned capability, const BlockNeeds &block) {
  const auto *sm = std::find_if(std::begin(table), std::end(table), [&](const Multiprocessor &row) {
    return row.capability == capability;
  });
  if (sm == std::end(table) || block.registers < 0 || block.sharedBytes < 0 || block.threads == 0)
    return -1;
  const unsigned warps = llvm::divideCeil(block.threads, warpSize);
  unsigned blocks = std::min(sm->blocks, sm->warps / warps);
  // Each partition has its share of the registers, and gives them to a warp by the unit.
  if (block.registers > 0) {
    const unsigned perWarp = llvm::alignTo(unsigned(block.registers) * warpSize, registerUnit);
    blocks = std::min(blocks, registers / partitions / perWarp * partitions / warps);
  }
  // From 8.0 on the system takes 1 KiB of each block's shared memory.
  const bool isAmpere = capability >= 80;
  const unsigned shared =
      llvm::alignTo(unsigned(block.sharedBytes) + (isAmpere ? 1024 : 0), isAmpere ? 128 : 256);
  if (shared > 0)
    blocks = std::min(blocks, sm->sharedKiB * 1024 / shared);
  return int(blocks * warps);
}
