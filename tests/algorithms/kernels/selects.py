# Selections, and partitions in two.
import quadrants as qd

i32s = qd.types.ndarray(dtype=qd.i32, ndim=1)
u32s = qd.types.ndarray(dtype=qd.u32, ndim=1)
i64s = qd.types.ndarray(dtype=qd.i64, ndim=1)


@qd.kernel
def select(x: i64s, flags: i32s, out: i64s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.select(x, flags, out, count, scratch, n, 4)


@qd.func
def odd(x):
    return (x & 1) != 0


@qd.kernel
def select_if(x: i32s, out: i32s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.select_if(x, odd, out, count, scratch, n)


@qd.kernel
def partition(x: i32s, out: i32s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.partition(x, odd, out, count, scratch, n)
