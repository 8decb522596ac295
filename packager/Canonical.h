// The canonical order of a module's content. With it, the bytes do not depend on the order in which
// files, kernels and targets were named or merged.
#pragma once

#include "loader/format/Module.h"

namespace sextant::packager {

/// Sorts sources by path, fields by source and name, kernels by source and instance, variants and
/// refusals by target, and plans by their first use. Renumbers what refers to them. Removes plans
/// that no variant uses. If a kernel has no variants, one plan with its return values stays, since
/// these belong to its signature.
void canonicalize(module::ModuleInfo &info, std::vector<module::Kernel> &kernels);

/// Orders by backend, architecture, features, wave size. Numbers in names count as numbers: sm_90
/// comes before sm_100.
bool comesBefore(const module::Target &a, const module::Target &b);

} // namespace sextant::packager
