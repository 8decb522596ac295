# NVIDIA, Vulkan (driver 580.159): a product with 2^31 had the wrong sign.
#
# launch k
# array z i32 16 000002ee00000005fffffff700000064fffffffc000000037fffffff3cb9724dfffffff9ffffffbf000000410000000480000001fffffffffffffd1200000008
# scalar p i32 - fffffffc
# array a i64 16 zero
# array b i64 16 zero
# array c i64 16 zero
# end
import quadrants as qd


@qd.kernel
def k(
    z: qd.types.ndarray(dtype=qd.i32, ndim=1),
    p: qd.i32,
    a: qd.types.ndarray(dtype=qd.i64, ndim=1),
    b: qd.types.ndarray(dtype=qd.i64, ndim=1),
    c: qd.types.ndarray(dtype=qd.i64, ndim=1),
):
    for i in range(16):
        a[i] = qd.i64(z[i]) << 31
        b[i] = qd.i64(z[i]) * qd.i64(2147483648)
        c[i] = qd.max(-qd.i64(9223372036854775807), qd.i64(p) << 31)
