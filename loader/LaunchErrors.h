// What is wrong with a launch, in words: apart from the launch itself, which is built
// to be quick and should stay short.
#pragma once

#include "loader/Program.h"

namespace sextant::loader {

/// An argument of another type than the signature's.
sxt_status failSignature(const sxt_kernel &kernel, size_t index, const sxt_argument &given);
/// Something about an argument whose type is right; printf-style.
[[gnu::format(printf, 4, 5)]] sxt_status failArgument(const sxt_kernel &kernel, size_t index,
                                                      sxt_status status, const char *format, ...);
/// Too many or too few arguments.
sxt_status failCount(const sxt_kernel &kernel, size_t count);

/// Whether the results of a call fit the signature.
sxt_status checkResults(const sxt_kernel &kernel, const sxt_result *results, size_t count);

} // namespace sextant::loader
