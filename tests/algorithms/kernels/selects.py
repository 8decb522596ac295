# Selections, partitions and runs.
import quadrants as qd

i32s = qd.types.ndarray(dtype=qd.i32, ndim=1)
u32s = qd.types.ndarray(dtype=qd.u32, ndim=1)
u64s = qd.types.ndarray(dtype=qd.u64, ndim=1)
i64s = qd.types.ndarray(dtype=qd.i64, ndim=1)
f32s = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def select(x: i64s, flags: i32s, out: i64s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.select(x, flags, out, count, scratch, n, 4)


@qd.func
def odd(x):
    return (x & 1) != 0


@qd.func
def third(x):
    return x % 3 == 0


@qd.kernel
def select_if(x: i32s, out: i32s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.select_if(x, odd, out, count, scratch, n)


@qd.kernel
def partition(x: i32s, out: i32s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.partition(x, odd, out, count, scratch, n)


@qd.kernel
def partition3(x: i32s, a: i32s, b: i32s, c: i32s, counts: i32s, scratch: u64s, n: qd.i32):
    qd.algorithms.partition3(x, odd, third, a, b, c, counts, scratch, n)


@qd.kernel
def unique(x: i32s, out: i32s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.unique(x, out, count, scratch, n)


@qd.kernel
def run_lengths(x: i32s, out: i32s, lengths: i32s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.run_length_encode(x, out, lengths, count, scratch, n)


@qd.kernel
def by_key_f32(keys: i32s, x: f32s, keys_out: i32s, out: f32s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.reduce_by_key_add(keys, x, keys_out, out, count, scratch, n, qd.f32, 4)


@qd.kernel
def by_key_i64(keys: i32s, x: i64s, keys_out: i32s, out: i64s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.reduce_by_key(keys, x, keys_out, out, count, scratch, n, qd.i64, qd.max, -(2**63))
