// Apple's framework as a table of functions. The libraries are arguments, so that tests bring
// others.
#pragma once

#include "loader/devices/metal/Driver.h"
#include "loader/system/Library.h"

namespace sextant::loader::metal {

struct AppleLibraries {
  system::Names objc, foundation, metal;
};

/// Fills in the table, called once. Returns null where something is missing; `why` then says what.
const Functions *openApple(const AppleLibraries &libraries, std::string &why);

} // namespace sextant::loader::metal
