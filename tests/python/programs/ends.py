"""A program that ends as its first argument says. It launches one kernel before, on memory of numpy."""

import os
import sys

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)
how = sys.argv[1]
GAIN = 3 if how == "gain" else 2


@qd.kernel
def scale(x: qd.types.ndarray()):
    for i in x:
        x[i] = x[i] * GAIN + 1


class Opaque:
    pass


if how == "opaque":
    secret = Opaque()
    GAIN = secret

values = np.arange(4, dtype=np.float32)
if how == "fork":
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
if how == "doubles":
    values = values.astype(np.float64)
if how == "binary":
    sys.stdout.buffer.write(bytes(range(256)))
    sys.stdout.flush()
scale(values)
print(values.tolist())
if how == "fails":
    raise ValueError("as it was asked to")
if how == "exits":
    sys.exit(3)
