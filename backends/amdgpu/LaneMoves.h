// Moves values between the lanes of a wave, with the cheapest instruction that reaches far enough,
// for every generation and wave size.
//
// A wave consists of rows of 16 lanes. Halves are the 32 lanes that gfx10 and newer work on at
// once. Cheapest first:
//
//   DPP          an operand's modifier: within a row; on gfx9 also by one lane across
//                the wave, and from a row's last lane
//   permlane16   gfx10+: any pattern within rows; permlanex16 between the two of a half
//   permlane64   gfx11+: swaps the halves
//   readlane     one lane to all, through a scalar register
//   ds_swizzle   patterns within 32 lanes, through the shared memory's crossbar
//   ds_bpermute  any lane, likewise; gfx10+ reaches only the own half
//   LDS          gfx10 in waves of 64, between halves: a store and a load
#pragma once

#include "backends/amdgpu/AmdArch.h"
#include "frontend/ir/SimtDialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace sextant {

/// The field of DPP instructions that selects the source lane.
enum DppControl : unsigned {
  DppQuadPerm = 0,       ///< | 2 bits for each lane of four
  DppRowShl = 0x100,     ///< | 1…15: from so many lanes above, in the row
  DppRowShr = 0x110,     ///< | 1…15: from so many lanes below, in the row
  DppRowRor = 0x120,     ///< | 1…15: the same, going around
  DppWaveShl = 0x130,    ///< gfx9: from the next lane
  DppWaveShr = 0x138,    ///< gfx9: from the lane before
  DppRowMirror = 0x140,  ///< lane 15 - i of the row
  DppHalfMirror = 0x141, ///< lane 7 - i of eight
  DppRowBcast15 = 0x142, ///< gfx9: the last lane of the row before
  DppRowBcast31 = 0x143, ///< gfx9: lane 31, into the rows above
  DppRowXmask = 0x160,   ///< gfx10+: | 1…15: lane xor that
};

class LaneMoves {
public:
  LaneMoves(const AmdArch &arch, unsigned wave, bool hasRoom)
      : arch(arch), wave(wave), hasRoom(hasRoom) {}

  /// Emits a shuffle of the dialect, of an i32.
  llvm::Value *shuffle(llvm::IRBuilder<> &b, simt::ShuffleKind kind, llvm::Value *value,
                       llvm::Value *lane) const;
  /// The same for an index that is known: lane i gets lane `sources[i]`. Null if no short way is
  /// known.
  llvm::Value *pattern(llvm::IRBuilder<> &b, llvm::Value *value,
                       llvm::ArrayRef<unsigned> sources) const;
  /// The thread's lane, an i32.
  llvm::Value *lane(llvm::IRBuilder<> &b) const;

  /// The shared memory that moves between the halves of a wave may need (gfx10, 64 lanes).
  static uint64_t stageBytes(unsigned blockDim) { return llvm::alignTo(blockDim, 64) * 4; }
  /// Sets the size of that memory, if `function` needs it.
  static void finish(llvm::Function &function, unsigned blockDim);

  // Single moves of an i32. Lanes without a source get `old`.
  llvm::Value *dpp(llvm::IRBuilder<> &b, llvm::Value *old, llvm::Value *value, unsigned control,
                   unsigned rows = 0xf) const;
  /// The same if every lane has a source. The others get 0.
  llvm::Value *dpp(llvm::IRBuilder<> &b, llvm::Value *value, unsigned control) const;
  /// Lane i of a row gets lane `source(i)` of its row, or of the other row of its half.
  llvm::Value *permlane16(llvm::IRBuilder<> &b, llvm::Value *value,
                          llvm::function_ref<unsigned(unsigned)> source) const;
  llvm::Value *permlanex16(llvm::IRBuilder<> &b, llvm::Value *value,
                           llvm::function_ref<unsigned(unsigned)> source) const;
  llvm::Value *permlane64(llvm::IRBuilder<> &b, llvm::Value *value) const;
  llvm::Value *readlane(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *lane) const;
  llvm::Value *xorBy(llvm::IRBuilder<> &b, llvm::Value *value, unsigned mask) const;
  /// Fetches from the lane before. The wave's first lane gets an arbitrary value.
  llvm::Value *upByOne(llvm::IRBuilder<> &b, llvm::Value *value) const;

private:
  llvm::Value *general(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *lane) const;
  llvm::Value *shift(llvm::IRBuilder<> &b, llvm::Value *value, unsigned distance, bool up) const;
  llvm::Value *shiftRow(llvm::IRBuilder<> &b, llvm::Value *value, unsigned distance, bool up) const;
  llvm::Value *throughShared(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *lane) const;
  llvm::Value *throughScalars(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *lane) const;

  const AmdArch &arch;
  unsigned wave;
  bool hasRoom;
};

} // namespace sextant
