# The services of launches and whole blocks to a kernel: divisions by extents that only the launch knows,
# atomics that a block performs once, values of arguments.
import quadrants as qd
from quadrants.lang.simt import subgroup

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
words = qd.types.ndarray(dtype=qd.u32, ndim=1)
reals = qd.types.ndarray(dtype=qd.f32, ndim=1)
longs = qd.types.ndarray(dtype=qd.i64, ndim=1)
wides = qd.types.ndarray(dtype=qd.u64, ndim=1)
doubles = qd.types.ndarray(dtype=qd.f64, ndim=1)


@qd.kernel
def boxes(a: qd.i32, b: qd.i32, c: qd.i32, out: ints):
    # Each iteration writes its own place, from its indices.
    for i, j, k in qd.ndrange(a, (-2, b), (c, 9)):
        out[(i * (b + 2) + (j + 2)) * (9 - c) + (k - c)] = i * 1000000 + (j + 2) * 1000 + (k - c)


@qd.kernel
def turned(x: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    # Two loops with the same divisor, and one with the axes the other way round.
    for i, j in x:
        x[i, j] = i * 1000 + j
    for i, j in qd.ndrange(x.shape[0], x.shape[1], axes=(1, 0)):
        x[i, j] += 1000000
    for I in qd.grouped(x):
        x[I] += 2000000 * (I[0] - I[1])


@qd.kernel
def sums(x: ints, total: ints, real: reals):
    for i in range(x.shape[0]):
        total[0] += x[i]
        real[0] += qd.f32(x[i])


@qd.kernel
def row_sums(x: qd.types.ndarray(dtype=qd.f32, ndim=2), least: qd.f32, out: reals, seen: reals):
    # In loops, under conditions, and before other accesses.
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[1] += x[i, j]
            if x[i, j] > least:
                out[0] += 1.0
        seen[i] = x[i, 0]


@qd.kernel
def extremes(x: ints, low: ints, high: words, bits: ints):
    for i in range(x.shape[0]):
        qd.atomic_min(low[3], x[i])
    for i in range(x.shape[0]):
        qd.atomic_max(high[1], qd.u32(x[i]))
    for i in range(x.shape[0]):
        bits[0] ^= x[i]
    for i in range(x.shape[0]):
        qd.atomic_mul(bits[1], x[i] | 1)


@qd.kernel
def real_extremes(x: reals, out: reals):
    for i in range(x.shape[0]):
        qd.atomic_min(out[0], x[i])
    for i in range(x.shape[0]):
        qd.atomic_max(out[1], x[i])
    for i in range(x.shape[0]):
        if x[i] == 0.0:
            out[2] += x[i]  # -0.0: the sum keeps its sign


@qd.kernel
def seldom(x: ints, counts: ints, none: ints):
    # Under conditions on data; nobody gets to the third one, whose array may be empty.
    for i in range(x.shape[0]):
        if x[i] > 0:
            counts[0] += 1
            if x[i] % 2 == 1:
                counts[1] += x[i]
        else:
            counts[2] += 1
        if x[i] == 12345678:
            none[0] += 1


@qd.kernel
def in_order(x: ints, out: ints):
    # Operators of one thread at one place stay in order.
    for i in range(1):
        out[0] += 5
        qd.atomic_min(out[0], 7)
        out[0] += 100
    # The thread sees what it did before.
    for i in range(1):
        out[1] += 3
        x[0] = out[1] * 10
    # Added once for each block.
    qd.loop_config(block_dim=64)
    for i in range(256):
        out[2 + i // 64] += x[0] + i


# Blocks of one thread, of part of a subgroup, of more than whole subgroups, and the largest.
@qd.kernel
def odd_blocks(x: ints, out: ints):
    qd.loop_config(block_dim=1)
    for i in range(x.shape[0]):
        out[0] += x[i]
    qd.loop_config(block_dim=3)
    for i in range(x.shape[0]):
        qd.atomic_min(out[1], x[i])
    qd.loop_config(block_dim=48)
    for i in range(x.shape[0]):
        qd.atomic_max(out[2], x[i])
    qd.loop_config(block_dim=100)
    for i in range(x.shape[0]):
        out[3] |= x[i] & 0x7f0
    qd.loop_config(block_dim=129)
    for i in range(x.shape[0]):
        out[4] += x[i]
    qd.loop_config(block_dim=1024)
    for i in range(x.shape[0]):
        out[5] ^= x[i]


@qd.kernel
def one_thread(x: ints, who: qd.i32, out: ints, real: reals):
    for i in range(x.shape[0]):
        if i == who:
            out[0] += x[i]
            real[0] -= qd.f32(x[i])
    for i in range(x.shape[0]):
        if i == who:
            qd.atomic_max(real[1], qd.f32(x[i]))
        else:
            qd.atomic_min(out[1], x[i])


@qd.kernel
def wide_totals(x: ints, sums: longs, most: wides, real: doubles):
    for i in range(x.shape[0]):
        sums[0] += qd.i64(x[i]) * qd.i64(4294967296)
    for i in range(x.shape[0]):
        qd.atomic_max(most[1], qd.u64(x[i]))
    for i in range(x.shape[0]):
        real[0] += qd.f64(x[i]) * 0.5


# The old values are used: each of them is there once.
@qd.kernel
def numbered(x: ints, count: ints, number: ints):
    for i in range(x.shape[0]):
        number[i] = qd.atomic_add(count[0], 1)


@qd.kernel
def with_lanes(x: ints, total: ints, tops: ints):
    qd.loop_config(block_dim=128)
    for i in range(128 * 3):
        v = subgroup.reduce_all_max(x[i])
        tops[i] = v
        total[0] += subgroup.shuffle_xor(x[i], qd.u32(1))
    qd.loop_config(block_dim=128)
    for i in range(128 * 3):
        y = subgroup.shuffle_xor(x[i], qd.u32(1))
        total[1] += y * (i % 7)


# Places that depend on data, and one for the whole block.
@qd.kernel
def both(keys: ints, bins: ints, total: ints):
    for i in range(keys.shape[0]):
        k = keys[i]
        bins[k] += 1
        total[0] += k
    for i in range(keys.shape[0]):
        k = keys[i]
        total[1] += k
        bins[k] += 1000


# Lanes leave the loop one after the other.
@qd.kernel
def rounds(x: ints, out: reals, seen: ints):
    for i in range(x.shape[0]):
        n = x[i]
        while n > 0:
            out[0] += qd.f32(n)
            n -= 1
        if i % 3 == 1:
            out[1] += 0.5
        seen[i] = n


@qd.kernel
def scaled(x: reals, y: reals, gain: qd.f32):
    n = x.shape[0]
    s = 1.0 / n
    t = s * gain + 1.0
    u = t
    for i in range(n):
        y[i] = x[i] * t
    u = u * 2.0
    for i in range(x.shape[0]):
        y[i] += u + s
