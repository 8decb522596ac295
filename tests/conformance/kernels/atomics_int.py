# Code that is built on atomics. T is the build's: an integer type.
import quadrants as qd

T = qd.i32


@qd.kernel
def reserve(
    counter: qd.types.ndarray(dtype=T, ndim=1), got: qd.types.ndarray(dtype=T, ndim=1)
):
    # Old values are handed out once each.
    for i in range(got.shape[0]):
        got[i] = qd.atomic_add(counter[0], 1)


@qd.kernel
def cas_add(y: qd.types.ndarray(dtype=T, ndim=1), x: qd.types.ndarray(dtype=T, ndim=1)):
    # A retry loop: each lane retries on its own.
    for i in range(y.shape[0]):
        done = False
        while not done:
            seen = qd.volatile_load(x[0])
            done = qd.atomic_cas(x[0], seen, seen + y[i]) == seen
