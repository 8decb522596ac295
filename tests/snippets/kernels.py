"""The kernels and constants that commands and CMake of the pages name."""
import quadrants as qd

TILE = 8
ITEMS = 2
Reals = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def saxpy(n: qd.i32, a: qd.f32, x: Reals, y: Reals):
    for i in range(n):
        y[i] = a * x[i] + y[i]


@qd.kernel
def scale(n: qd.i32, a: qd.f32, x: Reals, y: Reals):
    for i in range(n // ITEMS * ITEMS):
        y[i] = a * x[i]


@qd.kernel
def scan(x: Reals, dtype: qd.template(), n: qd.template()):
    for i in range(n):
        x[i] = x[i] + qd.cast(qd.cast(TILE, dtype), qd.f32)


@qd.kernel
def debug_values(x: Reals):
    for i in range(x.shape[0]):
        x[i] = 0.0
