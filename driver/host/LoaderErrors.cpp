// Which errors of the loader have a name, and which.
#include "driver/host/LoaderErrors.h"

namespace sextant {

Problem problemOf(sxt_status status) {
  switch (status) {
  case SXT_ERROR_IO:
    return Problem::FileUnreadable;
  case SXT_ERROR_BAD_MODULE:
  case SXT_ERROR_MODULE_VERSION:
    return Problem::ModuleUnreadable;
  case SXT_ERROR_UNTRUSTED:
    return Problem::ModuleNotTrusted;
  case SXT_ERROR_NO_DEVICE:
  case SXT_ERROR_NO_VARIANT:
    return Problem::DeviceMissing;
  case SXT_ERROR_SIGNATURE:
  case SXT_ERROR_LAUNCH_REFUSED:
    return Problem::RunArgumentWrong;
  default:
    return Problem::Other;
  }
}

Refusal refusalOf(const Error &error) { return {problemOf(error.status()), error.what()}; }

} // namespace sextant
