"""Arrays of every size: without elements, without dimensions, and with more than 2^31 - 1 elements.
The module is built with --large-arrays."""
import quadrants as qd

single = qd.types.ndarray(dtype=qd.f32, ndim=0)
reals = qd.types.ndarray(dtype=qd.f32, ndim=1)
ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
grid = qd.types.ndarray(dtype=qd.f32, ndim=2)
vectors = qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=1)
bytes1 = qd.types.ndarray(dtype=qd.i8, ndim=1)
bytes2 = qd.types.ndarray(dtype=qd.i8, ndim=2)

one = qd.field(qd.f32, shape=())
three = qd.Vector.field(3, qd.f32, shape=())
big = qd.field(qd.i8, shape=(1 << 16, (1 << 15) + 1))


# out[k] of each of the following counts what ran.
@qd.kernel
def loops(x: grid, out: ints):
    for i, j in x:
        x[i, j] = 1.0
        out[0] += 1
    for I in qd.grouped(x):
        x[I] += 1.0
        out[1] += 1
    for i in range(x.shape[1]):
        out[2] += 1
    out[3] = qd.cast(x.size, qd.i32) + 100
    for k in range(2):
        for i, j in x:
            out[4] += 1
        for i in range(x.shape[0]):
            out[5] += 1


@qd.kernel
def ranges(n: qd.i32, m: qd.i32, out: ints):
    for i, j in qd.ndrange(n, m):
        out[0] += 1
    for i in range(n):
        out[1] += 1
    for k in range(2):
        for i, j in qd.ndrange(n, (1, m)):
            out[2] += 1
    out[3] = 7


@qd.kernel
def from_memory(n: ints, out: ints):
    for i in range(n[0]):
        out[0] += 1
    for i, j in qd.ndrange(n[0], n[1]):
        out[1] += 1
    out[2] = 7


@qd.kernel
def fills(x: grid, v: vectors, a: qd.f32):
    x.fill(a)
    v.fill(a)


@qd.kernel
def sum_of(x: reals) -> qd.f32:
    s = 1.0
    for i in x:
        s += x[i]
    return s


@qd.kernel
def in_blocks(x: ints):
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        tile = qd.simt.block.SharedArray((64,), qd.i32)
        tid = qd.simt.block.thread_idx()
        tile[tid] = x[i]
        qd.simt.block.sync()
        x[i] = tile[63 - tid]


@qd.kernel
def no_dimensions(x: single, y: single, v: vectors) -> qd.f32:
    x[()] += 3.0
    y[None] = x[()] * 2.0
    one[None] = y[()] + 1.0
    one[()] += 1.0
    three[None] = qd.Vector([1.0, 2.0, 3.0])
    three[()][1] += 5.0
    v[0] = three[()]
    for I in qd.grouped(x):
        x[I] += 100.0
    for i in range(10):
        y[()] += 1.0
        qd.atomic_add(one[None], 1.0)
    return one[None]


@qd.kernel
def mark(x: bytes1):
    for i in range(x.shape[0]):
        x[i] = qd.cast(i % 101, qd.i8)


@qd.kernel
def mark_grid(x: bytes2):
    for i, j in x:
        x[i, j] = qd.cast((i * 7 + j) % 101, qd.i8)


@qd.kernel
def reverse(x: bytes1, first: qd.i64, n: qd.i32):
    """Turns n bytes round: loops and positions in one thread."""
    for k in range(1):
        for i in range(n // 2):
            a = first + i
            b = first + n - 1 - i
            t = x[a]
            x[a] = x[b]
            x[b] = t


@qd.kernel
def count_far(n: qd.i32, m: qd.i32, out: ints):
    """More iterations than elements of any array."""
    for i, j in qd.ndrange(n, m):
        if (qd.cast(i, qd.i64) * m + j) % (1 << 24) == 0:
            out[0] += 1
        if i == n - 1 and j == m - 1:
            out[1] += 1


@qd.kernel
def mark_field():
    for i, j in big:
        big[i, j] = qd.cast((i * 3 + j) % 101, qd.i8)


@qd.kernel
def field_at(i: qd.i32, j: qd.i32) -> qd.i32:
    return qd.cast(big[i, j], qd.i32)
