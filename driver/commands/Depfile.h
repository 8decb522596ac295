// Dependency files, as make and Ninja read them.
#pragma once

#include <string>
#include <vector>

namespace sextant {

/// `output: dependency …`, names escaped.
std::string formatDepfile(const std::string &output, const std::vector<std::string> &dependencies);

} // namespace sextant
