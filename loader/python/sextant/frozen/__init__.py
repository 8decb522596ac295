"""Runs a Quadrants program with kernels out of a module that `sextant freeze` made.

    import sextant.frozen
    sextant.frozen.use("app.sxt")        # before or after qd.init()

or, with the program as it is, `python -m sextant.frozen app.sxt app.py arguments…`. Kernels work on the memory of
quadrants' ndarrays and fields as it lies. docs/freeze.md tells the whole story.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .runtime import Frozen

SCHEMA = 1  # the form of recording.json and of the table in a module
ATTACHMENT = "frozen.json"  # the name of that table in a module


def use(path: str | os.PathLike[str], *, strict: bool = False, check: bool = False) -> "Frozen":
    """Takes kernels from a module from now on, in this process.

    strict: a launch that the module has no kernel for is an error (`sextant.frozen.Missing`). Otherwise the JIT does
    it, and warns once a kernel (`sextant.frozen.JitWarning`).
    check: each launch runs by the JIT, too, and what the two leave must agree (`sextant.frozen.Difference`).

    Returns the Frozen, whose `counts` tell how many launches came from where, and whose `stop()` ends it. One module at
    a time: another call replaces it. Raises sextant.Error, where the file is not a module; ValueError, where it was not
    frozen from a program; ImportError, where quadrants is of a version that this package does not know.
    """
    global _active
    from .runtime import Frozen

    if _active is not None:
        _active.stop()
    _active = Frozen(os.fspath(path), strict, check)
    return _active


_active: "Frozen | None" = None


def __getattr__(name: str):
    """The exceptions, which live with what raises them and so need quadrants."""
    if name == "Missing":
        from .table import Missing as found
    elif name == "JitWarning":
        from .runtime import JitWarning as found
    elif name == "Difference":
        from .check import Difference as found
    else:
        raise AttributeError(f"module 'sextant.frozen' has no attribute '{name}'")
    return found
