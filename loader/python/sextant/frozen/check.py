"""Runs a launch twice, by the JIT and from the module, and compares all that it wrote."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from quadrants.lang._ndarray import Ndarray
from quadrants.lang.field import Field

from .values import is_external, unwrap


class Difference(Exception):
    """The module's kernel and the JIT's left different values."""


def compare(frozen: Any, kernel: Any, bound: Any, arguments: tuple) -> Any:
    raise NotImplementedError
