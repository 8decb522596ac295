# lavapipe: the comparison of a value extended to 64 bits, after a choice, was wrong.
#
# launch k
# array x i32 16 00000007fffffffd00000064ffffff9c000000007fffffff80000000ffffffee00000005ffffffff3cb9724dffffffbf0000000c00000003fffffd1200010000
# array y i32 16 ffffffc4fffffffe0000000300000032fffffff98000000000000009ffffffee0000000100000001fffffffb00000064ffff00000000000200000005fffffffc
# array a i32 16 zero
# array b i32 16 zero
# array c i32 16 zero
# array d i32 16 zero
# end
import quadrants as qd


@qd.kernel
def k(
    x: qd.types.ndarray(dtype=qd.i32, ndim=1),
    y: qd.types.ndarray(dtype=qd.i32, ndim=1),
    a: qd.types.ndarray(dtype=qd.i32, ndim=1),
    b: qd.types.ndarray(dtype=qd.i32, ndim=1),
    c: qd.types.ndarray(dtype=qd.i32, ndim=1),
    d: qd.types.ndarray(dtype=qd.i32, ndim=1),
):
    for i in range(16):
        a[i] = 1 >= (qd.i64(i) if qd.i64(6442891432980573337) != x[i] else 0)
        b[i] = 5 < (qd.i64(x[i]) if y[i] < 0 else qd.i64(i))
        wide = qd.i64(-3)
        if y[i] > 1:
            wide = qd.i64(x[i])
        c[i] = wide >= qd.i64(4294967298) or wide < qd.i64(7)
        d[i] = qd.min(4, qd.i64(x[i])) >= 1
