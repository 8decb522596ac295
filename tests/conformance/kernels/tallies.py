# Updates at data-dependent places, which some targets collect block by block; see TallyTest.cpp.
import quadrants as qd

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
D = qd.types.ndarray(dtype=qd.f64, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)
U = qd.types.ndarray(dtype=qd.u32, ndim=1)
L = qd.types.ndarray(dtype=qd.i64, ndim=1)
I2 = qd.types.ndarray(dtype=qd.i32, ndim=2)

cells = qd.field(qd.i32, shape=(8, 16))


@qd.kernel
def counts(keys: I, n: qd.i32, bins: I):
    for i in range(n):
        bins[keys[i]] += 1


@qd.kernel
def sums(keys: I, values: I, bins: F):
    for i in keys:
        k = keys[i]
        bins[k] += qd.cast(values[i], qd.f32)


@qd.kernel
def wide_sums(keys: I, values: I, bins: L, reals: D):
    for i in keys:
        bins[keys[i]] += qd.cast(values[i], qd.i64) * qd.i64(4294967296)
    for i in keys:
        reals[keys[i]] += values[i]


@qd.kernel
def chosen(keys: I, values: I, bins: I):
    for i in keys:
        v = values[i]
        if v % 3 != 0:
            k = keys[i]
            if v > 50:
                k = k // 2
            bins[k] += v


@qd.kernel
def extremes(keys: I, values: I, least: I, most: I, some: U, odd: U):
    for i in keys:
        qd.atomic_min(least[keys[i]], values[i])
    for i in keys:
        qd.atomic_max(most[keys[i]], values[i])
    for i in keys:
        some[keys[i]] |= qd.u32(1) << qd.cast(values[i] % 32, qd.u32)
    for i in keys:
        odd[keys[i]] ^= qd.cast(values[i], qd.u32)


@qd.kernel
def two(keys: I, values: I, first: I, second: I):
    for i in keys:
        k = keys[i]
        v = values[i]
        first[k] += 1
        second[v] += k


@qd.kernel
def means(keys: I, values: I, sums: F, counts: I):
    for i in keys:
        k = keys[i]
        v = qd.cast(values[i], qd.f32)
        counts[k] += 1
        sums[k] += v


@qd.kernel
def blocks(keys: I, narrow: I, odd: I, large: I):
    qd.loop_config(block_dim=32)
    for i in keys:
        narrow[keys[i]] += 1
    qd.loop_config(block_dim=96)
    for i in keys:
        odd[keys[i]] += 1
    qd.loop_config(block_dim=1024)
    for i in keys:
        large[keys[i]] += 1


@qd.kernel
def planes(keys: I2, bins: I2):
    for i, j in keys:
        bins[i % bins.shape[0], keys[i, j]] += i + 1


# Ranges at the ends of i32, and empty ones whose difference wraps around.
@qd.kernel
def ranges(keys: I, a: qd.i32, b: qd.i32, c: qd.i32, bins: I, rows: I):
    for i in range(a, b):
        bins[keys[i - a]] += 1
    for i, j in qd.ndrange((a, b), (0, c)):
        rows[keys[i - a] + j] += 1


# Whole blocks of 512, of only 128, and none.
@qd.kernel
def constants(keys: I, bins: I):
    for i, j in cells:
        cells[i, j] = 0
    for i in range(1024):
        cells[keys[i] // 16, keys[i] % 16] += 1
    for i in range(384):
        cells[keys[i] // 16, keys[i] % 16] += 1000
    for i in range(1000):
        cells[keys[i] // 16, keys[i] % 16] += 1000000
    for i, j in cells:
        bins[16 * i + j] = cells[i, j]


# Each thread sees its own update after it, and two arrays may be the same memory.
@qd.kernel
def behind(keys: I, bins: I, seen: I):
    for i in keys:
        bins[keys[i]] += 1
        seen[i] = bins[keys[i]]


@qd.kernel
def used(keys: I, bins: I, order: I):
    for i in keys:
        order[i] = qd.atomic_add(bins[keys[i]], 1)


@qd.kernel
def before(keys: I, bins: I, seen: I):
    for i in keys:
        seen[i] = keys[i]
        bins[seen[i]] += 1


# Loops that update one place. Arrays may be the same memory, so that a row has the place.
@qd.kernel
def rows(x: I, count: qd.i32, columns: qd.i32, place: qd.i32, out: I):
    for i in range(count):
        for j in range(columns):
            out[place] += x[i * columns + j]


@qd.kernel
def pairs(count: qd.i32, least: qd.i32, out: I):
    for i in range(count):
        for j in range(i):
            if (i * j) % 7 >= least:
                out[1] += i - j


@qd.kernel
def planes_of_rows(x: I, place: qd.i32, out: I):
    for i in range(1):
        for k in range(3):
            for j in range(1, 8):
                if x[k * 8 + j] != 5:
                    qd.atomic_max(out[place], x[k * 8 + j] + k)
