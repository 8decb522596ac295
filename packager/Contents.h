// A whole module as plain values: what `sextant merge` and `thin` work on.
#pragma once

#include "loader/format/Reader.h"
#include "packager/ModuleBuilder.h"

namespace sextant::packager {

struct Contents {
  module::ModuleInfo info;
  std::vector<module::Kernel> kernels; ///< their image numbers count `images`
  std::vector<std::vector<std::byte>> images;
};

/// Reads and checks everything; kernels come in the order of their instance names.
module::Result<Contents> contentsOf(const module::Reader &reader);

/// A builder of the same module in canonical order: what was read from a compiled
/// module is built to the same bytes, given the same options.
module::Result<ModuleBuilder> builderOf(const Contents &contents);

/// `plan` with the sources of its fields, by which a builder finds them, instead of
/// their numbers in `info`.
module::Plan withSources(module::Plan plan, const module::ModuleInfo &info);

} // namespace sextant::packager
