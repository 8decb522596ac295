"""The first kernel: y = a * x + y over the first n elements."""
import quadrants as qd


@qd.kernel
def saxpy(
    n: qd.i32,
    a: qd.f32,
    x: qd.types.ndarray(dtype=qd.f32, ndim=1),
    y: qd.types.ndarray(dtype=qd.f32, ndim=1),
):
    for i in range(n):
        y[i] = a * x[i] + y[i]
