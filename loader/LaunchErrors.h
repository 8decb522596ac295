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

/// Refuses a launch of a gradient in which one array is the memory of another, if the gradient or
/// its kernel writes it: the gradient would read what the kernel has overwritten, or lose
/// additions.
sxt_status checkApart(const sxt_kernel &kernel, const std::byte *block, const int64_t *values);

/// Checks that the results of a call fit the signature.
sxt_status checkResults(const sxt_kernel &kernel, const sxt_result *results, size_t count);

} // namespace sextant::loader
