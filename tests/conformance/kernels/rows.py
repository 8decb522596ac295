# Loops of a thread over a row of an array, which targets may run four elements at a time: where the
# row's length is a multiple of four, and the array begins at a multiple of 16 bytes.
import quadrants as qd
from quadrants.lang.simt import subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
I64 = qd.types.ndarray(dtype=qd.i64, ndim=1)


# Numbers that tell the order in which elements came, and how far each had come.
@qd.kernel
def orders(m: qd.types.ndarray(qd.i32, 2), d: qd.types.ndarray(qd.f32, 2), out: qd.types.ndarray(qd.i64, 2)):
    for i in range(m.shape[0]):
        words = 1
        behind = 0
        for k in range(m.shape[1]):
            behind, words = words, words * 31 + m[i, k] + k
        out[i, 0] = words
        out[i, 1] = behind
        total = 1.0
        for k in range(m.shape[1]):
            total = total * 0.5 + d[i, k]
        out[i, 2] = qd.i64(total * 1024.0)


# Elements of less than 32 bits.
@qd.kernel
def narrow(b: qd.types.ndarray(qd.u8, 2), h: qd.types.ndarray(qd.i16, 2), out: I32):
    for i in range(b.shape[0]):
        total = 1
        for k in range(b.shape[1]):
            total = total * 7 + qd.i32(b[i, k]) * 3 - qd.i32(h[i, k])
        out[i] = total


# In place, from the fourth on, with a test inside, in arrays of three dimensions.
@qd.kernel
def updates(m: qd.types.ndarray(qd.i64, 3), w: qd.types.ndarray(qd.f32, 3), seen: I32):
    for i, j in qd.ndrange(m.shape[0], m.shape[1]):
        found = 0
        for k in range(4, m.shape[2]):
            m[i, j, k] = m[i, j, k] * 3 + k
        for k in range(4, m.shape[2]):
            if w[i, j, k] > 2.0:
                found += k
        for k in range(m.shape[2]):
            before = w[i, j, k]
            w[i, j, k] = before + 0.5 * k
        qd.atomic_add(seen[i], found)


# Elements that follow from those of the iteration before.
@qd.kernel
def neighbours(m: qd.types.ndarray(qd.i32, 2), n: qd.types.ndarray(qd.i32, 2)):
    for i in range(m.shape[0]):
        for k in range(1, m.shape[1]):
            m[i, k] += 2 * m[i, k - 1]
        for k in range(n.shape[1] - 1):
            n[i, k + 1] = n[i, k] + n[i, k + 1] * 2


# Two arrays, which may be one: each element then is that of the iteration before.
@qd.kernel
def shifted(x: I32, y: I32, n: qd.i32):
    for i in range(x.shape[0] // n):
        for k in range(n):
            y[i * n + k] = x[i * n + k] + 1


# Lanes add up in each iteration.
@qd.kernel
def lanes(m: qd.types.ndarray(qd.i32, 2), out: I32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        total = 0
        for k in range(m.shape[1]):
            total = total * 3 + subgroup.reduce_all_add(m[i, k])
        out[i] = total


# Rows as long as an argument says, which begin where another says.
@qd.kernel
def parts(x: I32, out: I64, start: qd.i32, stride: qd.i32, n: qd.i32):
    for i in range(out.shape[0]):
        total = qd.i64(5)
        for k in range(n):
            total = total * 31 + x[start + i * stride + k]
        out[i] = total


# Rows whose first element's number wraps on the way, or comes from less than 32 bits.
@qd.kernel
def wraps(x: I32, out: I32, n: qd.i32, a: qd.i32, c: qd.i32, b: qd.i16):
    for i in range(out.shape[0]):
        total = 1
        for k in range(n):
            total = total * 31 + x[i * 4 * a + k]
            total = total * 31 + x[i * 8 + (k + b) + c + c + 8]
        out[i] = total


# The length and the begin of a row follow from the row before.
@qd.kernel
def one_after_the_other(x: qd.types.ndarray(qd.i32, 2), y: qd.types.ndarray(qd.i32, 2), out: I32):
    for i in range(x.shape[0]):
        total = 1
        last = 0
        for k in range(x.shape[1]):
            total = total * 31 + x[i, k]
            last = qd.max(last, k & 12)
        for k in range(last):
            total = total * 31 + y[i, k]
        for k in range(4):
            total = total * 31 + y[i, k + last]
        out[i] = total
