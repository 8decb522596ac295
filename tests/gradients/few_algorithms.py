"""Two algorithms for all targets: algorithms.py has more of them."""

import quadrants as qd

A = qd.types.ndarray(T, 1)
U = qd.types.ndarray(qd.u32, 1)
I = qd.types.ndarray(qd.i32, 1)


@qd.kernel
def inclusive_sums(x: A, y: A, out: A, s: U, n: qd.i32):
    for i in range(n):
        y[i] = x[i] * x[i]
    qd.algorithms.inclusive_scan(y, out, s, n, T, qd.add, 0, 4)


@qd.kernel
def heads(x: A, y: A, out: A, counts: I, s: U, n: qd.i32):
    for i in range(n):
        y[i] = x[i // 3]
    qd.algorithms.unique(y, out, counts, s, n, 4)
