# Vectors and matrices in memory, as users write them.
import quadrants as qd
from quadrants.lang.simt import block

vec4 = qd.types.vector(4, qd.f32)
V4 = qd.types.ndarray(vec4, 1)
V3 = qd.types.ndarray(qd.types.vector(3, qd.f32), 1)
M4 = qd.types.ndarray(qd.types.matrix(4, 4, qd.f32), 1)
L2 = qd.types.ndarray(qd.types.vector(2, qd.i64), 1)
H4 = qd.types.ndarray(qd.types.vector(4, qd.f16), 1)
I32 = qd.types.ndarray(qd.i32, 1)


@qd.kernel
def scale(x: V4, y: V4, s: qd.f32):
    for i in x:
        y[i] = x[i] * s


@qd.kernel
def product(x: M4, y: M4, z: M4):
    for i in x:
        z[i] = x[i] @ y[i]


@qd.kernel
def others(x: L2, y: H4, z: V3, out: I32):
    for i in out:
        out[i] = qd.i32(x[i].sum()) + qd.i32(y[i].sum()) + qd.i32(z[i].sum())


@qd.kernel
def scatter(at: I32, x: V4):
    for i in at:
        x[at[i]] += qd.Vector([1.0, 2.0, 3.0, 4.0])


@qd.kernel
def turned(x: V4, y: V4):
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        tile = block.SharedArray((64,), vec4)
        tile[i % 64] = x[i]
        block.sync()
        y[i] = tile[63 - i % 64]
