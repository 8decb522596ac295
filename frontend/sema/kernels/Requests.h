// The names and the identities of the values that instances of kernels are built for.
#pragma once

#include "frontend/sema/Value.h"

namespace sextant::sema {

/// The part of an instance's name that a value adds: only letters, digits and underscores.
std::string nameOf(const Value &value);

/// The value's identity: two requests are for one instance only if their values have equal keys.
/// Names are shorter, and different values may have one. A key holds in this process only.
std::string keyOf(const Value &value);

} // namespace sextant::sema
