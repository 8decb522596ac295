# Partitions in three, runs, merges and the best keys, which count in words of 32 bits: with counts of
# type N, `--const N=qd.i64` names it.
import quadrants as qd

N = qd.i32
i32s = qd.types.ndarray(dtype=qd.i32, ndim=1)
u32s = qd.types.ndarray(dtype=qd.u32, ndim=1)
u64s = qd.types.ndarray(dtype=qd.u64, ndim=1)
i64s = qd.types.ndarray(dtype=qd.i64, ndim=1)
f32s = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.func
def odd(x):
    return (x & 1) != 0


@qd.func
def third(x):
    return x % 3 == 0


@qd.kernel
def partition3(x: i32s, a: i32s, b: i32s, c: i32s, counts: i32s, scratch: u64s, n: N):
    qd.algorithms.partition3(x, odd, third, a, b, c, counts, scratch, n)


@qd.kernel
def unique(x: i32s, out: i32s, count: i32s, scratch: u32s, n: N):
    qd.algorithms.unique(x, out, count, scratch, n)


@qd.kernel
def run_lengths(x: i32s, out: i32s, lengths: i32s, count: i32s, scratch: u32s, n: N):
    qd.algorithms.run_length_encode(x, out, lengths, count, scratch, n)


@qd.kernel
def by_key_f32(keys: i32s, x: f32s, keys_out: i32s, out: f32s, count: i32s, scratch: u32s, n: N):
    qd.algorithms.reduce_by_key_add(keys, x, keys_out, out, count, scratch, n, qd.f32, 4)


@qd.kernel
def by_key_i64(keys: i32s, x: i64s, keys_out: i32s, out: i64s, count: i32s, scratch: u32s, n: N):
    qd.algorithms.reduce_by_key(keys, x, keys_out, out, count, scratch, n, qd.i64, qd.max, -(2**63))


@qd.func
def by_upper_half(a, b):
    return (a >> qd.u64(32)) < (b >> qd.u64(32))


@qd.kernel
def merges(a: u64s, b: u64s, out: u64s, na: N, nb: N):
    qd.algorithms.merge(a, b, out, na, nb, by_upper_half)


@qd.kernel
def best(keys: f32s, out: f32s, places: i32s, scratch: u32s, n: N, k: N):
    qd.algorithms.top_k(keys, out, places, k, scratch, n, qd.f32)


@qd.kernel
def least(keys: u64s, out: u64s, places: i32s, scratch: u32s, n: N, k: N):
    qd.algorithms.top_k(keys, out, places, k, scratch, n, qd.u64, largest=False)
