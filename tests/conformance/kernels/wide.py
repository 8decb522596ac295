# Vectors and matrices in memory, which targets access 16 bytes at a time: whole ones, single
# components, and both in one task.
import quadrants as qd
from quadrants.lang.simt import block

vec2 = qd.types.vector(2, qd.f32)
vec3 = qd.types.vector(3, qd.f32)
vec4 = qd.types.vector(4, qd.f32)
mat2 = qd.types.matrix(2, 2, qd.f32)
ivec4 = qd.types.vector(4, qd.i32)
lvec2 = qd.types.vector(2, qd.i64)
bvec4 = qd.types.vector(4, qd.u8)
svec4 = qd.types.vector(4, qd.i16)
ivec8 = qd.types.vector(8, qd.i32)

flat = qd.field(qd.i32, shape=260)
rows = qd.Vector.field(4, qd.i32, shape=65)

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)


# Each element goes to another place, plus something that tells its components apart.
@qd.kernel
def move(
    to: I32,
    a: qd.types.ndarray(vec4, 1),
    b: qd.types.ndarray(vec2, 1),
    c: qd.types.ndarray(vec3, 1),
    d: qd.types.ndarray(mat2, 1),
    e: qd.types.ndarray(ivec8, 1),
):
    for i in range(to.shape[0] // 2):
        j = to[i]
        k = to[i + to.shape[0] // 2]
        a[j] = a[k] + qd.Vector([1.0, 2.0, 3.0, 4.0])
        b[j] = b[k] + qd.Vector([1.0, 2.0])
        c[j] = c[k] + qd.Vector([1.0, 2.0, 3.0])
        d[j] = d[k] + qd.Matrix([[1.0, 2.0], [3.0, 4.0]])
        e[j] = e[k] + qd.Vector([1, 2, 3, 4, 5, 6, 7, 8])


@qd.kernel
def move_narrow(to: I32, a: qd.types.ndarray(bvec4, 1), b: qd.types.ndarray(svec4, 1), c: qd.types.ndarray(lvec2, 1)):
    for i in range(to.shape[0] // 2):
        j = to[i]
        k = to[i + to.shape[0] // 2]
        a[j] = a[k] + qd.Vector([1, 2, 3, 4], dt=qd.u8)
        b[j] = b[k] + qd.Vector([-1, -2, -3, -4], dt=qd.i16)
        c[j] = c[k] + qd.Vector([1, -2], dt=qd.i64)


# Components by constants and by what only a thread knows, before and after the whole.
@qd.kernel
def mixed(a: qd.types.ndarray(ivec4, 1), which: I32, out: qd.types.ndarray(ivec4, 1)):
    for i in range(a.shape[0]):
        before = a[i]
        a[i][which[i]] = 7
        between = a[i]
        a[i] = between + before
        a[i].y = -1
        a[i].xw = a[i].wx
        qd.atomic_max(a[i][which[i]], 5)
        out[i] = a[i]


# The two arguments are one array: what is read has to be what was written last.
@qd.kernel
def overlap(x: qd.types.ndarray(ivec4, 1), y: qd.types.ndarray(ivec4, 1), out: qd.types.ndarray(ivec4, 1)):
    for i in range(out.shape[0]):
        x[i] = qd.Vector([i, i + 1, i + 2, i + 3])
        first = y[i]
        x[i].z = 100
        y[i].x = 200
        second = x[i]
        x[i][0] = first[1]
        y[i][1] = second[2]
        x[i][2] = second[0]
        out[i] = 1000 * y[i] + first


# Lanes that do not take part change nothing; each third one writes a pair of components.
@qd.kernel
def parts(a: qd.types.ndarray(vec4, 1)):
    for i in range(a.shape[0]):
        if i % 3 == 0:
            a[i].xy = a[i].zw
        elif i % 3 == 1:
            a[i] = a[i].wzyx


# Neighbours may add together, where all of them take part.
@qd.kernel
def scatter(at: I32, a: qd.types.ndarray(vec4, 1), b: qd.types.ndarray(vec2, 1), c: qd.types.ndarray(ivec4, 1)):
    for i in range(at.shape[0]):
        a[at[i]] += qd.Vector([1.0, 2.0, 0.5, -1.0]) * (i % 8)
        b[at[i]] += qd.Vector([1.0, -2.0])
        c[at[i]] += qd.Vector([1, i, -1, 2])
        if i % 7 < 5:
            a[at[i]] += qd.Vector([4.0, -8.0, i % 4, 16.0])
            b[at[i]] += qd.Vector([i % 3, 4.0])


# Neighbours in a field of scalars, where they begin at a multiple of four, and where not.
@qd.kernel
def neighbours(out: I32):
    for i in range(260):
        flat[i] = 3 * i
    for i in range(64):
        whole = flat[4 * i] + 2 * flat[4 * i + 1] + 3 * flat[4 * i + 2] + 4 * flat[4 * i + 3]
        moved = flat[4 * i + 1] + 2 * flat[4 * i + 2] + 3 * flat[4 * i + 3] + 4 * flat[4 * i + 4]
        before = flat[4 * (i + 1) - 4] - flat[4 * (i + 1) - 3]
        rows[i] = qd.Vector([whole, moved, before, i])
    for i in range(64):
        out[i] = rows[i].dot(qd.Vector([1, 1000, 100, 1]))


@qd.kernel
def shared(x: qd.types.ndarray(ivec4, 1), out: qd.types.ndarray(ivec4, 1)):
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        t = i % 64
        tile = block.SharedArray((64,), ivec4)
        runs = block.SharedArray((256,), qd.i32)
        tile[t] = x[i]
        for k in qd.static(range(4)):
            runs[4 * (63 - t) + k] = x[i][k] * 10
        block.sync()
        a = tile[63 - t]
        b = qd.Vector([runs[4 * t], runs[4 * t + 1], runs[4 * t + 2], runs[4 * t + 3]])
        out[i] = a + b
