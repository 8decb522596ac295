// Makes a program smaller for as long as something is still true of it: statements go, blocks
// take their statement's place, expressions become one of their parts or a literal, parameters
// and functions that nothing needs go, inputs become zero or 0, 1, 2 …. Edits are found on the
// syntax tree and made in the text.
#pragma once

#include "tests/fuzz/Runner.h"

#include <functional>

namespace fuzz {

/// The smallest program found for which `holds`; it has to hold for `program`.
Program reduce(Program program, const std::function<bool(const Program &)> &holds);

} // namespace fuzz
