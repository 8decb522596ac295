# Decompositions of small matrices, one a thread: T is f32 or f64, N the rows. Where a matrix of N
# rows has no such decomposition, its kernels are not built.
import quadrants as qd

T = qd.f32
N = 3
mat = qd.types.matrix(N, N, T)
vec = qd.types.vector(N, T)
mats = qd.types.ndarray(dtype=mat, ndim=1)
vecs = qd.types.ndarray(dtype=vec, ndim=1)


@qd.kernel
def svd(a: mats, u: mats, s: mats, v: mats):
    if qd.static(N <= 3):
        for i in a:
            u[i], s[i], v[i] = qd.svd(a[i])


@qd.kernel
def polar(a: mats, r: mats, s: mats):
    if qd.static(N <= 3):
        for i in a:
            r[i], s[i] = qd.polar_decompose(a[i])


@qd.kernel
def sym_eig(a: mats, values: vecs, vectors: mats):
    for i in a:
        values[i], vectors[i] = qd.sym_eig(a[i])


@qd.kernel
def make_spd(a: mats, out: mats):
    for i in a:
        out[i] = qd.make_spd(a[i])


@qd.kernel
def solve(a: mats, b: vecs, x: vecs):
    for i in a:
        x[i] = qd.solve(a[i], b[i])


@qd.kernel
def eig(a: mats, values: mats, vectors: qd.types.ndarray(dtype=qd.types.matrix(4, 2, T), ndim=1)):
    if qd.static(N == 2):
        for i in a:
            values[i], vectors[i] = qd.eig(a[i])
