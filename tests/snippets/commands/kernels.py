"""Kernels for the commands of the pages: the file that they compile."""
import quadrants as qd

TILE = 8
ITEMS = 2
Reals = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def saxpy(n: qd.i32, a: qd.f32, x: Reals, y: Reals):
    for i in range(n):
        y[i] = a * x[i] + y[i]


@qd.kernel
def scan(x: Reals, dtype: qd.template(), n: qd.template()):
    for i in range(n):
        x[i] = x[i] + qd.cast(qd.cast(TILE, dtype), qd.f32)
