# All targets: the upper half of a product did not compile. MLIR makes one op of the product, the
# shift and the cast, which no backend has.
#
# launch k
# array x i32 4 00000007fffffffd7fffffff80000000
# array y i32 4 7fffffff7fffffff7fffffff80000000
# array u u32 4 00000007fffffffd7fffffff80000000
# array s i16 4 0007fed47fff8000
# array b u8 4 c8ff0380
# end
import quadrants as qd


@qd.kernel
def k(
    x: qd.types.ndarray(dtype=qd.i32, ndim=1),
    y: qd.types.ndarray(dtype=qd.i32, ndim=1),
    u: qd.types.ndarray(dtype=qd.u32, ndim=1),
    s: qd.types.ndarray(dtype=qd.i16, ndim=1),
    b: qd.types.ndarray(dtype=qd.u8, ndim=1),
):
    for i in range(4):
        y[i] = qd.i32((qd.i64(x[i]) * qd.i64(y[i])) >> 32)
        u[i] = qd.u32((qd.u64(u[i]) * qd.u64(u[i])) >> 32) + qd.u32((qd.u64(u[i]) * qd.u64(x[i])) >> 32)
        s[i] = qd.i16((qd.i32(s[i]) * qd.i32(s[i])) >> 16)
        b[i] = qd.u8((qd.u16(b[i]) * qd.u16(b[i])) >> 8)
