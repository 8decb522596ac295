# Short loops, whose blocks each target chooses; see LightTest.cpp.
import quadrants as qd
from quadrants.lang.simt import block

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)
I2 = qd.types.ndarray(dtype=qd.i32, ndim=2)

cells = qd.field(qd.i32, shape=1024)


@qd.kernel
def each(x: I, n: qd.i32):
    for i in range(n):
        x[i] += i + 1


@qd.kernel
def stepped(x: I, begin: qd.i32, end: qd.i32, step: qd.i32):
    for i in range(begin, end, step):
        x[i] += i + 1


@qd.kernel
def axes(x: I2):
    for i, j in x:
        x[i, j] += 1000 * i + j


@qd.kernel
def constants(x: I):
    for i in range(1024):  # whole blocks of 256
        cells[i] = i
    for i in range(384):  # runs in blocks of 128 only
        x[i] = cells[i] + 1
    for i in range(1000):
        x[i] += cells[1023 - i]


# One place, of all threads and of some.
@qd.kernel
def sums(x: I, out: I):
    for i in x:
        out[0] += x[i]
    for i in x:
        if x[i] % 7 == 0:
            out[1] += 1
    for i in x:
        qd.atomic_max(out[2], x[i])


# A loop that asks for the block stays as it is; both loops number threads alike.
@qd.kernel
def asks(x: I, y: I):
    for i in x:
        x[i] = block.global_thread_idx()
    for i in y:
        y[i] = 1000 * (i - block.thread_idx()) + i
