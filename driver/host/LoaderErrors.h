// Errors of the loader as the command reports them.
#pragma once
#define SEXTANT_THROWS

#include "driver/Environment.h"
#include "sextant/sextant.hpp"

namespace sextant {

/// The name that such an error of the loader has.
Problem problemOf(sxt_status status);
/// Turns an error of the loader into a Refusal.
Refusal refusalOf(const Error &error);
/// Runs `body`, a command that calls the loader. Its errors are reported as those of the command.
template <class Body> int calling(Body body) {
  try {
    return body();
  } catch (const Error &error) {
    throw refusalOf(error);
  }
}
inline void require(sxt_status status) {
  if (status != SXT_OK)
    throw Refusal(problemOf(status), sxt_last_error_message());
}

} // namespace sextant
