# Operations that only integers have. T is the build's.
import quadrants as qd

T = qd.i32
BITS = 64 if T in (qd.i64, qd.u64) else 32


@qd.kernel
def bits(
    a: qd.types.ndarray(dtype=T, ndim=1),
    b: qd.types.ndarray(dtype=T, ndim=1),
    out: qd.types.ndarray(dtype=T, ndim=2),
    counts: qd.types.ndarray(dtype=qd.i32, ndim=2),
):
    for i in range(a.shape[0]):
        x = a[i]
        y = b[i]
        out[0, i] = x & y
        out[1, i] = x | y
        out[2, i] = x ^ y
        out[3, i] = ~x
        s = y & (BITS - 1)
        out[4, i] = x << s
        out[5, i] = x >> s
        out[6, i] = qd.bit_shr(x, s)
        out[7, i] = x**3
        counts[0, i] = qd.math.popcnt(x)
        counts[1, i] = qd.math.clz(x)
        counts[2, i] = qd.math.ffs(x)
