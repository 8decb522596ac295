# Loops over several axes, whose rows have any length: where a row ends, neighbouring threads are in
# different rows, and at borders some have clamped indices.
import quadrants as qd

I32 = qd.types.ndarray(qd.i32, 1)
I32_2 = qd.types.ndarray(qd.i32, 2)
I32_3 = qd.types.ndarray(qd.i32, 3)


@qd.kernel
def around(x: I32_2, y: I32_2):
    for i, j in qd.ndrange(x.shape[0], x.shape[1]):
        total = y[i, j] * 3
        for a in qd.static(range(-1, 2)):
            for b in qd.static(range(-2, 2)):
                row = qd.min(qd.max(i + a, 0), x.shape[0] - 1)
                total += x[row, qd.min(qd.max(j + b, 0), x.shape[1] - 1)] * (a + 2 * b + 6)
        y[i, j] = total


@qd.kernel
def cells(x: I32_3, y: I32_3, counts: I32):
    for i, j, k in qd.ndrange(x.shape[0], x.shape[1], x.shape[2]):
        y[i, j, k] = y[i, j, k] * 3 + x[i, j, k] + i * 10000 + j * 100 + k
        if (i + j + k) % 3 == 0:
            counts[k % 7] += 1


@qd.kernel
def inside(y: I32_2):
    for i, j in qd.ndrange((1, y.shape[0] - 1), (2, y.shape[1] - 1)):
        before = y[i, j]
        y[i, j] = before + i * 1000 + j


# A loop over one axis that takes its number apart by itself, with quotients that vectors of lanes know
# and others.
@qd.kernel
def shares(y: I32, n: qd.i32):
    for i in range(y.shape[0]):
        before = y[i] * 2 + (i // 14) * 1000000 + (i // 32) * 10000
        y[i] = before + (i // 8 % 4) * 100 + i % 16 + (i // n) * 7 + (i & 31) * (i >> 4)


# Quotients that fall, and ones by numbers that differ from iteration to iteration.
@qd.kernel
def falling(y: I32, n: qd.i32):
    for i in range(y.shape[0]):
        y[i] = i // n + 1000 * (i % n)


@qd.kernel
def by_others(y: I32):
    for i in range(y.shape[0]):
        y[i] = i // -(i % 7 + 8) + 1000 * (i // (i % 5 + 3))
