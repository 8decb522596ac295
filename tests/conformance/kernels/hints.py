# Effects of hints on the code, and that they change no result: accesses that tell the caches
# something, loops that are unrolled, and room for several blocks. See HintTest.cpp.
import quadrants as qd

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
D = qd.types.ndarray(dtype=qd.f64, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)
B = qd.types.ndarray(dtype=qd.u8, ndim=1)
H = qd.types.ndarray(dtype=qd.f16, ndim=1)
V = qd.types.ndarray(dtype=qd.types.vector(4, qd.f32), ndim=1)
M = qd.types.ndarray(dtype=qd.types.vector(2, qd.i32), ndim=2)

table = qd.field(qd.i32, shape=(8, 3))
marks = qd.field(qd.u1, shape=8)


@qd.kernel
def words(x: F, y: I, out: F, numbers: I):
    qd.loop_config(block_dim=64, min_blocks=4)
    for i in x:
        last = x.shape[0] - 1
        a = qd.load(x, i, cache="stream")
        b = qd.load(x, last - i, cache="readonly")
        c = qd.load(y, i, cache="global")
        qd.store(out, i, a - 2.0 * b + c, cache="stream")
        qd.store(numbers, last - i, c * 3 + qd.load(y, last - i), cache="all")


@qd.kernel
def wide(x: D, y: D):
    for i in x:
        qd.store(y, i, qd.load(x, i, cache="stream") * 2 + qd.load(x, 0, cache="readonly"), cache="stream")


@qd.kernel
def narrow(b: B, h: H, out: B, halves: H):
    for i in b:
        qd.store(out, i, qd.load(b, i, cache="stream") + qd.load(b, 0, cache="global"), cache="stream")
        qd.store(halves, i, -qd.load(h, i, cache="stream"), cache="stream")


@qd.kernel
def vectors(x: V, y: V, m: M, out: M):
    for i in x:
        v = qd.load(x, i, cache="stream")
        w = qd.load(x, x.shape[0] - 1 - i, cache="global")
        qd.store(y, i, qd.Vector([v[1], w[0], v[3], w[2]]), cache="stream")
    for ij in qd.grouped(m):
        qd.store(out, ij, qd.load(m, ij, cache="readonly").yx, cache="stream")


@qd.kernel
def fields(out: I):
    for i in marks:
        qd.store(marks, i, i % 3 == 0, cache="stream")
    for i, j in table:
        qd.store(table, i, j, 10 * i + j, cache="stream")
    for i in range(8):
        out[i] = qd.load(table, i, 0, cache="global") + qd.load(table, i, 2, cache="stream")
        if qd.load(marks, i, cache="readonly"):
            out[i] = -1


@qd.kernel
def unrolled(x: I, n: qd.i32, out: I):
    for i in x:
        s = 0
        qd.loop_config(unroll=4)
        for j in range(n):
            s = s * 3 + x[(i + j) % x.shape[0]]
        qd.loop_config(unroll=1)
        for j in range(n, 0, -2):
            s ^= j * i
        qd.loop_config(unroll=True)
        for j in range(7):
            s = s * 5 + j
        qd.loop_config(unroll=3)
        for j, k in qd.ndrange(n, 5):
            s += j * k
            if s % 97 == 3:
                s += 1
                continue
            if j * k > 40:
                break
        out[i] = s
