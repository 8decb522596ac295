// What `sextant inspect` and `extract` say about a module: functions from a
// reader to text or bytes. The driver prints them. (`verify` is
// module::Reader::verify, `explain` is module::select.)
#pragma once

#include "loader/format/Reader.h"

namespace sextant::packager {

/// All kernels, sorted by instance name.
module::Result<std::vector<module::Kernel>> kernelsByName(const module::Reader &reader);

/// The kernel of that instance name; else the only instance of a kernel of that
/// name; an empty name is the only kernel of the module.
module::Result<module::Kernel> pickKernel(const module::Reader &reader, std::string_view name);

/// Tables for people: the module's facts, then each kernel with its signature,
/// tasks and variants.
module::Result<std::string> describeText(const module::Reader &reader);
/// The same facts and all others as one JSON object, keys in a fixed order.
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

/// Each variant of one kernel that `target` names, at least one.
/// \param target as in Pattern; empty: all
module::Result<std::vector<Extracted>>
extractEach(const module::Reader &reader, std::string_view kernel, std::string_view target);

} // namespace sextant::packager
