// Passes the errors of statuses and results on.
#pragma once

#include "loader/format/Result.h"

namespace sextant::module {

inline Status errorOf(const Status &status) { return status; }
template <class T> Status errorOf(const Result<T> &result) { return result.error(); }

} // namespace sextant::module

/// Returns the error of a Status or a Result from the enclosing function, if it has one.
#define SXT_MODULE_TRY(...)                                                                        \
  do {                                                                                             \
    if (const auto &sxtTried = (__VA_ARGS__); !sxtTried.ok()) [[unlikely]]                         \
      return ::sextant::module::errorOf(sxtTried);                                                 \
  } while (false)
