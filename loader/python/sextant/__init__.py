"""Opens modules of kernels that `sextant compile` made, and launches them on arrays of other libraries.

    import sextant
    app = sextant.open("app.sxt")
    app.saxpy(2.0, x, y)
"""
from ._core import (Array, Device, Event, Kernel, Launch, Module, Pointer, Program, Stream, __version__, adopt,
                    devices)
from ._errors import *  # noqa: F401,F403 (the exceptions, which _errors.__all__ lists)
from ._signatures import Parameter, numpy_dtype, structure_layout


def open(source, device=None, *, public_keys=None, variant=None, blocked=None, wave=0, preferences=None) -> Program:
    """Opens a module on a device.

    source: a path, or an object with the module's bytes, which must not change.
    device: a Device or its name ("cuda:0"); None: the one that SEXTANT_DEVICE names, or the first that runs all kernels.
    public_keys: only a module that one of these keys signed is accepted.
    variant, blocked: patterns that limit the variants ("cuda:sm_80", "/wave8"). wave: only variants of this wave size.
    preferences: the path of a file that `sextant bench --prefer` wrote.
    """
    return Program(Module(source, public_keys), device, variant, blocked, wave, preferences)
