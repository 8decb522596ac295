// `sextant merge`: modules that were compiled apart, a target, a file or a machine
// each, become one.
#pragma once

#include "packager/Contents.h"

namespace sextant::packager {

struct Shard {
  std::string name; ///< of its file, for errors
  Contents contents;
};

struct MergeOptions {
  /// Otherwise shards of different compilers are an error.
  bool allowMixedCompilers = false;
};

/// All kernels, variants and refusals of all shards. The result does not depend on the
/// order of the shards; shards of one compilation, split by files or targets, give what
/// compiling at once gives.
///
/// Kernels of one name have one signature and one source, sources of one path one text,
/// fields of one source and name one type. A variant may be in several shards if it is the
/// same. A variant of one shard wins over a refusal of another for its target. Compilers
/// and options that differ are listed.
///
/// InvalidInput: shards contradict each other; the message names both and says where.
module::Result<Contents> merge(std::span<const Shard> shards, const MergeOptions &options = {});

} // namespace sextant::packager
