// Messages about launches. They are apart from the launch itself, which is built for speed and
// should stay short.
#pragma once

#include "loader/Program.h"

namespace sextant::loader {

/// Reports an argument whose type is not the signature's.
sxt_status failSignature(const sxt_kernel &kernel, size_t index, const sxt_argument &given);
/// Reports a problem with an argument whose type is right; printf-style.
[[gnu::format(printf, 4, 5)]] sxt_status failArgument(const sxt_kernel &kernel, size_t index,
                                                      sxt_status status, const char *format, ...);
/// Reports too many or too few arguments.
sxt_status failCount(const sxt_kernel &kernel, size_t count);

/// Checks that the results of a call fit the signature.
sxt_status checkResults(const sxt_kernel &kernel, const sxt_result *results, size_t count);

} // namespace sextant::loader
