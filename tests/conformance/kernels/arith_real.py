# Operations that only reals have. T is the build's.
import quadrants as qd

T = qd.f32


@qd.kernel
def exact(
    a: qd.types.ndarray(dtype=T, ndim=1),
    b: qd.types.ndarray(dtype=T, ndim=1),
    out: qd.types.ndarray(dtype=T, ndim=2),
):
    for i in range(a.shape[0]):
        x = a[i]
        out[0, i] = x / b[i]
        out[1, i] = qd.floor(x)
        out[2, i] = qd.ceil(x)
        out[3, i] = qd.round(x)
        out[4, i] = qd.sqrt(abs(x))


@qd.kernel
def close(a: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    # a in (0, 1)
    for i in range(a.shape[0]):
        x = a[i]
        out[0, i] = qd.exp(x * 20 - 10)
        out[1, i] = qd.log(x)
        out[2, i] = qd.asin(x)
        out[3, i] = qd.acos(x)
        out[4, i] = qd.atan2(x - 0.5, 0.25 - x)
        out[5, i] = qd.tanh(x * 4 - 2)
        out[6, i] = qd.pow(x, 2.5)
        out[7, i] = qd.rsqrt(x)
        out[8, i] = x**-2


@qd.kernel
def trigonometry(a: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    for i in range(a.shape[0]):
        x = a[i]
        out[0, i] = qd.sin(x * 50 - 25)
        out[1, i] = qd.cos(x * 50 - 25)
        out[2, i] = qd.tan(x)


@qd.kernel(fast_math=True)
def fast(a: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    # a in (0, 1)
    for i in range(a.shape[0]):
        x = a[i]
        out[0, i] = 1 / x
        out[1, i] = (x - 0.5) / (x + 1)
        out[2, i] = x / 3
        out[3, i] = x / (x + 2) + x
        out[4, i] = qd.sqrt(x)
        out[5, i] = (x + 1) / qd.sqrt(x)
        out[6, i] = qd.rsqrt(x)
        out[7, i] = qd.exp(x * 20 - 10)
        out[8, i] = qd.log(x)
        out[9, i] = qd.log2(x)
        out[10, i] = qd.sin(x * 6 - 3)
        out[11, i] = qd.cos(x * 6 - 3)
        out[12, i] = qd.tan(x)
        out[13, i] = qd.pow(x, 2.5)
        out[14, i] = qd.precise((x + 1) / 3)
