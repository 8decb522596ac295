"""The exceptions of the package: one class for each status of the loader.

Each also is the built-in exception that programs expect there, so `except ValueError` works too.
"""


__all__ = [
    "Error", "ArgumentError", "HostOrDeviceMemoryError", "FileError", "BadModuleError", "NotFoundError",
    "NoDeviceError", "NoVariantError", "SignatureError", "LaunchRefusedError", "OutOfRangeError", "DeviceError",
    "UnsupportedError", "NotReadyError", "InternalError", "KernelFaultError", "UntrustedError"
]


class Error(Exception):
    """All calls of the loader raise it. `status` is the number and `status_name` the name of its status."""

    status = 0
    status_name = "SXT_OK"


class ArgumentError(Error, ValueError):
    """A value that the call does not accept."""


class HostOrDeviceMemoryError(Error, MemoryError):
    """Host or device memory ran out."""


class FileError(Error, OSError):
    """A file could not be read."""


class BadModuleError(Error, ValueError):
    """The data is not a module, truncated or damaged, or of a version that this loader does not read."""


class NotFoundError(Error, LookupError):
    """No kernel, field or device has that name."""


class NoDeviceError(Error, RuntimeError):
    """The backend has no usable device here."""


class NoVariantError(Error, RuntimeError):
    """No variant of the kernel fits the device."""


class SignatureError(Error, TypeError):
    """Arguments or results do not fit the kernel's signature."""


class LaunchRefusedError(Error, ValueError):
    """The types fit, but the kernel refuses the sizes."""


class OutOfRangeError(Error, IndexError):
    """An index or range passes the end of a buffer or list."""


class DeviceError(Error, RuntimeError):
    """The device's driver reported an error."""


class UnsupportedError(Error, NotImplementedError):
    """This device or build cannot do it."""


class NotReadyError(Error, RuntimeError):
    """The stream has not reached the event yet."""


class InternalError(Error, RuntimeError):
    """The loader has a bug."""


class KernelFaultError(Error, RuntimeError):
    """An assertion or check in a kernel failed."""


class UntrustedError(Error, PermissionError):
    """The module is not signed with a key that was given, or was altered since."""


# The name and the class of each status. A status of a newer loader is a plain Error.
_CLASSES = {
    1: ("SXT_ERROR_INVALID_ARGUMENT", ArgumentError),
    2: ("SXT_ERROR_OUT_OF_MEMORY", HostOrDeviceMemoryError),
    3: ("SXT_ERROR_IO", FileError),
    4: ("SXT_ERROR_BAD_MODULE", BadModuleError),
    5: ("SXT_ERROR_MODULE_VERSION", BadModuleError),
    6: ("SXT_ERROR_NOT_FOUND", NotFoundError),
    7: ("SXT_ERROR_NO_DEVICE", NoDeviceError),
    8: ("SXT_ERROR_NO_VARIANT", NoVariantError),
    9: ("SXT_ERROR_SIGNATURE", SignatureError),
    10: ("SXT_ERROR_LAUNCH_REFUSED", LaunchRefusedError),
    11: ("SXT_ERROR_OUT_OF_RANGE", OutOfRangeError),
    12: ("SXT_ERROR_DEVICE", DeviceError),
    13: ("SXT_ERROR_UNSUPPORTED", UnsupportedError),
    14: ("SXT_ERROR_NOT_READY", NotReadyError),
    15: ("SXT_ERROR_INTERNAL", InternalError),
    16: ("SXT_ERROR_KERNEL_FAULT", KernelFaultError),
    17: ("SXT_ERROR_UNTRUSTED", UntrustedError),
}

for _, _class in _CLASSES.values():
    _class.__module__ = "sextant"  # where programs find it
Error.__module__ = "sextant"

