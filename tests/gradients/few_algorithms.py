"""Three algorithms for all targets: algorithms.py has more of them."""

import quadrants as qd

A = qd.types.ndarray(T, 1)
U = qd.types.ndarray(qd.u32, 1)
I = qd.types.ndarray(qd.i32, 1)
words = qd.field(qd.u32, shape=16000)


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


# Sorted reals keep the gradients of where they came from; what is sorted is itself computed, and used later.
@qd.kernel
def sorted_reals(x: A, y: A, tmp: A, places: I, tmp_places: I, out: A, n: qd.i32):
    for i in range(n):
        y[i] = qd.sin(40 * x[i]) * x[(i + 1) % n]
    qd.algorithms.argsort(y, tmp, places, tmp_places, words, n, T, descending=True)
    for i in range(n):
        out[i] = y[i] * (i + 1) + x[places[i]]
