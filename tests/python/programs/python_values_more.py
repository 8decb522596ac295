"""The names that python_values.py imports by a star."""

from math import *

import quadrants as qd

__all__ = ["SHIFT", "lifted", "HIDDEN_NOT"]
SHIFT = ceil(1.5)
HIDDEN_NOT = sqrt(4.0)


@qd.func
def lifted(v):
    return v * SHIFT + sqrt(9.0)
