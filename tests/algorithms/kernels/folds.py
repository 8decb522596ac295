# Reductions and scans of elements of type T; `--const T=qd.f32` names it. Scratch is u32, or u64 for 8 bytes.
import quadrants as qd

T = qd.i32
S = qd.u32
Arr = qd.types.ndarray(dtype=T, ndim=1)
Scratch = qd.types.ndarray(dtype=S, ndim=1)


@qd.func
def last_set(a, b):
    """The later one that is not 0: associative, and does not commute."""
    return b if b != qd.cast(0, T) else a


@qd.kernel
def reduce_add(x: Arr, out: Arr, scratch: Scratch, n: qd.i32):
    qd.algorithms.reduce_add(x, out, scratch, n, T, 4)


@qd.kernel
def reduce_min(x: Arr, out: Arr, scratch: Scratch, n: qd.i32):
    qd.algorithms.reduce_min(x, out, scratch, n, T, 4)


@qd.kernel
def reduce_max(x: Arr, out: Arr, scratch: Scratch, n: qd.i32):
    qd.algorithms.reduce_max(x, out, scratch, n, T, 4)


@qd.kernel
def scan_add(x: Arr, out: Arr, scratch: Scratch, n: qd.i32):
    qd.algorithms.exclusive_scan_add(x, out, scratch, n, T, 4)


@qd.kernel
def scan_min(x: Arr, out: Arr, scratch: Scratch, n: qd.i32):
    qd.algorithms.exclusive_scan_min(x, out, scratch, n, T, 4)


@qd.kernel
def scan_max(x: Arr, out: Arr, scratch: Scratch, n: qd.i32):
    qd.algorithms.exclusive_scan_max(x, out, scratch, n, T, 4)


@qd.kernel
def scan_last(x: Arr, out: Arr, scratch: Scratch, n: qd.i32):
    qd.algorithms.exclusive_scan(x, out, scratch, n, T, last_set, 0)


@qd.kernel
def inclusive_last(x: Arr, out: Arr, scratch: Scratch, n: qd.i32):
    qd.algorithms.inclusive_scan(x, out, scratch, n, T, last_set, 0)


@qd.kernel
def inclusive_add_small(x: Arr, out: Arr, scratch: Scratch, n: qd.i32):
    """At most 256 elements: a single task."""
    qd.algorithms.inclusive_scan(x, out, scratch, n, T, qd.add, 0, 1)
