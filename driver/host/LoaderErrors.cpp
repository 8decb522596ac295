// The names that errors of the loader have.
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
  case SXT_ERROR_NOT_FOUND: // a field: kernels and devices were looked up before
  case SXT_ERROR_SIGNATURE:
  case SXT_ERROR_LAUNCH_REFUSED:
    return Problem::RunArgumentWrong;
  case SXT_ERROR_KERNEL_FAULT:
    return Problem::KernelFault;
  case SXT_ERROR_INVALID_ARGUMENT:
  case SXT_ERROR_OUT_OF_MEMORY:
  case SXT_ERROR_OUT_OF_RANGE:
  case SXT_ERROR_DEVICE:
  case SXT_ERROR_UNSUPPORTED:
    return Problem::LaunchFailed;
  default:
    return Problem::InternalError;
  }
}

Refusal refusalOf(const Error &error) { return {problemOf(error.status()), error.what()}; }

} // namespace sextant
