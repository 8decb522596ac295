# One kernel a function of the language, for one type T: what sextant-math measures.
import quadrants as qd

T = qd.f32
A = qd.types.ndarray(dtype=T, ndim=1)


@qd.kernel
def sqrt(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.sqrt(x[i])


@qd.kernel
def rsqrt(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.rsqrt(x[i])


@qd.kernel
def exp(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.exp(x[i])


@qd.kernel
def exp2(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.exp2(x[i])


@qd.kernel
def log(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.log(x[i])


@qd.kernel
def log2(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.log2(x[i])


@qd.kernel
def log10(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.log10(x[i])


@qd.kernel
def sin(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.sin(x[i])


@qd.kernel
def cos(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.cos(x[i])


@qd.kernel
def tan(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.tan(x[i])


@qd.kernel
def asin(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.asin(x[i])


@qd.kernel
def acos(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.acos(x[i])


@qd.kernel
def atan(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.atan(x[i])


@qd.kernel
def sinh(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.sinh(x[i])


@qd.kernel
def cosh(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.cosh(x[i])


@qd.kernel
def tanh(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.tanh(x[i])


@qd.kernel
def floor(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.floor(x[i])


@qd.kernel
def ceil(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.ceil(x[i])


@qd.kernel
def round(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.round(x[i])


@qd.kernel
def trunc(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.trunc(x[i])


@qd.kernel
def abs(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.abs(x[i])


@qd.kernel
def min(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.min(x[i], y[i])


@qd.kernel
def max(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.max(x[i], y[i])


@qd.kernel
def divide(x: A, y: A, out: A):
    for i in out:
        out[i] = x[i] / y[i]


@qd.kernel
def floor_divide(x: A, y: A, out: A):
    for i in out:
        out[i] = x[i] // y[i]


@qd.kernel
def modulo(x: A, y: A, out: A):
    for i in out:
        out[i] = x[i] % y[i]


@qd.kernel
def atan2(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.atan2(x[i], y[i])


@qd.kernel
def pow(x: A, y: A, out: A):
    for i in out:
        out[i] = qd.pow(x[i], y[i])


@qd.kernel
def pow_int(x: A, y: A, out: A):
    for i in out:
        out[i] = x[i] ** qd.cast(y[i], qd.i32)
