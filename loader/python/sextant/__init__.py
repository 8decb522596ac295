"""Opens modules of kernels that `sextant compile` made, and launches them on arrays of other libraries.

    import sextant
    app = sextant.open("app.sxt")
    app.saxpy(2.0, x, y)
"""
from . import _errors
from ._core import (Array, Device, Event, Graph, Kernel, Launch, Module, Pointer, Program, Stream, Tape, __version__,
                    adopt, devices, set_print)
from ._errors import *  # noqa: F403 (the exceptions)

__all__ = ["Array", "Device", "Event", "Graph", "Kernel", "Launch", "Module", "Parameter", "Pointer", "Program",
           "Stream", "Tape", "__version__", "adopt", "devices", "numpy_dtype", "open", "set_print", "structure_layout",
           *_errors.__all__]


def __getattr__(name):
    """Imports what few programs need when they ask for it."""
    if name in ("Parameter", "numpy_dtype", "structure_layout"):
        from . import _signatures
        return getattr(_signatures, name)
    if name in ("jax", "torch"):
        import importlib
        return importlib.import_module(f"sextant.{name}")
    raise AttributeError(f"module 'sextant' has no attribute '{name}'")


def open(source, device=None, *, public_keys=None, variant=None, blocked=None, wave=0, preferences=None) -> Program:
    """Opens a module on a device.

    source: a path, or an object with the module's bytes, which must not change.
    device: a Device or its name ("cuda:0"); None: the one that SEXTANT_DEVICE names, or the first that runs the module.
    public_keys: only a module that one of these keys signed is accepted.
    variant, blocked: patterns that limit the variants ("cuda:sm_80", "/wave8"). wave: only variants of this wave size.
    preferences: the path of a file that `sextant bench --prefer` wrote.
    """
    return Program(Module(source, public_keys), device, variant, blocked, wave, preferences)
