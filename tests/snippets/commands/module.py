"""Kernels for the commands of the pages: what app.sxt is made of."""
import quadrants as qd

Reals = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def saxpy(n: qd.i32, a: qd.f32, x: Reals, y: Reals):
    for i in range(n):
        y[i] = a * x[i] + y[i]


@qd.kernel
def scan(x: Reals, y: Reals):
    for i in range(x.shape[0]):
        y[i] = x[i] + 1.0


@qd.kernel
def scale(n: qd.i32, a: qd.f32, x: Reals, y: Reals):
    for i in range(n):
        y[i] = a * x[i]


@qd.kernel
def debug_values(x: Reals):
    for i in range(x.shape[0]):
        x[i] = 0.0
