# Decompositions of small matrices, one a thread, and complex numbers; T is f32 or f64.
import quadrants as qd

T = qd.f32
mat2 = qd.types.matrix(2, 2, T)
mat3 = qd.types.matrix(3, 3, T)
mat5 = qd.types.matrix(5, 5, T)
mat8 = qd.types.matrix(8, 8, T)
mat42 = qd.types.matrix(4, 2, T)
vec2 = qd.types.vector(2, T)
vec3 = qd.types.vector(3, T)
vec5 = qd.types.vector(5, T)
vec8 = qd.types.vector(8, T)
mats2 = qd.types.ndarray(dtype=mat2, ndim=1)
mats3 = qd.types.ndarray(dtype=mat3, ndim=1)
mats5 = qd.types.ndarray(dtype=mat5, ndim=1)
mats8 = qd.types.ndarray(dtype=mat8, ndim=1)


@qd.kernel
def svd_2(a: mats2, u: mats2, s: mats2, v: mats2):
    for i in a:
        u[i], s[i], v[i] = qd.svd(a[i])


@qd.kernel
def svd_3(a: mats3, u: mats3, s: mats3, v: mats3):
    for i in a:
        u[i], s[i], v[i] = qd.svd(a[i], dt=T)


@qd.kernel
def polar_3(a: mats3, r: mats3, s: mats3):
    for i in a:
        r[i], s[i] = qd.polar_decompose(a[i])


@qd.kernel
def sym_eig_2(a: mats2, values: qd.types.ndarray(dtype=vec2, ndim=1), vectors: mats2):
    for i in a:
        values[i], vectors[i] = qd.sym_eig(a[i])


@qd.kernel
def sym_eig_3(a: mats3, values: qd.types.ndarray(dtype=vec3, ndim=1), vectors: mats3):
    for i in a:
        values[i], vectors[i] = qd.sym_eig(a[i])


@qd.kernel
def sym_eig_5(a: mats5, values: qd.types.ndarray(dtype=vec5, ndim=1), vectors: mats5):
    for i in a:
        values[i], vectors[i] = qd.sym_eig(a[i])


@qd.kernel
def sym_eig_8(a: mats8, values: qd.types.ndarray(dtype=vec8, ndim=1), vectors: mats8):
    for i in a:
        values[i], vectors[i] = qd.sym_eig(a[i])


@qd.kernel
def make_spd_5(a: mats5, out: mats5):
    for i in a:
        out[i] = qd.make_spd(a[i])


@qd.kernel
def eig_2(a: mats2, values: mats2, vectors: qd.types.ndarray(dtype=mat42, ndim=1)):
    for i in a:
        values[i], vectors[i] = qd.eig(a[i])


@qd.kernel
def solve_5(a: mats5, b: qd.types.ndarray(dtype=vec5, ndim=1), x: qd.types.ndarray(dtype=vec5, ndim=1)):
    for i in a:
        x[i] = qd.solve(a[i], b[i])


@qd.kernel
def complex_numbers(z: qd.types.ndarray(dtype=vec2, ndim=1), out: qd.types.ndarray(dtype=vec2, ndim=2)):
    for i in range(z.shape[0]):
        x = z[i]
        y = z[(i + 1) % z.shape[0]]
        out[i, 0] = qd.math.cmul(x, y)
        out[i, 1] = qd.math.cdiv(x, y)
        out[i, 2] = qd.math.cconj(x)
        out[i, 3] = qd.math.cinv(x)
        out[i, 4] = qd.math.csqrt(x)
        out[i, 5] = qd.math.cpow(x, 3.0)
        out[i, 6] = qd.math.cexp(x)
        out[i, 7] = qd.math.clog(x)


@qd.kernel
def normal(out: qd.types.ndarray(dtype=T, ndim=1)):
    for i in out:
        out[i] = qd.randn(T)
