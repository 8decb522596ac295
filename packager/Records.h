// Makes the records of a module file from plain values.
#pragma once

#include "loader/format/Module.h"
#include "loader/format/Result.h"

#include <cstddef>

namespace sextant::packager {

module::Result<std::vector<std::byte>> encodeInfo(const module::ModuleInfo &info);
module::Result<std::vector<std::byte>> encodeKernel(const module::Kernel &kernel);

} // namespace sextant::packager
