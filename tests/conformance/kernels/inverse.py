# Inverses and determinants by elimination, for each size that has them.
import quadrants as qd

T = qd.f32
mat5 = qd.types.matrix(5, 5, T)
mat8 = qd.types.matrix(8, 8, T)
mat12 = qd.types.matrix(12, 12, T)


@qd.kernel
def inverse_5(m: qd.types.ndarray(dtype=mat5, ndim=1), out: qd.types.ndarray(dtype=mat5, ndim=1), det: qd.types.ndarray(dtype=T, ndim=1)):
    for i in m:
        out[i] = m[i].inverse()
        det[i] = qd.math.determinant(m[i])


# One thread, at the top of the kernel: its loops are not the kernel's.
@qd.kernel
def inverse_8(m: qd.types.ndarray(dtype=mat8, ndim=1), out: qd.types.ndarray(dtype=mat8, ndim=1), det: qd.types.ndarray(dtype=T, ndim=1)):
    out[0] = qd.math.inverse(m[0])
    det[0] = m[0].determinant()
    for i in range(1, m.shape[0]):
        out[i] = m[i].inverse()
        det[i] = m[i].determinant()


@qd.kernel
def inverse_12(m: qd.types.ndarray(dtype=mat12, ndim=1), out: qd.types.ndarray(dtype=mat12, ndim=1), det: qd.types.ndarray(dtype=T, ndim=1)):
    for i in m:
        out[i] = m[i].inverse()
        det[i] = m[i].determinant()
