# The kernels and constants that the pages' snippets of CMake name.
import quadrants as qd

TILE = 16
ITEMS = 2


@qd.kernel
def scan(x: qd.types.ndarray(ndim=1), dtype: qd.template(), n: qd.template()):
    for i in range(n):
        x[i] = qd.cast(TILE * ITEMS, dtype)
