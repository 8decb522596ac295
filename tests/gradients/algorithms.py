"""Device-wide algorithms on a CPU, with code before and after them that takes part in the derivatives."""

import quadrants as qd

A = qd.types.ndarray(T, 1)
V = qd.types.ndarray(qd.types.vector(2, T), 1)
U = qd.types.ndarray(qd.u32, 1)
I = qd.types.ndarray(qd.i32, 1)
N = qd.types.ndarray(qd.i32, 0)
C = qd.types.ndarray(T, 1, needs_grad=False)
words = qd.field(qd.u32, shape=100000)


@qd.func
def is_large(x):
    return x > 0.8


@qd.func
def is_middle(x):
    return x > 0.5


@qd.func
def is_long(v):
    return v[0] + v[1] > 1.5


@qd.kernel
def sums_of_all(x: A, y: A, out: A, s: U, n: qd.i32):
    for i in range(n):
        y[i] = x[i] * x[i]
    qd.algorithms.reduce_add(y, out, s, n, T, 4)
    scale = out[0]
    for i in range(n):
        y[i] = y[i] * 2 + 3 * scale


@qd.kernel
def sums_of_one_tile(x: A, out: A, s: U, n: qd.i32):
    qd.algorithms.reduce(x, out, s, qd.min(n, 2000), T, qd.add, 0, 1)


@qd.kernel
def extremes(x: A, y: A, out: A, last: A, z: A, s: U, n: qd.i32):
    for i in range(n):
        y[i] = qd.sin(3 * x[i])
    qd.algorithms.reduce_min(y, out, s, n, T, 4)
    qd.algorithms.reduce(y, last, s, n, T, qd.max, -qd.math.inf, 4)
    z[0] = out[0] * last[0]


@qd.kernel
def least(x: A, out: A, s: U, n: qd.i32):
    qd.algorithms.reduce_min(x, out, s, n, T, 4)


@qd.kernel
def exclusive_sums(x: A, y: A, out: A, s: U, n: qd.i32):
    qd.algorithms.exclusive_scan_add(x, y, s, n, T, 4)
    for i in range(n):
        out[i] += y[i] * 3


@qd.kernel
def sums_in_place(x: A, scratch: C, n: qd.i32):
    qd.algorithms.inclusive_scan(x, x, scratch, n, T, qd.add, 0)


# The number is in an array, and both scans use the same scratch memory.
@qd.kernel
def sums_of_counted(x: A, y: A, out: A, s: U, count: N):
    qd.algorithms.exclusive_scan_add(x, y, s, count, T, 4)
    for i in range(count[None]):
        y[i] = y[i] * 0.5
    qd.algorithms.inclusive_scan(y, out, s, count, T, qd.add, 0, 4)


@qd.kernel
def selected(x: A, flags: I, y: A, out: A, last: A, counts: I, s: U, n: qd.i32):
    for i in range(n):
        flags[i] = flags[i] % 3
    qd.algorithms.select(x, flags, y, counts, s, n, 4)
    qd.algorithms.select_if(x, is_large, out, counts, s, n, 4)
    qd.algorithms.partition(x, is_middle, last, counts, s, n, 4)
    for i in range(n):
        last[i] = last[i] * 2 + out[i] - y[i]


@qd.kernel
def parted(v: V, first: V, second: V, rest: V, counts: I, s: U, n: qd.i32):
    qd.algorithms.partition3(v, is_long, is_other, first, second, rest, counts, s, n)
    for i in range(n):
        rest[i] = rest[i] * 2 + first[i]


@qd.func
def is_other(v):
    return v[0] > 0.6


@qd.kernel
def runs(x: A, y: A, keys: I, keys_out: I, out: A, counts: I, s: U, n: qd.i32):
    for i in range(n):
        keys[i] = i // 3
        y[i] = x[i] * x[i]
    qd.algorithms.reduce_by_key_add(keys, y, keys_out, out, counts, s, n, T, 4)


@qd.kernel
def real_runs(x: A, y: A, z: A, keys_out: A, out: A, last: A, counts: I, count: I, sizes: I, s: U, n: qd.i32):
    for i in range(n):
        y[i] = x[i // 3]
    qd.algorithms.reduce_by_key(y, z, keys_out, out, counts, s, n, T, qd.add, 0)
    qd.algorithms.run_length_encode(y, last, sizes, count, s, n)


@qd.kernel
def largest(x: A, y: A, places: I, n: qd.i32):
    qd.algorithms.top_k(x, y, places, 5, words, n, T)


@qd.kernel
def sorted_alone(x: A, tmp: A, places: I, tmp_places: I, n: qd.i32):
    qd.algorithms.argsort(x, tmp, places, tmp_places, words, n, T)


# The kernel sorts twice, by other places.
@qd.kernel
def sorted_twice(x: A, y: A, tmp: A, places: I, others: I, tmp_places: I, out: A, n: qd.i32):
    for i in range(n):
        y[i] = x[i] * x[i]
    qd.algorithms.argsort(y, tmp, places, tmp_places, words, n, T)
    for i in range(n):
        y[i] = y[i] * (1 if i % 2 == 0 else -1)
    qd.algorithms.argsort(y, tmp, others, tmp_places, words, n, T)
    for i in range(n):
        out[i] = y[i] * i


# A sort in place of reals with gradients is refused; this is what its message says, too.
@qd.kernel
def sorted_places(x: A, keys: C, tmp: C, places: I, tmp_places: I, out: A, n: qd.i32):
    for i in range(n):
        keys[i] = x[i]
        places[i] = i
    qd.algorithms.sort(keys, tmp, places, tmp_places, words, n, T, True, 64 if qd.static(T == qd.f64) else 32, 4)
    for i in range(n):
        out[i] = x[places[i]] * i


@qd.kernel
def merged(x: A, y: A, out: A, n: qd.i32):
    qd.algorithms.merge(x, y, out, n // 2, n - n // 2)


@qd.kernel
def segments(x: A, y: A, out: A, offsets: I, n: qd.i32):
    for i in range(8):
        offsets[qd.min(i, n - 1)] = qd.min(i * i * i * 20, n)
    qd.algorithms.segmented_reduce(x, y, offsets, qd.min(n - 1, 7), T, qd.add, 0)
    qd.algorithms.segmented_scan(x, out, offsets, qd.min(n - 1, 7), T, qd.add, 0)


@qd.kernel
def segmented_products(x: A, y: A, offsets: I, n: qd.i32):
    for i in range(8):
        offsets[qd.min(i, n - 1)] = qd.min(i * 5, n)
    qd.algorithms.segmented_reduce(x, y, offsets, qd.min(n - 1, 7), T, qd.mul, 1)


@qd.kernel
def copied(x: A, y: A, src: I, dst: I, sizes: I, s: U, n: qd.i32):
    for i in range(n // 10):
        src[i] = i * 7
        dst[i] = i * 10
        sizes[i] = i % 9
    qd.algorithms.batched_copy(x, y, src, dst, sizes, s, n // 10)


# Scratch of reals keeps them as they are.
@qd.kernel
def products(x: A, y: A, out: A, s: A, n: qd.i32):
    for i in range(n):
        y[i] = 1 + 0.001 * x[i]
    qd.algorithms.reduce(y, out, s, n, T, qd.mul, 1)
