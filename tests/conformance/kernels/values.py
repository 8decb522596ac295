# Arrays of no dimensions, wide arguments, fills, constructors of vectors and matrices, and the
# functions of `qd.math` that the library has.
import quadrants as qd
from quadrants.math import *

I = qd.types.ndarray(dtype=qd.i32, ndim=1)
F = qd.types.ndarray(dtype=qd.f32, ndim=1)
wide16 = qd.types.vector(1024, qd.i16)
wide32 = qd.types.vector(1024, qd.f32)
box3 = qd.types.vector(3, qd.i32)

total = qd.field(qd.i32, shape=())
grid = qd.Vector.field(2, qd.f32, shape=(7, 9))


# ---- Arrays of no dimensions, and wide arguments ----------------------------------------


@qd.func
def raise_to(x: qd.template(), value):
    qd.atomic_max(x[None], value)


@qd.kernel
def no_dimensions(
    src: I,
    count: qd.types.ndarray(dtype=qd.i32, ndim=0),
    most: qd.types.NDArray[qd.i32, 0],
    box: qd.types.ndarray(dtype=box3, ndim=0),
    real: qd.types.ndarray(dtype=qd.f32, ndim=0),
):
    for i in src:
        count[None] += src[i]
        raise_to(most, src[i])
        qd.atomic_min(box[None][1], src[i])
    box[None].x = count[None]
    box[None][2] = len(count.shape) + most.ndim
    real[()] = real[None] * 0.5


@qd.kernel
def wide_i16(v: wide16, out: qd.types.ndarray(dtype=qd.i16, ndim=1)):
    for i in range(1024):
        out[i] = v[1023 - i]


@qd.kernel
def wide_f32(v: wide32, scale: qd.f32, out: F):
    for i in range(1024):
        out[i] = v[i] * scale


@qd.kernel
def wide_result(v: wide16) -> wide16:
    return v * 3


# ---- Fills --------------------------------------------------------------------------


@qd.func
def cleared(v):
    v.fill(9)
    return v.sum()


@qd.kernel
def fills(
    plane: qd.types.ndarray(dtype=qd.f32, ndim=2),
    single: qd.types.ndarray(dtype=qd.i16, ndim=0),
    rows: qd.types.ndarray(dtype=box3, ndim=1),
    seen: F,
    value: qd.f32,
):
    plane.fill(value * 2)
    single.fill(-5)
    total.fill(7)
    grid.fill(qd.Vector([value, 0.1]))
    for i in rows:
        m = qd.Matrix.zero(qd.f32, 2, 3)
        m.fill(value + i)
        v = qd.Vector([i, i, i])
        sum = cleared(v)
        rows[i].fill(i * 10 + sum + v[1])
        seen[i] = m.sum() + grid[i % 7, i % 9].y + total[None]


# ---- Constructors -------------------------------------------------------------------


@qd.kernel
def constructors(a: qd.f32, n: qd.i32, real: F, whole: I):
    u = qd.Vector([a, 2.0, 3.0])
    v = qd.Vector([4.0, a, 6.0])
    r = qd.Matrix.rows([u, v])
    c = qd.Matrix.cols([u, v])
    d = qd.Matrix.diag(3, a)
    k = qd.Matrix.diag(dim=2, val=n)
    e = qd.Matrix.unit(4, 2)
    f = qd.Vector.unit(3, 1, qd.f32)
    for i, j in qd.static(qd.ndrange(2, 3)):
        real[i * 3 + j] = r[i, j]
        real[6 + j * 2 + i] = c[j, i]
    for i, j in qd.static(qd.ndrange(3, 3)):
        real[12 + i * 3 + j] = d[i, j]
        real[21 + i * 3 + j] = eye(3)[i, j]
    for i in qd.static(range(3)):
        real[30 + i] = f[i] * a
    for i, j in qd.static(qd.ndrange(2, 2)):
        whole[i * 2 + j] = k[i, j] // 2
    for i in qd.static(range(4)):
        whole[4 + i] = e[i] * n
    # Each family has its own element type: what a cast loses shows which.
    whole[8] = ivec3(7.9, -7.9, 1)[1]
    whole[9] = qd.i32(uvec2(-1, 2)[0] > 0)
    whole[10] = qd.i32(bvec2(n, 0)[0]) + qd.i32(bvec2(n, 0)[1])
    whole[11] = qd.i32(mat2([[1, 2], [3, n]])[1, 1] / 2 * 4)
    whole[12] = len(ivec2(1)) + len(uvec4(1)) * 10 + len(bvec3(1)) * 100 + len(mat4(1.0)) * 1000 + len(vec3(1)) * 10000
    whole[13] = qd.math.ivec4(n)[3] + qd.types.ivec2(1, n)[1]


# ---- qd.math --------------------------------------------------------------------------


@qd.kernel
def optics(x: qd.types.ndarray(dtype=vec3, ndim=1), n: qd.types.ndarray(dtype=vec3, ndim=1), eta: F,
           out: qd.types.ndarray(dtype=vec3, ndim=1)):
    for i in x:
        out[i] = qd.math.refract(x[i], n[i], eta[i])


@qd.kernel
def turns(angles: qd.types.ndarray(dtype=vec3, ndim=1), out: qd.types.ndarray(dtype=mat4, ndim=2)):
    for i in angles:
        a = angles[i]
        out[0, i] = rot_yaw_pitch_roll(a.x, a.y, a.z)
        out[1, i] = rotation3d(a.x, a.y, a.z)
        out[2, i] = rot_by_axis(vec3(a.y, a.z, 2.0), a.x)
        out[3, i] = translate(a.x, a.y, a.z) @ scale(a.z, a.x, a.y)
        m = rotation2d(a.x)
        d = vdir(a.y)
        out[4, i] = mat4([[m[0, 0], m[0, 1], 0, 0], [m[1, 0], m[1, 1], 0, 0], [d.x, d.y, 0, 0], [0, 0, 0, 0]])


# ---- Bits of reals ----------------------------------------------------------------------


@qd.kernel
def frexp_f16(x: qd.types.ndarray(dtype=qd.f16, ndim=1), m: qd.types.ndarray(dtype=qd.f16, ndim=1), e: I):
    for i in x:
        m[i], e[i] = qd.frexp(x[i])


@qd.kernel
def frexp_f32(x: F, m: F, e: I):
    for i in x:
        m[i], e[i] = qd.frexp(x[i])


@qd.kernel
def frexp_f64(x: qd.types.ndarray(dtype=qd.f64, ndim=1), m: qd.types.ndarray(dtype=qd.f64, ndim=1), e: I):
    for i in x:
        pair = qd.frexp(qd.Vector([x[i], 0.375]))
        m[i] = pair[0][0] + (pair[0][1] - 0.75)
        e[i] = pair[1].x + (pair[1].y + 1)


# ---- Rounded as written -----------------------------------------------------------------


@qd.kernel
def precise(a: F, b: F, products: F, errors: F, sums: F, rests: F):
    for i in a:
        p = qd.precise(a[i] * b[i])
        products[i] = p
        errors[i] = qd.precise(a[i] * b[i] - p)
        s = qd.precise(a[i] + b[i])
        bb = qd.precise(s - a[i])
        sums[i] = s
        rests[i] = qd.precise((a[i] - (s - bb)) + (b[i] - bb))


@qd.kernel
def draws_f16(out: qd.types.ndarray(dtype=qd.f16, ndim=1)):
    for i in out:
        out[i] = qd.random(qd.f16)
