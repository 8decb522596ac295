// Checks that a merged module has what its shards were to provide.
#pragma once

#include "driver/Environment.h"
#include "loader/format/Reader.h"

#include <string>
#include <vector>

namespace sextant {

/// Applies the rule of `compile` for a complete build: each item of the target list gives every
/// kernel at least one variant; with `allowMissing`, only the list as a whole must. Throws a
/// Refusal that names the kernels with the reasons that the module records.
/// \param targets as written; an entry may list several
void checkCoverage(const std::vector<module::Kernel> &kernels,
                   const std::vector<std::string> &targets, bool allowMissing);

} // namespace sextant
