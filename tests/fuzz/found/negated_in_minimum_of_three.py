# NVIDIA, sm_90 (ptxas 13.0 and the Vulkan driver): the negation was lost, also that in abs.
#
# launch k
# array x i32 16 00000007fffffffd00000064ffffff9c000000007fffffff80000000ffffffee00000005ffffffff3cb9724dffffffbf0000000c00000003fffffd1200010000
# array y i32 16 ffffffc4fffffffe0000000300000032fffffff98000000000000009ffffffee0000000100000001fffffffb00000064ffff00000000000200000005fffffffc
# array z i32 16 000002ee00000005fffffff700000064fffffffc000000037fffffff3cb9724dfffffff9ffffffbf000000410000000480000001fffffffffffffd1200000008
# array a i32 16 zero
# array b i32 16 zero
# array c i32 16 zero
# array d i32 16 zero
# array e i32 16 zero
# array f i32 16 zero
# end
import quadrants as qd


@qd.kernel
def k(
    x: qd.types.ndarray(dtype=qd.i32, ndim=1),
    y: qd.types.ndarray(dtype=qd.i32, ndim=1),
    z: qd.types.ndarray(dtype=qd.i32, ndim=1),
    a: qd.types.ndarray(dtype=qd.i32, ndim=1),
    b: qd.types.ndarray(dtype=qd.i32, ndim=1),
    c: qd.types.ndarray(dtype=qd.i32, ndim=1),
    d: qd.types.ndarray(dtype=qd.i32, ndim=1),
    e: qd.types.ndarray(dtype=qd.i32, ndim=1),
    f: qd.types.ndarray(dtype=qd.i32, ndim=1),
):
    for i in range(16):
        a[i] = qd.min(x[i], qd.min(y[i], -z[i]))
        b[i] = qd.max(y[i], abs(z[i]))
        c[i] = qd.max(abs(x[i]), qd.max(abs(y[i]), abs(z[i])))
        d[i] = qd.min(x[i], qd.min(y[i], z[i] * -1))
        e[i] = qd.min(x[i], qd.min(y[i], (~z[i]) + 1))
        m = -2147483647
        for j in range(4):
            m = qd.max(m, -z[(i + j) & 15])
        f[i] = m
