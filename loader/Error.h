// How the loader reports errors. A function that fails calls fail() with the reason and returns the
// status, which its callers pass up. The message waits in the thread for sxt_last_error_message().
// guarded() keeps exceptions from leaving an API call.
#pragma once

#include "loader/format/Result.h"
#include "sextant/sextant.h"

#include <cstdarg>
#include <new>
#include <string>

namespace sextant::loader {

/// Keeps a printf-style message as the thread's last error, logs it, and returns `status`.
[[gnu::format(printf, 2, 3)]] sxt_status fail(sxt_status status, const char *format, ...);
/// The same for an error of the module format.
sxt_status fail(const module::Status &error);

/// Formats a printf-style message.
std::string formatted(const char *format, va_list list);

/// Returns true if messages of that level are shown. Costs one relaxed load.
bool logs(sxt_log_level level) noexcept;
[[gnu::format(printf, 2, 3)]] void log(sxt_log_level level, const char *format, ...);

/// Reports a null parameter, for SXT_REQUIRE.
sxt_status failNull(const char *function, const char *parameter);

/// Returns the status for the exception that is being handled.
sxt_status failException() noexcept;
/// Calls `body` with `context` and turns exceptions into a status.
sxt_status callGuarded(sxt_status (*body)(void *context), void *context) noexcept;

/// Runs the body of an API call and turns exceptions into a status.
template <class Body> sxt_status guarded(Body body) noexcept {
  return callGuarded([](void *given) { return (*static_cast<Body *>(given))(); }, &body);
}
/// The same for launches: the code is larger, and a few nanoseconds faster.
template <class Body> sxt_status guardedInline(Body body) noexcept {
  try {
    return body();
  } catch (...) {
    return failException();
  }
}

} // namespace sextant::loader

/// Returns from the enclosing function unless `call` is SXT_OK.
#define SXT_TRY(call)                                                                              \
  do {                                                                                             \
    if (sxt_status sxtStatus = (call); sxtStatus != SXT_OK) [[unlikely]]                           \
      return sxtStatus;                                                                            \
  } while (false)

/// Returns SXT_ERROR_INVALID_ARGUMENT from the enclosing API call if a parameter is null.
#define SXT_REQUIRE(parameter)                                                                     \
  do {                                                                                             \
    if (!(parameter)) [[unlikely]]                                                                 \
      return ::sextant::loader::failNull(__func__, #parameter);                                    \
  } while (false)
