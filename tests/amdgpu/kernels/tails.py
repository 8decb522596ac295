# Memory whose last elements are read together with what lies after them: LLVM makes scalar loads of 16 bytes where
# 12 are read, if they are aligned to 8.
import quadrants as qd

single = qd.Vector.field(3, qd.f32, shape=())
half = qd.Vector.field(3, qd.f16, shape=())
wide = qd.Vector.field(3, qd.i64, shape=())


@qd.kernel
def fill_fields():
    for k in qd.static(range(3)):
        single[None][k] = 2.0 + k
        half[None][k] = qd.f16(5.0 + k)
        wide[None][k] = 8 + k


@qd.kernel
def read_fields(out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in out:
        s, h, w = single[None], half[None], wide[None]
        out[i] = s[0] + 10.0 * s[1] + 100.0 * s[2]
        out[i] += qd.f32(h[0] + h[1] + h[2])
        out[i] += qd.f32(w[0] + w[1] + w[2])


@qd.kernel
def read_array(x: qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=1), out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in out:
        out[i] = x[0][0] + 10.0 * x[0][1] + 100.0 * x[0][2]


@qd.kernel
def read_carried(out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    s = qd.Vector([out[0], out[1], out[2]])
    for i in out:
        out[i] = s[0] + 10.0 * s[1] + 100.0 * s[2]
