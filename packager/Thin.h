// `sextant thin`: a module without some of its kernels and targets.
#pragma once

#include "packager/Contents.h"
#include "packager/Pattern.h"

namespace sextant::packager {

struct ThinOptions {
  std::vector<Pattern> keep; ///< empty: everything
  std::vector<Pattern> drop; ///< wins over keep
  bool allowEmptyKernels = false;
  bool forget = false; ///< leaves no refusals for what was dropped
};

/// What remains: a variant that `keep` names, and `drop` does not. A kernel that no pattern of
/// `keep` names, or that one of `drop` names for any target, goes as a whole. Sources stay: those
/// of other kernels may be imported.
///
/// Each variant dropped becomes a refusal with droppedReason, by which the loader and `explain` can
/// tell why a device has no code; so does `merge` with the rest give the whole module again.
///
/// InvalidInput: a pattern names nothing, nothing remains, or a kernel loses its last variant.
module::Result<Contents> thin(Contents contents, const ThinOptions &options);

/// The reason of a refusal where `thin` dropped a variant. Any other reason wins over it in a
/// merge.
inline constexpr std::string_view droppedReason = "dropped by sextant thin";

} // namespace sextant::packager
