// A whole module as plain values, for `sextant merge` and `thin`.
#pragma once

#include "loader/format/Reader.h"
#include "packager/ModuleBuilder.h"

namespace sextant::packager {

struct Contents {
  module::ModuleInfo info;
  std::vector<module::Kernel> kernels; ///< their image numbers count `images`
  std::vector<std::vector<std::byte>> images;
  std::map<std::string, std::vector<std::byte>> attachments; ///< bytes by name
};

/// Reads and checks everything. Kernels are in the order of their instance names.
module::Result<Contents> contentsOf(const module::Reader &reader);

/// Makes a builder of the same module in canonical order. A module that was read from a compiled
/// one is built to the same bytes, given the same options. The images are moved to the builder.
module::Result<ModuleBuilder> builderOf(Contents contents);

/// Returns `plan` with the sources of its fields in place of their numbers in `info`, since
/// builders find fields by their sources.
module::Plan withSources(module::Plan plan, const module::ModuleInfo &info);

} // namespace sextant::packager
