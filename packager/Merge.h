// `sextant merge`: makes one module of modules that were compiled separately, by target, file or
// machine.
#pragma once

#include "packager/Contents.h"

namespace sextant::packager {

/// The attachment by which a module says what memory its kernels read and write, for tapes of
/// gradients (docs/module-format.md). Those of several modules are the lines of all.
inline constexpr char accessesAttachment[] = "sextant.accesses";

struct Shard {
  std::string name; ///< its file's name, for errors
  Contents contents;
};

struct MergeOptions {
  /// If false, shards of different compilers are an error.
  bool allowMixedCompilers = false;
};

/// Merges all kernels, variants and refusals of all shards. The result does not depend on the order
/// of the shards. The shards of one compilation, split by files or targets, give the same module as
/// compiling at once.
///
/// Kernels of one name must have the same signature and source, sources of one path the same text,
/// and fields of one source and name the same type. Several shards may have the same variant. A
/// variant of one shard wins over a refusal of another shard for its target. If compilers or
/// options differ, all are listed. Attachments of one name must have the same bytes; what `sextant
/// tune` measured is joined, and so are the accesses of kernels.
///
/// Images are moved from the shards to the result, so shards that are moved here are not copied.
///
/// InvalidInput: shards contradict each other; the message names both and says where.
module::Result<Contents> merge(std::vector<Shard> shards, const MergeOptions &options = {});

} // namespace sextant::packager
