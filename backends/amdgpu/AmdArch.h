// The processors that the amdgpu backend knows, and clang's target IDs, which say
// more about one: `gfx90a:sramecc-:xnack+`.
#pragma once

#include "backends/Backend.h"

namespace sextant {

struct AmdArch {
  Arch arch; ///< its name is LLVM's processor
  /// What ocml's __oclc_ISA_version is: 1000 × major + 100 × minor + stepping.
  unsigned isaVersion;
  bool hasSramecc = false, hasXnack = false; ///< the modifiers that a target ID may have
  bool isGeneric = false;

  unsigned generation() const { return isaVersion / 1000; }
  /// Lanes that one `ds_bpermute` of a wave of 64 reaches.
  unsigned permuteReach() const { return generation() == 9 ? 64 : 32; }
  bool hasPermlane16() const { return generation() >= 10; }
  bool hasPermlane64() const { return generation() >= 11; }
  bool hasWaveShift() const { return generation() == 9; }    ///< DPP moves by one lane, wave-wide
  bool hasRowBroadcast() const { return generation() == 9; } ///< DPP moves from a row's last lane
  bool hasRowXor() const { return generation() >= 10; }      ///< DPP row_xmask
  /// Double-precision additions, in shared and in global memory.
  bool hasAtomicAddF64() const { return generation() == 9 && isaVersion >= 9010; }
  /// Float minimum and maximum atomics are minNum and maxNum. Older ones compare, and
  /// would keep a NaN.
  bool hasAtomicMinNum() const { return generation() >= 12; }
};

/// A target's architecture, taken apart.
struct TargetId {
  const AmdArch *arch = nullptr;
  enum Setting { Any, Off, On } sramecc = Any, xnack = Any;

  std::string str() const; ///< the canonical spelling
  /// The settings and the wave size as LLVM's features: "+xnack,+wavefrontsize32".
  std::string features(unsigned wave) const;
};

llvm::ArrayRef<AmdArch> amdArchs();

/// Nothing where `text` names no processor of amdArchs(); an error where it does, but not
/// what follows.
llvm::Expected<std::optional<TargetId>> parseTargetId(llvm::StringRef text);

} // namespace sextant
