// How the loader reports: a function that fails says why with fail() and returns
// the status, which its callers pass up. The message waits in the thread for
// sxt_last_error_message(). No exception leaves an API call: guarded() sees to it.
#pragma once

#include "loader/format/Result.h"
#include "sextant/sextant.h"

#include <cstdarg>
#include <new>
#include <string>

namespace sextant::loader {

/// Keeps a printf-style message as the thread's last error, logs it, returns `status`.
[[gnu::format(printf, 2, 3)]] sxt_status fail(sxt_status status, const char *format, ...);
/// The same for what the module format reports.
sxt_status fail(const module::Status &error);

/// The text of a printf-style message.
std::string formatted(const char *format, va_list list);

/// Whether messages of that level go anywhere: one relaxed load.
bool logs(sxt_log_level level) noexcept;
[[gnu::format(printf, 2, 3)]] void log(sxt_log_level level, const char *format, ...);

/// The text, or null where the variable is unset or empty.
const char *environment(const char *name);

/// What SXT_REQUIRE returns.
sxt_status failNull(const char *function, const char *parameter);

/// The status of the exception that is being handled.
sxt_status failException() noexcept;
/// Calls `body` with `context` and turns exceptions into a status.
sxt_status callGuarded(sxt_status (*body)(void *context), void *context) noexcept;

/// The body of an API call, with exceptions turned into a status.
template <class Body> sxt_status guarded(Body body) noexcept {
  return callGuarded([](void *given) { return (*static_cast<Body *>(given))(); }, &body);
}
/// The same for launches: larger, and a few nanoseconds quicker.
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
