// Finds what Metal cannot do, before anything is lowered.
#pragma once

#include "backends/Backend.h"

namespace sextant {

/// A version of the Metal Shading Language.
struct MslVersion {
  unsigned major = 0, minor = 0;
  /// The version as SPIRV-Cross writes it: 30000 for 3.0.
  unsigned number() const { return major * 10000 + minor * 100; }
  bool operator<(const MslVersion &other) const { return number() < other.number(); }
};

/// The first version with atomic_ulong, which has minima and maxima.
inline constexpr MslVersion firstWithWideMinMax{2, 4};
/// The first version with atomic_float, in device memory.
inline constexpr MslVersion firstWithFloatAtomics{3, 0};
/// The first version with bfloat, of which there are matrices, too.
inline constexpr MslVersion firstWithBfloat{3, 1};
/// The first version with atomic_thread_fence.
inline constexpr MslVersion firstWithFences{3, 2};

/// Bytes of threadgroup memory that a threadgroup may have.
inline constexpr uint64_t metalSharedLimit = 32 * 1024;

/// Emits an error at the op for everything in `module` that code of that version cannot do.
mlir::LogicalResult checkMetal(mlir::ModuleOp module, const Target &target, MslVersion version);

} // namespace sextant
