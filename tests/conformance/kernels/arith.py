# Arithmetic on one type. T is the build's.
import quadrants as qd

T = qd.i32


@qd.kernel
def both(
    a: qd.types.ndarray(dtype=T, ndim=1),
    b: qd.types.ndarray(dtype=T, ndim=1),
    out: qd.types.ndarray(dtype=T, ndim=2),
    flags: qd.types.ndarray(dtype=qd.i32, ndim=2),
):
    for i in range(a.shape[0]):
        x = a[i]
        y = b[i]
        out[0, i] = x + y
        out[1, i] = x - y
        out[2, i] = x * y
        out[3, i] = qd.min(x, y)
        out[4, i] = qd.max(x, y)
        out[5, i] = -x
        out[6, i] = abs(x)
        out[7, i] = x if x < y else y
        out[8, i] = qd.select(x < y, y, x)
        flags[0, i] = x < y
        flags[1, i] = x <= y
        flags[2, i] = x > y
        flags[3, i] = x >= y
        flags[4, i] = x == y
        flags[5, i] = x != y
        flags[6, i] = x < y < 3
        flags[7, i] = x != 0 and y != 0
        flags[8, i] = x != 0 or y != 0
        flags[9, i] = not (x < y)


@qd.kernel
def divide(
    a: qd.types.ndarray(dtype=T, ndim=1),
    b: qd.types.ndarray(dtype=T, ndim=1),
    out: qd.types.ndarray(dtype=T, ndim=2),
):
    # No zeros in b, no overflow.
    for i in range(a.shape[0]):
        out[0, i] = a[i] // b[i]
        out[1, i] = a[i] % b[i]


@qd.kernel
def casts(
    a: qd.types.ndarray(dtype=T, ndim=1),
    i8: qd.types.ndarray(dtype=qd.i8, ndim=1),
    u16: qd.types.ndarray(dtype=qd.u16, ndim=1),
    i32: qd.types.ndarray(dtype=qd.i32, ndim=1),
    i64: qd.types.ndarray(dtype=qd.i64, ndim=1),
    f32: qd.types.ndarray(dtype=qd.f32, ndim=1),
    f64: qd.types.ndarray(dtype=qd.f64, ndim=1),
):
    for i in range(a.shape[0]):
        i8[i] = qd.cast(a[i], qd.i8)
        u16[i] = qd.u16(a[i])
        i32[i] = qd.i32(a[i])
        i64[i] = qd.cast(a[i], qd.i64)
        f32[i] = a[i]
        f64[i] = qd.f64(a[i])
