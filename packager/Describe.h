// The texts and bytes of `sextant inspect` and `extract`: functions from a reader to text or bytes.
// The driver prints them. (`verify` is module::Reader::verify, `explain` is module::select.)
#pragma once

#include "loader/format/Reader.h"

namespace sextant::packager {

/// Returns all kernels, sorted by instance name.
module::Result<std::vector<module::Kernel>> kernelsByName(const module::Reader &reader);

/// Returns the kernel of that instance name, or else the only instance of a kernel of that name. An
/// empty name means the only kernel of the module.
module::Result<module::Kernel> pickKernel(const module::Reader &reader, std::string_view name);

/// Prints tables for people: the module's facts, then each kernel with its signature, tasks and
/// variants.
module::Result<std::string> describeText(const module::Reader &reader);
/// Prints these and all other facts as one JSON object, with keys in a fixed order.
module::Result<std::string> describeJson(const module::Reader &reader);

/// One image of one kernel, as the toolchain made it.
struct Extracted {
  std::vector<std::byte> bytes;
  std::string format; ///< "elf", "cubin", "ptx"
  module::Target target;
  std::string kernel = {}; ///< instance
};
/// \param kernel as pickKernel takes it
/// \param target a pattern of module::matches that names one variant: "sm_90",
///        "cuda:sm_90", "x86-64-v3/wave8"
module::Result<Extracted> extract(const module::Reader &reader, std::string_view kernel,
                                  std::string_view target);

/// Returns the variants of one kernel that `target` matches, at least one.
/// \param target as in Pattern; empty: all
module::Result<std::vector<Extracted>>
extractEach(const module::Reader &reader, std::string_view kernel, std::string_view target);

} // namespace sextant::packager
