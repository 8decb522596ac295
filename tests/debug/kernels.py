"""Kernels that gdb.gdb stops in. The script names lines by number: keep them."""
import quadrants as qd
from quadrants.lang import simt


@qd.func
def square(v: qd.f32):
    twice = v + v
    return twice * v / 2.0


@qd.func
def blend(a, b):
    mid = (a + b) * 0.5
    if mid > 3.0:
        mid = square(mid)
    return mid


@qd.kernel
def steps(n: qd.i32, a: qd.f32, x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray(dtype=qd.f64, ndim=2)):
    for i in range(n):
        before = y[i, 1]
        pair = qd.Vector([x[i], a * x[i]])
        unused = qd.cast(i * 3, qd.u8)
        for k in range(2):
            pair[k] += 1.0
        y[i, 1] = before + blend(pair[0], pair[1])


@qd.kernel
def lanes(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=8)
    for i in range(8):
        mine = i * i
        same = 7
        total = simt.subgroup.reduce_all_add(mine)
        if i > 4:
            mine = total
            same = 9
            x[i] = mine
        x[i] += same


@qd.kernel
def blocks(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=4)
    for i in range(4):
        tile = simt.block.SharedArray((4,), qd.i32)
        t = i % 4
        mine = t + 10
        tile[t] = mine
        simt.block.sync()
        other = tile[3 - t]
        x[i] = other
