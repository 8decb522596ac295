// Finds kernels by the names that people use: an instance's name, or the text that `compile
// --kernel` got.
#pragma once

#include "frontend/spelling/Request.h"

#include <string>
#include <vector>

namespace sextant {

/// If `name` is a request with values, as for `compile`, returns the instance that was built for
/// exactly that; otherwise `name`. Names of instances are shorter than requests, so the name that a
/// request would have is not enough.
std::string instanceMeant(const std::string &name, const std::vector<std::string> &instances,
                          const Requests &requests);

/// Says what else a name may mean: near instances, or requests that the module was built for.
std::string instancesNear(const std::string &name, const std::vector<std::string> &instances,
                          const Requests &requests);

} // namespace sextant
