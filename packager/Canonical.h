// The canonical order of what a module holds, by which its bytes do not depend on
// the order in which files, kernels and targets were named or merged.
#pragma once

#include "loader/format/Module.h"

namespace sextant::packager {

/// Sorts sources by path, fields by source and name, kernels by source and instance,
/// variants and refusals by target, and plans by their first use; renumbers what refers
/// to them. A plan that no variant uses goes; where a kernel has no variants, one with
/// its return values stays, which belong to its signature.
void canonicalize(module::ModuleInfo &info, std::vector<module::Kernel> &kernels);

/// By backend, architecture, features, wave size. Numbers in names count as numbers:
/// sm_90 comes before sm_100.
bool comesBefore(const module::Target &a, const module::Target &b);

} // namespace sextant::packager
