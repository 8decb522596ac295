# Loops over any range that Python has, with bounds of every type and every kind: arguments,
# device memory, constants; in parallel and one after the other.
import quadrants as qd

wide = qd.types.ndarray(dtype=qd.i64, ndim=2)
ints = qd.types.ndarray(dtype=qd.i32, ndim=1)

SIZE = 4096


@qd.func
def record(form: qd.template(), i, begin, step, out: wide, counts: ints):
    # The index of each iteration at the iteration's place, and how many there were.
    qd.atomic_add(counts[form], 1)
    distance = qd.u64(i) - qd.u64(begin)
    size = qd.u64(step)
    if step < 0:
        distance = qd.u64(begin) - qd.u64(i)
        size = qd.u64(0) - qd.u64(step)
    place = distance // size
    if place < SIZE:
        out[form, qd.i32(place)] = qd.i64(i)


@qd.func
def constant_step(step: qd.template(), b, out: wide, counts: ints):
    if b[2] == step:
        for i in range(b[0], b[1], step):
            record(3, i, b[0], b[2], out, counts)
        n = 0
        for i in range(b[0], b[1], step):
            n += 1
            if n == 3:
                continue
            if n == 5:
                break
            record(4, i, b[0], b[2], out, counts)


@qd.func
def forms(begin, end, step, b, out: wide, counts: ints):
    for i in range(begin, end, step):
        record(0, i, begin, step, out, counts)
    for i in range(b[0], b[1], b[2]):
        record(1, i, b[0], b[2], out, counts)
    qd.loop_config(serialize=True)
    for i in range(b[0], b[1], b[2]):
        record(2, i, b[0], b[2], out, counts)
    if b[2] == 1:
        for i in range(b[0], b[1]):
            record(3, i, b[0], 1, out, counts)


@qd.func
def signed_forms(b, out: wide, counts: ints):
    for step in qd.static((-1, 2, -2, 3, -9, 100, -100)):
        constant_step(step, b, out, counts)


@qd.kernel
def range_i8(begin: qd.i8, end: qd.i8, step: qd.i8, b: qd.types.ndarray(dtype=qd.i8, ndim=1), out: wide, counts: ints):
    forms(begin, end, step, b, out, counts)


@qd.kernel
def range_i16(begin: qd.i16, end: qd.i16, step: qd.i16, b: qd.types.ndarray(dtype=qd.i16, ndim=1), out: wide, counts: ints):
    forms(begin, end, step, b, out, counts)


@qd.kernel
def range_i32(begin: qd.i32, end: qd.i32, step: qd.i32, b: qd.types.ndarray(dtype=qd.i32, ndim=1), out: wide, counts: ints):
    forms(begin, end, step, b, out, counts)
    signed_forms(b, out, counts)


@qd.kernel
def range_i64(begin: qd.i64, end: qd.i64, step: qd.i64, b: qd.types.ndarray(dtype=qd.i64, ndim=1), out: wide, counts: ints):
    forms(begin, end, step, b, out, counts)
    signed_forms(b, out, counts)


@qd.kernel
def range_u8(begin: qd.u8, end: qd.u8, step: qd.u8, b: qd.types.ndarray(dtype=qd.u8, ndim=1), out: wide, counts: ints):
    forms(begin, end, step, b, out, counts)


@qd.kernel
def range_u16(begin: qd.u16, end: qd.u16, step: qd.u16, b: qd.types.ndarray(dtype=qd.u16, ndim=1), out: wide, counts: ints):
    forms(begin, end, step, b, out, counts)


@qd.kernel
def range_u32(begin: qd.u32, end: qd.u32, step: qd.u32, b: qd.types.ndarray(dtype=qd.u32, ndim=1), out: wide, counts: ints):
    forms(begin, end, step, b, out, counts)


@qd.kernel
def range_u64(begin: qd.u64, end: qd.u64, step: qd.u64, b: qd.types.ndarray(dtype=qd.u64, ndim=1), out: wide, counts: ints):
    forms(begin, end, step, b, out, counts)


# Twins of the list in RangeTest.cpp.
CONSTANTS = (
    (-2000000000, 2000000000, 1000000),
    (2147483640, 2147483647, 8),
    (-2147483640, -2147483648, -9),
    (2147483647, -2147483648, -2147483648),
    (-2147483648, 2147483647, 2147483647),
    (9223372036854775807, -9223372036854775808, 1),
    (-9223372036854775808, 9223372036854775807, 4611686018427387904),
    (9223372036854775807, -9223372036854775808, -4611686018427387904),
    (0, 1099511627776, 8589934592),
    (5, -3, -2),
    (3, 3, 1),
    (4, 2, 5),
    (0, 9, 100),
)


@qd.kernel
def constants(out: wide, counts: ints):
    for k in qd.static(range(len(CONSTANTS))):
        for i in range(CONSTANTS[k][0], CONSTANTS[k][1], CONSTANTS[k][2]):
            record(k, i, qd.i64(CONSTANTS[k][0]), qd.i64(CONSTANTS[k][2]), out, counts)
    for k in qd.static(range(len(CONSTANTS))):
        qd.loop_config(serialize=True)
        for i in range(CONSTANTS[k][0], CONSTANTS[k][1], CONSTANTS[k][2]):
            record(len(CONSTANTS) + k, i, qd.i64(CONSTANTS[k][0]), qd.i64(CONSTANTS[k][2]), out, counts)


@qd.kernel
def shapes(a: qd.types.ndarray(dtype=qd.i32, ndim=2), out: wide, counts: ints):
    for i in range(a.shape[0] - 1, -1, -a.shape[1]):
        record(0, i, a.shape[0] - 1, -a.shape[1], out, counts)
    for i, j in qd.ndrange(a.shape[0] - 5, (1 - a.shape[1], a.shape[1] - 3)):
        qd.atomic_add(counts[1], 1)
        out[1, (i + 10) * 20 + j + 10] = 1


@qd.kernel
def extents(x: qd.i32, y: qd.i32, z: qd.i32, b: ints, counts: ints):
    for i, j in qd.ndrange(x, y):
        counts[0] += 1
    for I in qd.grouped(qd.ndrange(x, y, z)):
        counts[1] += 1
    for i, j in qd.ndrange((0, x), (y, 2), axes=(1, 0)):
        counts[2] += 1
    for i, j in qd.ndrange(b[0], b[1]):
        counts[3] += 1
    for I in qd.grouped(qd.ndrange(b[0], b[1], b[2])):
        counts[4] += 1
    for i, j in qd.ndrange(b[0], y):
        counts[5] += 1
    qd.loop_config(serialize=True)
    for i, j, k in qd.ndrange(x, b[1], z):
        counts[6] += 1
    for i in range(x - y):
        counts[7] += 1


@qd.kernel
def too_many(x: qd.i32, y: qd.i32, z: qd.i32, counts: ints):
    for i, j, k in qd.ndrange(x, y, z):
        counts[0] += 1


@qd.kernel
def too_many_in_memory(b: ints, counts: ints):
    for i, j, k in qd.ndrange(b[0], b[1], b[2]):
        counts[0] += 1


@qd.kernel
def wrapping_bounds(n: qd.i32, m: qd.i32, u: qd.u32, w: qd.i64, counts: ints):
    # Integers wrap before they are divided, in the launch's bound as on the device.
    for i in range((n * m) // 1000000):
        counts[0] += 1
    for i in range((n * m) % 1000):
        counts[1] += 1
    for i in range(qd.i32(w)):
        counts[2] += 1
    for i in range(qd.u8(n)):
        counts[3] += 1
    for i in range((u - 1) // 4194304):
        counts[4] += 1
    qd.loop_config(serialize=True)
    for i in range((n * m) // 1000000):
        counts[5] += 1


point = qd.field(qd.i32, shape=())
line = qd.field(qd.i32, shape=(7,))
grid = qd.field(qd.i32, shape=(3, 5))


@qd.func
def count_over(f: qd.template(), counts: ints, at: qd.template()):
    for I in qd.grouped(f):
        f[I] += 1
        counts[at] += f[I]


@qd.func
def sum_over(f: qd.template(), counts: ints):
    for i, j in f:
        counts[10] += i * 10 + j


@qd.kernel
def once(counts: ints):
    sum_over(grid, counts)
    count_over(point, counts, 0)
    count_over(line, counts, 1)
    count_over(grid, counts, 2)
    for I in qd.grouped(qd.ndrange()):
        counts[3] += 1
    qd.loop_config(serialize=True)
    for I in qd.grouped(qd.ndrange()):
        counts[4] += 1
        continue
        counts[4] += 1
    for I in qd.static(qd.grouped(qd.ndrange())):
        counts[5] += 1
    for i, j in qd.ndrange([2, 5], (1, 3), axes=None):
        counts[6] += i * 10 + j
    for i, j in qd.ndrange(*[4, (2, 5)]):
        counts[7] += i * 10 + j
    if True:
        for i in range(100):
            if i == 7:
                break
            counts[8] = counts[8] * 3 + i
    total = 0
    for k in qd.static([p * 10 + q for p in range(3) for q in range(p) if p + q > 1]):
        total += k
    counts[9] = total
