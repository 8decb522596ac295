# Loops over several axes, sums of a grid, waits, values of arguments: as users write them.
import quadrants as qd
from quadrants.lang.simt import grid

I32 = qd.types.ndarray(qd.i32, 1)
F32 = qd.types.ndarray(qd.f32, 1)
F32_3 = qd.types.ndarray(qd.f32, 3)


@qd.kernel
def axes(x: F32_3):
    for i, j, k in qd.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1), (1, x.shape[2] - 1)):
        x[i, j, k] = qd.f32(i + j * k)


@qd.kernel
def total(x: F32, out: F32):
    for i in range(x.shape[0]):
        out[0] += x[i]


@qd.kernel
def rows(x: qd.types.ndarray(qd.f32, 2), out: F32):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[0] += x[i, j]


@qd.kernel
def count(x: I32, out: I32):
    for i in range(x.shape[0]):
        if x[i] > 3:
            out[0] += 1


@qd.kernel
def wait(flags: I32, out: I32):
    for i in range(out.shape[0]):
        while qd.volatile_load(flags[i]) == 0:
            pass
        out[i] = 1


@qd.kernel
def poll(flags: I32, out: I32):
    for i in range(out.shape[0]):
        seen = 0
        while seen == 0:
            seen = qd.volatile_load(flags[i])
            grid.pause()
        out[i] = seen


@qd.kernel
def scaled(x: F32, y: F32):
    s = 1.0 / x.shape[0]
    t = s * 0.5
    for i in range(x.shape[0]):
        y[i] = s * x[i] + t
