// `sextant thin`: a module without some of its kernels and targets.
#pragma once

#include "packager/Contents.h"
#include "packager/Pattern.h"
#include "packager/Tuning.h"

namespace sextant::packager {

struct ThinOptions {
  std::vector<Pattern> keep; ///< empty: everything
  std::vector<Pattern> drop; ///< wins over keep
  /// Variants with other values of tuned constants than the default go, where none of them was the
  /// fastest on any device of the backend that was measured. Empty: they stay.
  std::vector<Measurement> measured;
  bool allowEmptyKernels = false;
  bool forget = false; ///< records no refusals for dropped variants
};

/// Keeps the variants that `keep` names and `drop` does not. A kernel is removed as a whole if no
/// pattern of `keep` names it, or if a pattern of `drop` names it for all targets. Sources stay,
/// because other kernels' sources may be imported.
///
/// Each dropped variant becomes a refusal with droppedReason, by which the loader and `explain` can
/// say why a device has no code. So a `merge` with the rest gives the whole module again.
///
/// NotFound: a pattern names nothing. InvalidInput: nothing remains, or a kernel loses its last
/// variant.
module::Result<Contents> thin(Contents contents, const ThinOptions &options);

/// The reason of a refusal for a variant that `thin` dropped. In a merge, any other reason wins
/// over it.
inline constexpr std::string_view droppedReason = "dropped by sextant thin";

} // namespace sextant::packager
