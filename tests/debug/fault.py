"""A kernel that reads far outside of its array, from a large frame."""

import quadrants as qd

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
N = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def far(x: F, n: N):
    qd.loop_config(block_dim=64)
    for i in n:
        a = qd.Matrix.zero(qd.f64, 10, 10)
        for j in range(10):
            a[n[i] % 10, j] = x[j]
        x[i] = x[n[i]] + a[3, n[i] % 7]
