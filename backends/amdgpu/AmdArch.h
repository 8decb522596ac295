// The processors that the amdgpu backend knows, and clang's target IDs, which say more about a
// processor: `gfx90a:sramecc-:xnack+`.
#pragma once

#include "backends/Backend.h"

namespace sextant {

struct AmdArch {
  Arch arch;
  /// The value of ocml's __oclc_ISA_version: 1000 × major + 100 × minor + stepping.
  unsigned isaVersion;
  bool hasSramecc = false, hasXnack = false; ///< the modifiers that a target ID may have
  bool isGeneric = false;
  /// LLVM's processor, whose code it gets: of the same name, unless LLVM 19 has none of that name.
  const char *llvmName;
  unsigned machine = 0; ///< if so, its number in the flags of an ELF header

  unsigned generation() const { return isaVersion / 1000; }
  /// The lanes that one `ds_bpermute` of a wave of 64 reaches.
  unsigned permuteReach() const { return generation() == 9 ? 64 : 32; }
  bool hasPermlane16() const { return generation() >= 10; }
  bool hasPermlane64() const { return generation() >= 11; }
  bool hasWaveShift() const { return generation() == 9; }    ///< DPP moves by one lane, wave-wide
  bool hasRowBroadcast() const { return generation() == 9; } ///< DPP moves from a row's last lane
  bool hasRowXor() const { return generation() >= 10; }      ///< DPP row_xmask
  /// The processor has double-precision additions, in shared and in global memory.
  bool hasAtomicAddF64() const { return generation() == 9 && isaVersion >= 9010; }
  /// One instruction works on two f32: v_pk_fma_f32 and its like.
  bool hasPackedF32() const { return generation() == 9 && isaVersion >= 9010; }
  /// One instruction shifts an index and adds it to an address: v_lshl_add_u64.
  bool hasShiftAndAdd() const { return generation() == 9 && isaVersion >= 9040; }
  /// The generation of its matrix unit (Backend::matrixUnit).
  llvm::StringRef matrixUnit() const;
  /// Atomic float minima and maxima are minNum and maxNum. Older processors compare, and would keep
  /// a NaN.
  bool hasAtomicMinNum() const { return generation() >= 12; }
};

/// A target's architecture, split into its parts.
struct TargetId {
  const AmdArch *arch = nullptr;
  enum Setting { Any, Off, On } sramecc = Any, xnack = Any;

  std::string str() const; ///< the canonical spelling
  /// The settings and the wave size as LLVM's features: "+xnack,+wavefrontsize32".
  std::string features(unsigned wave) const;
};

llvm::ArrayRef<AmdArch> amdArchs();

/// Returns nothing if `text` names no processor of amdArchs(), and an error if only the part after
/// the name is wrong.
llvm::Expected<std::optional<TargetId>> parseTargetId(llvm::StringRef text);

} // namespace sextant
